package page_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/page"
	"hearth/store"
)

// formAt returns what a browser sends of the form with an action that edits what
// is stored.
func (b *browser) formAt(path, action string) url.Values {
	b.w.t.Helper()
	a := b.get(path)
	return editForm(b.w.t, a.want(b.w.t, 200).body, action)
}

func editForm(t *testing.T, body, action string) url.Values {
	t.Helper()
	for _, f := range page.FormsOf(t, body) {
		if a, _, _ := strings.Cut(f.Action, "?"); a == action && f.Values.Has("version") {
			return f.Values
		}
	}
	t.Fatalf("no form with a version is sent to %s:\n%s", action, mainPart(body))
	return nil
}

// editCase is a form that edits what is stored, with other values of its fields.
type editCase struct {
	by     *browser
	page   string
	action string
	done   int
	fields map[string][][]string
}

func texts(values ...string) (out [][]string) {
	for _, v := range values {
		out = append(out, []string{v})
	}
	return out
}

var box = [][]string{nil, {"yes"}}

// editCases returns every form that edits what is stored.
func (w *world) editCases() []editCase {
	t, ada, boss, guest := w.t, w.as(w.cast.Ada), w.administrator(), w.guest()
	made := ada.newList("private")
	ada.post(made, url.Values{"content": {"Bread"}, "link": {"https://a.example/"}})
	item := page.Match(t, ada.get(made).body, `/list/[^/"]+/item/[0-9a-f-]+`)
	open := ada.newList("public-edit")
	receipt, _, _ := strings.Cut(guest.post(open, url.Values{"content": {"Salt"}, "reporter": {"Gus"}}).to, "?")
	ada.post("/settings/api-keys", url.Values{"name": {"Helper"}, "scopes": {"read", "write"}, "days": {"90"}, "as": {"new"},
		"bot.name": {"Robo"}})
	keys := ada.get("/settings/api-keys").body
	ada.post("/settings/secretary/answers", url.Values{"question": {"When?"}, "answer": {"At six."}})
	ada.post("/settings/webhooks", url.Values{"url": {"https://a.example/hook"}})
	hook := page.Match(t, ada.get("/settings/webhooks").body, `/settings/webhooks/[0-9a-f-]+`)
	ada.post("/thoughts", url.Values{"text": {"Bread is good"}})
	thought := page.Match(t, ada.get("/thoughts").body, `/thoughts/[0-9a-f-]+`)
	ada.post("/asks/new", url.Values{"step": {"draft"}, "kind": {"ask"}, "terms": {"a tent"}, "id": {store.NewID()}})
	draft := page.Match(t, ada.get("/drafts").body, `/drafts/[0-9a-f-]{36}`)
	group := ada.converse("Bakers", w.cast.Ben, w.cast.Cleo)
	message := w.send(w.cast.Ada, group, "Hello")
	council := boss.converse("Council", w.cast.Ben, w.cast.Cleo)
	boss.post(council+"/open", url.Values{"open": {"yes"}})
	link := texts("https://b.example/", "https://c.example/", "")
	settings := map[string][][]string{"communityName": texts("Bakery", "Mill", "Oven"), "welcome": texts("Hello", "Good morning", ""),
		"signup": texts("open", "invite"),
		"accent": texts("#a3122e", "#3f6212", ""), "dateLanguage": texts("de", "fr", "auto"), "memberInvites": box,
		"securityContact": texts("a@a.example", "b@a.example", "")}
	setup := maps.Clone(settings)
	maps.DeleteFunc(setup, func(name string, _ [][]string) bool { return name != "signup" && name != "welcome" })
	return []editCase{
		{ada, made + "/edit", made + "/edit", 303, map[string][][]string{"title": texts("One", "Two", "Three"),
			"description": texts("first", "second", ""),
			"visibility":  texts("private", "unlisted", "public", "public-edit"), "moderated": box, "checkable": {{"no"}, {"no", "yes"}}}},
		{ada, item, item, 303, map[string][][]string{"content": texts("Rye", "Spelt", "Oats"), "link": link,
			"source_note": texts("here", "there", "")}},
		{guest, receipt, receipt, 303, map[string][][]string{"content": texts("Rye", "Spelt", "Oats"), "link": link}},
		{ada, "/settings", "/settings/profile", 303, map[string][][]string{"name": texts("Ada", "Ada B", "Ada C"),
			"avatarUrl":     texts("https://b.example/a.png", "https://b.example/b.png", ""),
			"discoveryMode": texts("name", "email_only", "hidden"), "groupAdds": texts("everybody", "friends", "nobody")}},
		{ada, "/settings", "/settings/status", 303, map[string][][]string{"text": texts("Baking", "Away", ""),
			"emoji": texts("🍞", "🥖", "")}},
		{ada, "/settings", "/settings/presence", 303, map[string][][]string{"presenceStatus": texts("available", "away", "busy")}},
		{ada, "/settings/card", "/settings/card", 303, map[string][][]string{"headline": texts("Bread", "Boats", ""), "enabled": box}},
		{ada, "/settings/api-keys", page.Match(t, keys, `/settings/api-keys/[0-9a-f-]{20,}`), 303,
			map[string][][]string{"name": texts("A", "B", "C"), "scopes": {{"read"}, {"write"}, {"read", "write"}}}},
		{ada, "/settings/api-keys", page.Match(t, keys, `/settings/bots/[0-9a-f-]+`), 303,
			map[string][][]string{"name": texts("A", "B", "C"), "avatarUrl": link}},
		{ada, "/settings/secretary", page.Match(t, ada.get("/settings/secretary").body, `/settings/secretary/answers/[0-9a-f-]{20,}`), 303,
			map[string][][]string{"question": texts("Where?", "Who?", "Why?"), "answer": texts("Here.", "There.", "Nowhere.")}},
		{ada, hook, hook, 303, map[string][][]string{"url": texts("https://b.example/", "https://c.example/", "https://d.example/")}},
		{ada, thought, thought, 303, map[string][][]string{"text": texts("Rye", "Spelt", "Oats"), "kind": texts("fact", "decision", "reminder"),
			"status": texts("none", "open", "closed"), "tags": texts("one", "one two", "")}},
		{ada, draft, draft, 303, map[string][][]string{"goal": texts("a tent", "a hut", "a fair"),
			"seeks": texts("a tent\na hut", "a tent", "a hut"), "brings": texts("cake", "rye", ""),
			"matchingMode": texts("fulfillment", "reciprocal", "shared_goal"), "openToCollaborators": box,
			"details": texts("in June", "in May", "")}},
		{ada, group + "/people", group + "/title", 303, map[string][][]string{"title": texts("One", "Two", "Three")}},
		{ada, group + "/people", group + "/open", 303, map[string][][]string{"open": box}},
		{boss, council + "/people", council + "/open", 303, map[string][][]string{"everybody": box}},
		{ada, group + "?edit=" + message, group + "/message/" + message, 303, map[string][][]string{"content": texts("One", "Two", "Three")}},
		{ada, "/settings/matching", "/settings/matching", 303, map[string][][]string{"mode": texts("simple", "enhanced")}},
		{boss, "/admin/settings", "/admin/settings", 303, settings},
		{boss, "/setup", "/setup", 200, setup},
	}
}

// other returns a value of a field that none of the others is.
func other(values [][]string, others ...[]string) ([]string, bool) {
	for _, v := range values {
		if !slices.ContainsFunc(others, func(o []string) bool { return fmt.Sprint(o) == fmt.Sprint(v) }) {
			return v, true
		}
	}
	return nil, false
}

func changed(form url.Values, name string, to []string) url.Values {
	form = maps.Clone(form)
	form[name] = to
	return form
}

// A form that was open while others changed what it edits saves nothing at first. It shows what the person typed,
// and what is stored now. When it is sent again, it replaces that.
func TestFormsThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range w.editCases() {
		send := func(form url.Values) answer {
			w.db.Clock.Advance(2 * time.Minute) // for the limits
			return c.by.post(c.action, form)
		}
		names := slices.Sorted(maps.Keys(c.fields))
		for i, theirs := range names {
			mine := names[(i+1)%len(names)]
			t.Run(c.action+" "+theirs, func(t *testing.T) {
				stale := c.by.formAt(c.page, c.action)
				said, _ := other(c.fields[theirs], stale[theirs])
				send(changed(stale, theirs, said)).want(t, c.done)
				send(changed(stale, theirs, said)).want(t, c.done) // the same twice
				typed, ok := other(c.fields[mine], stale[mine], said)
				if !ok {
					return // who changes one of two values changes it to the other
				}
				a := send(changed(stale, mine, typed)).want(t, 422, "Now it is", "this was changed meanwhile")
				if n := strings.Count(a.body, "Now it is"); n < 2 && mine != theirs {
					t.Errorf("one of %s and %s does not say what it is now", mine, theirs)
				}
				again := editForm(t, a.body, c.action)
				if now := c.by.formAt(c.page, c.action); fmt.Sprint(again[mine]) != fmt.Sprint(typed) || fmt.Sprint(now[theirs]) != fmt.Sprint(said) {
					t.Errorf("%s is %q in the form, want %q; %s is %q, want %q", mine, again[mine], typed, theirs, now[theirs], said)
				}
				send(again).want(t, c.done)
				if now := c.by.formAt(c.page, c.action); fmt.Sprint(now[mine]) != fmt.Sprint(typed) {
					t.Errorf("%s is %q, want %q", mine, now[mine], typed)
				}
			})
		}
	}
}

// Of two forms of a list that are sent at once, the second sees what the first saved.
func TestEditsAtOnce(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	path := ada.newList("private") + "/edit"
	for n := range 10 {
		form := ada.get(path).again(t, path).Values
		var wg sync.WaitGroup
		var got [2]answer
		for i := range got {
			form := maps.Clone(form)
			form.Set("title", fmt.Sprintf("words %d of %d", n, i))
			wg.Go(func() { got[i] = ada.post(path, form) })
		}
		wg.Wait()
		if got[0].status == got[1].status {
			t.Fatalf("both were answered with %d", got[0].status)
		}
	}
}
