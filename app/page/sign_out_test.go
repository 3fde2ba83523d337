package page_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"hearth/app/page"
)

// Every page that somebody who is signed in sees offers to sign out, whatever it shows,
// and so does that for what does not exist.
func TestEveryPageOffersToSignOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.administrator()
	made, chat := ada.newList("public-edit"), ada.converse("", w.cast.Ben)
	item := found(t, made+`/item/([0-9a-f-]{36})`, ada.get(made).want(t, 200).body)
	thought := ada.post("/thoughts", url.Values{"text": {"Bread"}}).leads(t, "/thoughts.*")
	paths := []string{"/nowhere", made + "?page=9", thought}
	for _, r := range page.Routes() {
		if path, ok := strings.CutPrefix(r.Pattern, "GET "); ok {
			paths = append(paths, strings.NewReplacer("/list/{id}", made, "/chat/{id}", chat, "{item_id}", item, "/people/{id}", "/people/"+
				w.cast.Ben.ID,
				"{part}", "people", "{$}", "", "{", "", "}", "", "...", "").Replace(path))
		}
	}
	shown := 0
	for _, path := range paths {
		a := ada.get(path)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.HasPrefix(a.body, "<!doctype html>") {
			continue // it leads elsewhere, or is a part of a page
		}
		if a.status == 200 {
			shown++
		}
		if !slices.ContainsFunc(page.FormsOf(t, a.body), func(f page.SentForm) bool { return f.Action == "/logout" }) {
			t.Errorf("GET %s (%d) does not offer to sign out", path, a.status)
		}
	}
	if shown < 40 {
		t.Errorf("only %d pages were shown", shown)
	}
	ada.post("/logout", nil).leads(t, `/\?done=out`)
	if body := ada.get("/").want(t, 200).body; strings.Contains(body, `action="/logout"`) {
		t.Error("who is signed out is offered to sign out")
	}
}
