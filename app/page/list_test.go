package page_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hearth/app/list"
	"hearth/app/page"
	"hearth/store"
)

// made returns the page of the list that was created.
func (a answer) made(t *testing.T) string {
	t.Helper()
	return strings.TrimSuffix(a.leads(t, "/list/[0-9a-f-]{36}#content"), "#content")
}

func (b *browser) newList(visibility string) string {
	b.w.t.Helper()
	return b.post("/list/new", url.Values{"title": {"Soups " + visibility}, "visibility": {visibility},
		"items": {"Lentil\r\n\r\n  Potato & leek \r\n"}}).made(b.w.t)
}

// TestListVisibility opens the pages of lists as everybody: what may not be seen
// is answered like what does not exist.
func TestListVisibility(t *testing.T) {
	w := newWorld(t)
	ada, stranger, guest := w.as(w.cast.Ada), w.as(w.cast.Stranger), w.guest()
	for visibility, who := range map[string]struct{ stranger, guest int }{
		"private": {404, 404}, "unlisted": {200, 404}, "public": {200, 200}, "public-edit": {200, 200},
	} {
		at := ada.newList(visibility)
		ada.get(at).want(t, 200, "Lentil", "Potato &amp; leek", "Add an item", at+"/edit")
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
		if visibility == "public-edit" {
			guest.get(guest.post(at, url.Values{"content": {"x"}, "reporter": {" "}}).leads(t, "/receipt/rc_.*")).want(t, 200, "x")
			guest.get(at).want(t, 200, "<bdi>Anonymous</bdi>").lacks(t, "Anonymous (")
			guest.post(at, url.Values{"content": {"x"}, "reporter": {"A walker"}}).leads(t, "/receipt/rc_.*")
		} else {
			guest.post(at, url.Values{"content": {"x"}, "reporter": {"A walker"}}).want(t, 401, "You are not signed in")
		}
		stranger.get(at+"/edit").want(t, map[int]int{200: 403, 404: 404}[who.stranger])
		stranger.post(at+"/delete", url.Values{"sure": {"yes"}}).want(t, map[int]int{200: 403, 404: 404}[who.stranger])
	}
	guest.get("/").want(t, 200, "Soups public").lacks(t, "Soups private", "Soups unlisted", "My lists")
	stranger.get("/").want(t, 200, "Soups public", "Soups unlisted").lacks(t, "Soups private")
	index := ada.get("/").want(t, 200, "Soups private", "Soups unlisted")
	for visibility, want := range map[string]int{"private": 1, "unlisted": 2, "public": 2, "public-edit": 2} {
		if title := "Soups " + visibility + "<"; strings.Count(index.body, title) != want {
			t.Errorf("%s is on its owner's index %d times, want %d", title, strings.Count(index.body, title), want)
		}
	}
}

func TestOpenList(t *testing.T) {
	w := newWorld(t)
	at := w.as(w.cast.Ada).newList("public-edit")
	w.guest().get(at).want(t, 200, "Bearer the-public-key", w.url+"/api"+strings.Replace(at, "/list/", "/lists/", 1)+"/items", "/login?next="+
		at)
	b := w.as(w.cast.Stranger)
	b.post(at, url.Values{"content": {"Borscht\r\nred"}, "link": {"ftp://x"}}).want(t, 422, "Borscht\nred</textarea>", `value="ftp://x"`,
		`id="link-error"`)
	where := b.post(at, url.Values{"content": {"Borscht\r\nred"}, "link": {"https://soups.example/b"}}).leads(t, at+"#item-.*")
	id := found(t, "#item-(.*)", where)
	b.get(at).want(t, 200, "Borscht\nred", `href="https://soups.example/b"`)
	b.get(at+"?item="+id).want(t, 200, "item-"+id)
	itemAt := at + "/item/" + id
	b.get(itemAt).want(t, 200, "Edit item", "https://soups.example/b")
	w.as(w.cast.Ben).get(itemAt).want(t, 200).lacks(t, "Edit item")
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
		want(t, 422, `id="title-error"`, "Title is missing: 1 to 200 characters.", "One\nTwo</textarea>", `value="public" checked`)
	b.post("/list/new", url.Values{"title": {"Long"}, "visibility": {"public"}, "items": {"One\n\n" + strings.Repeat("x", 2001)}}).
		want(t, 422, `id="items-error"`, "Item 2 must be text of 1 to 2000 characters; this one has 2001.")
	at := b.newList("private")
	b.get(at+"/edit").want(t, 200, `value="Soups private"`, `value="private" checked`, "Delete list")
	b.post(at+"/edit", url.Values{"title": {strings.Repeat("ä", 201)}, "description": {"d"}, "visibility": {"public"}}).want(t, 422,
		`id="title-error"`, "Title must be text of 1 to 200 characters; this one has 201.")
	b.post(at+"/edit", url.Values{"title": {"Bread"}, "description": {"See https://bread.example."}, "visibility": {"public"}}).leads(t, at+
		".done=saved")
	w.guest().get(at).want(t, 200, "Bread", `<a href="https://bread.example" rel="noopener nofollow ugc">https://bread.example</a>.`)
	b.post(at+"/delete", nil).leads(t, at+"/edit")
	b.post(at+"/delete", url.Values{"sure": {"yes"}}).leads(t, `/\?done=deleted`)
	w.guest().get(at).want(t, 404)
}

// TestShareList: the owner lets people view or edit a list. They see who else
// can, and may leave; for everybody else the page does not exist.
func TestShareList(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.newList("private")
	ada.get(at).want(t, 200, at+"/people")
	ada.get(at+"/people?q=be").want(t, 200, "Add people", `name="userId" value="`+w.cast.Ben.ID, "Can view: Ben")
	ben.get(at+"/people").want(t, 404)
	share := func(role string) {
		ada.post(at+"/people", url.Values{"userId": {w.cast.Ben.ID}, "role": {role}}).leads(t, at+"/people.done=shared")
	}
	share("viewer")
	ada.get(at+"/people?q=be").want(t, 200, "Make editor: Ben", "No other people found").lacks(t, "Can view: Ben")
	ben.get(at).want(t, 200, at+"/people").lacks(t, at+"/edit", "Move up")
	ben.get(at+"/people").want(t, 200, "Leave list", "viewer").lacks(t, "Add people", "Make editor")
	ben.post(at+"/people", url.Values{"userId": {w.cast.Ben.ID}, "role": {"editor"}}).want(t, 403)
	share("editor")
	ben.get(at).want(t, 200, at+"/edit", "Move up")
	ada.post(at+"/people", url.Values{"userId": {"00000000-0000-4000-8000-000000000000"}, "role": {"viewer"}}).want(t, 422,
		"Search for them again")
	ada.post(at+"/people", url.Values{"userId": {w.cast.Ada.ID}, "role": {"viewer"}}).want(t, 422, "You own this list")

	ben.post(at+"/leave", nil).leads(t, at+"/people")
	ben.get(at).want(t, 200)
	ben.post(at+"/leave", url.Values{"sure": {"yes"}}).leads(t, `/\?done=unlist`)
	ben.get(at).want(t, 404)
	share("viewer")
	w.as(w.cast.Stranger).post(at+"/people/"+w.cast.Ben.ID+"/remove", nil).want(t, 404)
	ada.post(at+"/people/"+w.cast.Ben.ID+"/remove", nil).leads(t, at+"/people.done=removed")
	ben.get(at).want(t, 404)
	w.guest().get(at+"/people").leads(t, "/login.*")
}

func TestMoveItem(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	at := b.post("/list/new", url.Values{"title": {"Order"}, "visibility": {"public-edit"}, "items": {"one\ntwo\nthree"}}).made(t)
	order := func(want string) {
		t.Helper()
		var got []string
		for _, m := range regexp.MustCompile(`dir="auto" itemprop="name">(one|two|three)</p>`).FindAllStringSubmatch(b.get(at).body, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("the order is %v, want %s", got, want)
		}
	}
	id := found(t, `(?s)id="item-([0-9a-f-]{36})" value="2"`, b.get(at).body)
	move := at + "/item/" + id + "/move"
	b.post(move, url.Values{"to": {"up"}}).leads(t, at+"#item-"+id)
	order("two one three")
	b.post(move, url.Values{"to": {"up"}}).leads(t, at+"#item-"+id)
	order("two one three")
	b.post(move, url.Values{"to": {"down"}})
	b.post(move, url.Values{"to": {"down"}})
	b.post(move, url.Values{"to": {"down"}})
	order("one three two")
	b.get(at+"/item/"+id).want(t, 200, "Move item", `name="position" type="text" value="3"`)
	b.post(move, url.Values{"position": {" 1 "}}).leads(t, at+"/item/"+id+".done=moved")
	order("two one three")
	for _, odd := range []string{"0", "4", "x", "", "99999999999999999999"} {
		b.post(move, url.Values{"position": {odd}}).want(t, 422, "Position must be a whole number from 1 to 3.", `id="position-error"`)
	}
	w.as(w.cast.Stranger).get(at).want(t, 200).lacks(t, "Move up")
	w.as(w.cast.Stranger).post(move, url.Values{"to": {"down"}}).want(t, 403)
	order("two one three")
}

func TestItemNote(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	at := b.newList("public-edit")
	itemAt := at + "/item/" + found(t, `id="item-([0-9a-f-]{36})"`, b.get(at).body)
	words := url.Values{"content": {"Lentil"}, "link": {""}, "source_note": {strings.Repeat("n", 201)}}
	b.post(itemAt, words).want(t, 422, "Note must be text of at most 200 characters; this one has 201.", words.Get("source_note"))
	words.Set("source_note", "Grandmother's")
	b.post(itemAt, words).leads(t, itemAt+".done=saved")
	b.get(itemAt).want(t, 200, "<dt>Note</dt>", "Grandmother&#39;s")
	out, err := w.list.AddItem.Call(t.Context(), store.Viewer{Kind: store.PublicKey, IP: "192.0.2.1"},
		list.AddItemIn{ListID: at[6:], NewItem: list.NewItem{Content: "Miso"}, Reporter: "scout"})
	if err != nil {
		t.Fatal(err)
	}
	itemAt = at + "/item/" + out.Item.ID
	b.get(itemAt).want(t, 200, "<dt>Reported by</dt>", "Edit item").lacks(t, `name="source_note"`)
	b.post(itemAt, url.Values{"content": {"Miso!"}, "link": {""}}).leads(t, itemAt+".done=saved")
}

func TestLongList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.as(w.cast.Ada)
	at := b.post("/list/new", url.Values{"title": {"Long"}, "visibility": {"public"}, "items": {strings.Repeat("thing\n", 100)}}).made(t)
	where := b.post(at, url.Values{"content": {"the last"}}).leads(t, regexp.QuoteMeta(at+"?offset=100#item-")+".*")
	b.get(at).want(t, 200, "?offset=100", "101 items").lacks(t, "the last")
	b.get(where).want(t, 200, "the last", `value="101"`, "Earlier items").lacks(t, ">thing<")
	b.get(at+"?item="+found(t, "#item-(.*)", where)).want(t, 200, "the last")
	for _, odd := range []string{"?offset=-5", "?offset=x", "?offset=99999999999999999999", "?item=x"} {
		b.get(at+odd).want(t, 200, "thing")
	}
}

// Items of a list that says so are checked off with a button, by those who may
// change them; others see which are done.
func TestCheckOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), w.guest()
	at := ada.newList("public-edit")
	ada.get(at).want(t, 200).lacks(t, "check-off", "0 of 2 done</span>\n<span")
	set := func(fields ...string) {
		ada.post(at+"/edit", url.Values{"title": {"Soups"}, "description": {""}, "checkable": fields}).leads(t, at+".done=saved")
	}
	first := found(t, `id="item-([0-9a-f-]{36})"`, ada.get(at).body)
	check := at + "/item/" + first + "/check"
	ada.post(check, url.Values{"checked": {"yes"}}).want(t, 422, "Make it checkable first")
	set("no", "yes")
	ada.get(at+"/edit").want(t, 200, `name="checkable" value="yes" checked`)
	ada.get(at).want(t, 200, `aria-pressed="false" aria-label="Done: Lentil"`, ">0 of 2 done<")
	ada.post(check, url.Values{"checked": {"yes"}, "from": {"list"}}).leads(t, at+"#item-"+first)
	ada.get(at).want(t, 200, `class="item done" id="item-`+first, `aria-pressed="true" aria-label="Done: Lentil"`, ">1 of 2 done<")
	for _, other := range []*browser{ben, guest} {
		other.get(at).want(t, 200, `aria-label="Done"></span>`, `aria-label="Not done"></span>`, ">1 of 2 done<").lacks(t, "aria-pressed")
		other.get(at+"/item/"+first).want(t, 200, "<dt>Done</dt>").lacks(t, "Mark as not done")
	}
	ben.post(check, url.Values{"checked": {"no"}}).want(t, 403)
	guest.post(check, url.Values{"checked": {"no"}}).leads(t, "/login.*")
	own := found(t, "#item-(.*)", ben.post(at, url.Values{"content": {"Mine"}}).leads(t, at+"#item-.*"))
	ben.get(at).want(t, 200, `aria-label="Done: Mine"`).lacks(t, `aria-label="Done: Lentil"`)
	ben.post(at+"/item/"+own+"/check", url.Values{"checked": {"yes"}}).leads(t, at+"/item/"+own)
	ben.get(at+"/item/"+own).want(t, 200, "Mark as not done", "by <a class=\"profile\" href=\"/people/"+w.cast.Ben.ID)
	set("no")
	ada.get(at).want(t, 200).lacks(t, "check-off", `class="item done"`)
	set("no", "yes")
	ada.get(at).want(t, 200, ">2 of 3 done<")
	ada.post(check, url.Values{"checked": {"no"}}).leads(t, at+"/item/"+first)
	ada.get(at).want(t, 200, ">1 of 3 done<")
	again := ada.post("/list/new", url.Values{"title": {"Bring"}, "visibility": {"private"}, "checkable": {"no", "yes"},
		"items": {"Bread"}}).made(t)
	ada.get(again).want(t, 200, ">0 of 1 done<", "check-off")
}

// Public lists, cards and the index tell other servers what they are. No other list does,
// also not to its owner.
func TestDescriptionsOfPages(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	for _, visibility := range []string{"private", "unlisted", "public", "public-edit"} {
		at := ada.newList(visibility)
		for _, b := range []*browser{ada, w.guest()} {
			for _, path := range []string{at, at + "/soups-" + visibility} {
				if strings.HasPrefix(visibility, "public") {
					b.get(path).want(t, 200, `<link rel="canonical" href="`+w.url+at+"/soups-"+visibility+`">`, `<meta name="description" content="On `,
						`<meta property="og:title" content="Soups `+visibility+`">`, `<meta name="twitter:title" content="Soups `,
						`<meta property="og:image" content="`+w.url+"/")
				} else if page := b.get(path); page.status == 200 || b != ada {
					page.lacks(t, "og:", "twitter:", `rel="canonical"`, `name="description"`)
				} else {
					t.Errorf("%s: %d", path, page.status)
				}
			}
		}
		ada.get(at+"/former-title").leads(t, at+"/soups-"+visibility)
		missing := "/list/00000000-0000-4000-8000-000000000000/soups-" + visibility
		if hidden := w.guest().get(at + "/soups-" + visibility); hidden.status == 404 &&
			strings.ReplaceAll(hidden.body, at[6:], "") != strings.ReplaceAll(w.guest().get(missing).body, missing[6:42], "") {
			t.Errorf("a %s list is not answered as a missing one", visibility)
		}
	}
	w.guest().get("/").want(t, 200, `<meta property="og:url" content="`+w.url+`/">`)
}

// No title has the path of another page of its list as its slug.
func TestSlugsAreNoPaths(t *testing.T) {
	pages := 0
	for _, r := range page.Routes() {
		_, path, _ := strings.Cut(r.Pattern, " ")
		if name, ok := strings.CutPrefix(path, "/list/{id}/"); ok && regexp.MustCompile("^[a-z]+$").MatchString(name) {
			if pages++; list.Slug(name) == name {
				t.Errorf("a list %q has the page of %q", name, path)
			}
		}
	}
	if pages < 5 {
		t.Errorf("there are %d pages", pages)
	}
	if got := list.Slug("Edit!"); got != "edit-list" {
		t.Errorf("got %q", got)
	}
}
