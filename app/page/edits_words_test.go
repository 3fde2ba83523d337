package page_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/page"
	"hearth/store"
	"hearth/store/storetest"
)

// What was written about something that may not be changed any more is shown.
func TestWordsOfFormsThatAreRefused(t *testing.T) {
	w := newWorld(t)
	ada, ben := w.as(w.cast.Ada), w.as(w.cast.Ben)

	at := ada.converse("", w.cast.Ben)
	m := w.send(w.cast.Ada, at, "first")
	form := ada.get(at+"?edit="+m).want(t, 200, `name="version"`)
	if _, err := w.chat.DeleteMessage.Call(t.Context(), storetest.Human(w.cast.Ada), core.ByID{ID: m}); err != nil {
		t.Fatal(err)
	}
	version := found(t, `name="version" value="([^"]*)"`, form.body)
	ada.post(at+"/message/"+m, url.Values{"content": {"my new words"}, "version": {version}}).want(t, 404, "my new words")

	page := ada.newList("private")
	id := page[len("/list/"):]
	role := func(r string) {
		t.Helper()
		if _, err := w.list.PutMember.Call(t.Context(), storetest.Human(w.cast.Ada),
			list.PutMemberIn{ListID: id, UserID: w.cast.Ben.ID, Role: r}); err != nil {
			t.Fatal(err)
		}
	}
	role("editor")
	ben.get(page+"/edit").want(t, 200)
	role("viewer")
	ben.post(page+"/edit", url.Values{"title": {"better words"}, "description": {""}}).want(t, 403, "better words")

	guest := w.guest()
	guest.post("/receipt/rc_none", url.Values{"content": {"words of a guest"}}).want(t, 404, "words of a guest")
	guest.post("/settings/profile", url.Values{"name": {"Ada the First"}}).want(t, 401, "Ada the First")
	guest.post("/settings/webhooks", url.Values{"url": {"https://hooks.example/"}}).want(t, 401, "https://hooks.example/")
	guest.post("/chat/new", url.Values{"to": {w.cast.Ben.ID + " Ben the Baker"}}).want(t, 401, ">Ben the Baker<")
	guest.post("/list/import", url.Values{"data": {"- soup\n- bread"}, "step": {"plan"}}).want(t, 401, "- soup\n- bread")
	guest.post("/settings/card", url.Values{"headline": {"I bake"}}).want(t, 401, "I bake")
	guest.post("/list/"+store.NewID()+"/item/"+store.NewID(), url.Values{"source_note": {"from the market"}}).want(t, 401, "from the market")
}

// again returns the form of a page with an action.
func (a answer) again(t *testing.T, action string) page.SentForm {
	t.Helper()
	for _, f := range page.FormsOf(t, a.body) {
		if f.Action == action {
			return f
		}
	}
	t.Fatalf("the page has no form to %s:\n%s", action, mainPart(a.body))
	return page.SentForm{}
}

// Whatever fails, the page of a form that was sent has what was typed.
func TestWordsOfFormsThatFail(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	at := ada.converse("", w.cast.Ben)
	forms := map[string]url.Values{
		at:          {"id": {store.NewID()}, "content": {"what I <typed>"}},
		"/list/new": {"title": {"what I <typed>"}, "visibility": {"private"}},
		"/thoughts": {"text": {"what I <typed>"}},
	}
	for name, fault := range map[string]func() error{
		"unavailable": func() error { return core.New(core.Unavailable, "busy", "The server is busy.") },
		"internal":    func() error { return errors.New("boom") },
		"gateway":     func() error { return core.New(core.BadGateway, "gateway", "The other server failed.") },
		"panic":       func() error { panic("boom") },
	} {
		for path, form := range forms {
			t.Run(name+path, func(t *testing.T) {
				form.Set("me", w.cast.Ada.ID)
				if form.Has("id") {
					form.Set("id", store.NewID())
				}
				w.fault.Store(fault)
				failed := ada.post(path, form)
				files := ada.send(path, form, map[string]string{"a.txt": "a"})
				w.fault.Store((func() error)(nil))
				if failed.status < 500 || files.status < 500 {
					t.Fatalf("status %d, and %d with a file", failed.status, files.status)
				}
				failed.want(t, failed.status, "what I &lt;typed&gt;")
				files.want(t, files.status, "what I &lt;typed&gt;")
			})
		}
	}
}

// The words are kept even if the server does not come to know whose they are.
func TestWordsOfFormsWithoutDatabase(t *testing.T) {
	w := newWorld(t)
	guest := w.guest()
	guest.c.Jar.SetCookies(must(url.Parse(w.url)), w.as(w.cast.Ada).c.Jar.Cookies(must(url.Parse(w.url))))
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	got := guest.post("/thoughts", url.Values{"text": {"what I typed"}, "me": {w.cast.Ada.ID}})
	got.want(t, 503, "what I typed")
}

// A form that was not read to its end saves nothing.
func TestFormsThatBreakOff(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	long := url.Values{"title": {"what I typed"}, "description": {strings.Repeat("x", 300<<10)}}
	for range 10 { // the fields are sent in any order
		got := ada.send("/list/new", long, nil)
		got.want(t, 422, "could not be read")
	}
}

// must returns v. It panics on an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
