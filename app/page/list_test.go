package page_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func (b *browser) newList(visibility string) string {
	b.w.t.Helper()
	return b.post("/list/new", url.Values{"title": {"Soups " + visibility}, "visibility": {visibility},
		"items": {"Lentil\r\n\r\n  Potato & leek \r\n"}}).leads(b.w.t, "/list/[0-9a-f-]{36}")
}

// TestWhoSeesLists walks the pages of lists as everybody: what may not be
// seen is answered as what is not there.
func TestWhoSeesLists(t *testing.T) {
	w := newWorld(t)
	ada, stranger, guest := w.as(w.cast.Ada), w.as(w.cast.Stranger), w.guest()
	for visibility, who := range map[string]struct{ stranger, guest int }{
		"private": {404, 404}, "unlisted": {200, 404}, "public": {200, 200}, "public-edit": {200, 200},
	} {
		at := ada.newList(visibility)
		ada.get(at).want(t, 200, "Lentil", "Potato &amp; leek", "Add to the list", at+"/edit")
		item := found(t, `id="item-([0-9a-f-]{36})"`, ada.get(at).body)
		stranger.get(at).want(t, who.stranger)
		guest.get(at).want(t, who.guest)
		stranger.get(at+"/item/"+item).want(t, who.stranger)
		guest.get(at+"/item/"+item).want(t, who.guest)
		missing := guest.get("/list/00000000-0000-4000-8000-000000000000")
		if who.guest == 404 {
			hidden := guest.get(at)
			if strings.ReplaceAll(hidden.body, at[6:], "") != strings.ReplaceAll(missing.body, "00000000-0000-4000-8000-000000000000", "") {
				t.Errorf("a %s list is not answered as a missing one", visibility)
			}
		}
		guest.post(at, url.Values{"content": {"x"}}).leads(t, "/login")
		stranger.get(at+"/edit").want(t, map[int]int{200: 403, 404: 404}[who.stranger])
		stranger.post(at+"/delete", url.Values{"sure": {"yes"}}).want(t, map[int]int{200: 403, 404: 404}[who.stranger])
	}
	guest.get("/").want(t, 200, "Soups public").lacks(t, "Soups private", "Soups unlisted", "Yours and shared")
	stranger.get("/").want(t, 200, "Soups public").lacks(t, "Soups private", "Soups unlisted")
	ada.get("/").want(t, 200, "Soups private", "Soups unlisted")
}

func TestOpenList(t *testing.T) {
	w := newWorld(t)
	at := w.as(w.cast.Ada).newList("public-edit")
	w.guest().get(at).want(t, 200, "Bearer the-public-key", w.url+"/api"+strings.Replace(at, "/list/", "/lists/", 1)+"/items", "/login?next="+at)
	b := w.as(w.cast.Stranger)
	b.post(at, url.Values{"content": {"Borscht\r\nred"}, "link": {"ftp://x"}}).want(t, 422, "Borscht\nred</textarea>", `value="ftp://x"`, `id="link-error"`)
	where := b.post(at, url.Values{"content": {"Borscht\r\nred"}, "link": {"https://soups.example/b"}}).leads(t, at+"#item-.*")
	id := found(t, "#item-(.*)", where)
	b.get(at).want(t, 200, "Borscht\nred", `href="https://soups.example/b"`)
	b.get(at+"?item="+id).want(t, 200, "item-"+id)
	itemAt := at + "/item/" + id
	b.get(itemAt).want(t, 200, "Edit this item", "https://soups.example/b")
	w.as(w.cast.Ben).get(itemAt).want(t, 200).lacks(t, "Edit this item")
	w.as(w.cast.Ben).post(itemAt, url.Values{"content": {"mine now"}, "link": {""}}).want(t, 403)
	b.post(itemAt, url.Values{"content": {"  "}, "link": {""}}).want(t, 422, "<details", " open>")
	b.post(itemAt, url.Values{"content": {"Borscht"}, "link": {""}}).leads(t, itemAt+".done=saved")
	b.get(itemAt).want(t, 200).lacks(t, "soups.example")
	b.post(itemAt+"/delete", nil).leads(t, itemAt)
	b.post(itemAt+"/delete", url.Values{"sure": {"yes"}}).leads(t, at+".done=deleted")
	b.get(itemAt).want(t, 404)
}

func TestEditList(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	b.post("/list/new", url.Values{"title": {" "}, "visibility": {"public"}, "items": {"One\nTwo"}}).
		want(t, 422, `id="title-error"`, "One\nTwo</textarea>", `value="public" checked`)
	at := b.newList("private")
	b.get(at+"/edit").want(t, 200, `value="Soups private"`, `value="private" checked`, "Delete this list")
	b.post(at+"/edit", url.Values{"title": {strings.Repeat("ä", 201)}, "description": {"d"}, "visibility": {"public"}}).want(t, 422, `id="title-error"`)
	b.post(at+"/edit", url.Values{"title": {"Bread"}, "description": {"See https://bread.example."}, "visibility": {"public"}}).leads(t, at+".done=saved")
	w.guest().get(at).want(t, 200, "Bread", `<a href="https://bread.example" rel="noopener nofollow ugc">https://bread.example</a>.`)
	b.post(at+"/delete", nil).leads(t, at+"/edit")
	b.post(at+"/delete", url.Values{"sure": {"yes"}}).leads(t, `/\?done=deleted`)
	w.guest().get(at).want(t, 404)
}

func TestLongList(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	at := b.post("/list/new", url.Values{"title": {"Long"}, "visibility": {"public"}, "items": {strings.Repeat("thing\n", 100)}}).leads(t, "/list/.*")
	where := b.post(at, url.Values{"content": {"the last"}}).leads(t, regexp.QuoteMeta(at+"?offset=100#item-")+".*")
	b.get(at).want(t, 200, "?offset=100", "101 items").lacks(t, "the last")
	b.get(where).want(t, 200, "the last", `value="101"`, "Earlier items").lacks(t, ">thing<")
	b.get(at+"?item="+found(t, "#item-(.*)", where)).want(t, 200, "the last")
	for _, odd := range []string{"?offset=-5", "?offset=x", "?offset=99999999999999999999", "?item=x"} {
		b.get(at+odd).want(t, 200, "thing")
	}
}
