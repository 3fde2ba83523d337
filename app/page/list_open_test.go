package page_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hearth/app/list"
	"hearth/store"
	"hearth/store/storetest"
)

// Somebody without an account adds to an open list, changes and withdraws it; its
// owner approves what is added once they say so. All of it without scripts.
func TestAddWithoutAnAccount(t *testing.T) {
	w := newWorld(t)
	ada, guest := w.as(w.cast.Ada), w.guest()
	at := ada.newList("public-edit")
	guest.get(at).want(t, 200, "Anyone can add to this list, without an account.")
	receipt := guest.post(at, url.Values{"content": {"A bench"}, "reporter": {"Walker"}}).leads(t, "/receipt/rc_.*")
	guest.get(receipt).want(t, 200, "A bench", "Keep the address of this page", "Added.")
	receipt, _, _ = strings.Cut(receipt, "?")
	guest.post(receipt, url.Values{"content": {""}}).want(t, 422)
	guest.post(receipt, url.Values{"content": {"A green bench"}, "link": {"https://bench.example/"}}).leads(t, receipt+".*")
	guest.get(at).want(t, 200, "A green bench", "Anonymous (Walker)")
	guest.post(receipt+"/withdraw", nil).leads(t, receipt)
	guest.post(receipt+"/withdraw", url.Values{"sure": {"yes"}}).leads(t, at+".*")
	guest.get(at).lacks(t, "A green bench")
	guest.get(receipt).want(t, 404)

	ada.post(at+"/edit", url.Values{"title": {"Benches"}, "visibility": {"public-edit"}, "moderated": {"yes"}}).leads(t, at+".*")
	var receipts []string
	for _, content := range []string{"Kept", "Thrown away"} {
		next := guest.post(at, url.Values{"content": {content}, "reporter": {"Walker"}}).leads(t, "/receipt/rc_.*")
		guest.get(next).want(t, 200, "waits for the owner", ">Save</button>")
		next, _, _ = strings.Cut(next, "?")
		receipts = append(receipts, next)
	}
	guest.get(at).lacks(t, "Kept", "/queue")
	guest.get(at+"/queue").leads(t, "/login.*")
	w.as(w.cast.Ben).get(at+"/queue").want(t, 403)
	ada.get(at).want(t, 200, "2 items wait for your approval")
	ada.post(at+"/edit", url.Values{"title": {"Benches"}, "visibility": {"public-edit"}}).leads(t, at+".*")
	ada.get(at).want(t, 200, "2 items wait for your approval") // they do, whether or not others will
	ada.post(at+"/edit", url.Values{"title": {"Benches"}, "visibility": {"public-edit"}, "moderated": {"yes"}}).leads(t, at+".*")
	page := ada.get(at+"/queue").want(t, 200, "Kept", "Thrown away")
	forms := regexp.MustCompile(`/queue/([0-9a-f-]{36})/(approve|reject)"`).FindAllStringSubmatch(page.body, -1)
	read := func(page answer) url.Values {
		return url.Values{"version": {found(t, `/queue/`+forms[0][1]+
			`/approve">(?:<input[^>]*>)?<input type="hidden" name="version" value="([^"]+)"`, page.body)}}
	}
	w.db.Clock.Advance(time.Second)
	guest.post(receipts[0], url.Values{"content": {"Kept, but changed"}}).leads(t, "/receipt/rc_.*")
	page = ada.post(at+"/queue/"+forms[0][1]+"/approve", read(page)).want(t, 422, "was changed while it waited, and was not approved",
		"Kept, but changed")
	guest.get(at).lacks(t, "Kept")
	ada.post(at+"/queue/"+forms[0][1]+"/approve", read(page)).leads(t, at+"/queue.*")
	guest.get(receipts[0]).want(t, 200, "Kept", "Withdraw item").lacks(t, ">Save</button>", "change or")
	guest.post(receipts[0], url.Values{"content": {"Something else"}}).want(t, 403, "cannot be changed")
	guest.get(at).want(t, 200, "Kept").lacks(t, "Something else")
	ada.post(at+"/queue/"+forms[3][1]+"/reject", nil).leads(t, at+"/queue.*")
	ada.get(at+"/queue").want(t, 200, "Nothing waits")
	guest.get(at).want(t, 200, "Kept").lacks(t, "Thrown away")
}

// One address has four forms, by its ending and by what a client accepts. Programs
// get errors as a sentence, or as JSON if that is what they want.
func TestFormsOfAList(t *testing.T) {
	w := newWorld(t)
	ada, guest := w.as(w.cast.Ada), w.guest()
	at, hidden := ada.newList("public-edit"), ada.newList("private")
	ada.post(at, url.Values{"content": {"Bread & <b>butter</b>"}, "link": {"https://bread.example/"}})
	for _, c := range []struct{ ending, accept, kind, text string }{
		{"", "text/html", "text/html; charset=utf-8", "Bread &amp; &lt;b&gt;butter"},
		{"", "text/markdown, text/html;q=0.5", "text/markdown; charset=utf-8", `3. [Bread \& \<b\>butter\</b\>](<https://bread.example/>)`},
		{"", "application/json", "application/json", `"content":"Bread & <b>butter</b>"`},
		{"", "application/atom+xml", "application/atom+xml; charset=utf-8", "<title>Bread &amp; &lt;b&gt;butter&lt;/b&gt;</title>"},
		{".md", "text/html", "text/markdown; charset=utf-8", "Anyone can add to it"},
		{".json", "", "application/json", `"total":3`},
		{".atom", "", "application/atom+xml; charset=utf-8", "<feed"},
		{"/feed.atom", "", "application/atom+xml; charset=utf-8", `href="` + w.url + at + `/feed.atom"`},
		{"/feed.json", "", "application/feed+json", `"content_text":"Bread & <b>butter</b>"`},
	} {
		req, err := http.NewRequest("GET", w.url+at+c.ending, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", c.accept)
		got := guest.do(req).want(t, 200, c.text)
		if kind := got.header.Get("Content-Type"); kind != c.kind {
			t.Errorf("%s with %s: %s", c.ending, c.accept, kind)
		}
		if req, err = http.NewRequest("GET", w.url+hidden+c.ending, nil); err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", c.accept)
		kind, says := "text/plain; charset=utf-8", "Not found. "
		switch {
		case strings.HasPrefix(c.kind, "text/html"):
			kind, says = c.kind, "Page not found"
		case strings.HasSuffix(c.kind, "json"):
			kind, says = "application/json", `"code":"not_found"}`
		}
		if got := guest.do(req).want(t, 404, says); got.header.Get("Content-Type") != kind ||
			!strings.Contains(got.header.Get("Vary"), "Accept") {
			t.Errorf("%s with %s, hidden: %v", c.ending, c.accept, got.header)
		}
		ada.get(hidden+c.ending).want(t, 200)
	}
	guest.get("/sitemap.xml").want(t, 200, w.url+at).lacks(t, hidden)
	ada.post("/settings/profile", url.Values{"name": {"[Ada](https://a.example/)"}, "avatarUrl": {""}, "discoveryMode": {"name"}}).leads(t,
		"/settings.*")
	guest.get(at+".md").want(t, 200, `A list of \[Ada\](https://a.example/) with 3 items`)
}

// Stars, comments and their answers work without scripts.
func TestItemPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, guest := w.as(w.cast.Ada), w.as(w.cast.Ben), w.guest()
	at, other := ada.newList("public"), ada.newList("public")
	for _, l := range []string{at, other} {
		ada.post(l, url.Values{"content": {"Bread"}, "link": {"https://bread.example/a?utm_source=x"}})
	}
	item := regexp.MustCompile(`item-([0-9a-f-]{36})" value="3"`).FindStringSubmatch(ada.get(at).body)[1]
	page := at + "/item/" + item
	guest.get(page).want(t, 200, "Also on 1 other list", "No comments yet").lacks(t, "<form method=\"post\"")
	guest.post(page+"/star", nil).leads(t, "/login")
	ben.post(page+"/star", url.Values{"star": {"yes"}}).leads(t, page)
	ben.get(page).want(t, 200, "1 star", "Remove star")
	ben.post(page+"/star", url.Values{"star": {"no"}}).leads(t, page)
	ben.get(page).want(t, 200, "0 stars")
	ben.post(page+"/comments", url.Values{"content": {" "}}).want(t, 422)
	ben.post(page+"/comments", url.Values{"content": {"Good <b>bread</b>"}}).leads(t, page+".*")
	comment := regexp.MustCompile(`id="comment-([0-9a-f-]{36})"`).FindStringSubmatch(guest.get(page).want(t, 200,
		"Good &lt;b&gt;bread").body)[1]
	ada.get(page+"?answer="+comment).want(t, 200, "Your answer")
	ada.post(page+"/comments", url.Values{"content": {"It is"}, "parent_id": {comment}}).leads(t, page+".*")
	guest.get(page).want(t, 200, "depth-1", "It is", "(2)")
	w.as(w.cast.Cleo).post(page+"/comments/"+comment+"/delete", nil).want(t, 403)
	ben.post(page+"/comments/"+comment+"/delete", nil).leads(t, page+".*")
	guest.get(page).want(t, 200, "This comment was deleted.", "It is").lacks(t, "Good")
	guest.get("/list/search?q=bre").want(t, 200, "<mark>Bread</mark>")
}

// A comment can be answered on whatever part of the comments it is: its form and the
// words of an answer that is refused are on the page, as is what was added.
func TestAnswerLateComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)
	at := ada.newList("public")
	ada.post(at, url.Values{"content": {"Bread"}})
	item := found(t, `item-([0-9a-f-]{36})"`, ada.get(at).body)
	page := at + "/item/" + item
	var last string
	for n := range 103 {
		out, err := w.list.AddComment.Call(t.Context(), storetest.Human(w.cast.Ada),
			list.AddCommentIn{ListID: at[len("/list/"):], ItemID: item, Content: fmt.Sprintf("comment %03d", n)})
		if err != nil {
			t.Fatal(err)
		}
		last = out.Comment.ID
	}
	ben.get(page).want(t, 200, "comment 099").lacks(t, "comment 100")
	link := html.UnescapeString(found(t, `href="([^"#]*answer=`+last+`)`, ben.get(page+"?comments=100").want(t, 200, "comment 102").body))
	ben.get(link).want(t, 200, "Your answer", "comment 102", "Earlier comments").lacks(t, "comment 099")
	long := url.Values{"content": {"So true" + strings.Repeat("!", 2000)}, "parent_id": {last}}
	ben.post(page+"/comments", long).want(t, 422, "So true!", `name="parent_id" value="`+last+`"`, "comment 102")
	ben.post(page+"/comments", with(long, "parent_id", store.NewID())).want(t, 422, "So true!")

	to := ben.post(page+"/comments", url.Values{"content": {"So true"}, "parent_id": {last}}).leads(t, regexp.QuoteMeta(page)+".*")
	ben.get(to).want(t, 200, "So true", "comment 102", "Comment added")
}
