package page_test

import (
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearth/app/live"
	"hearth/app/page"
	"hearth/store"
	"hearth/store/storetest"
	"hearth/web"
)

// TestGuards: a page that needs a signed-in person sends a guest to the sign-in
// page, and from there back to a page that was asked for.
func TestGuards(t *testing.T) {
	w := newWorld(t)
	param := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, r := range page.Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		path = param.ReplaceAllLiteralString(path, store.NewID())
		switch {
		case !r.Person:
		case method == "GET":
			w.guest().get(path).leads(t, regexp.QuoteMeta("/login?next="+url.QueryEscape(path)))
		default:
			w.guest().post(path, url.Values{"sure": {"yes"}}).leads(t, "/login")
		}
	}
}

// A page that answers a form says where it is read again, and that there is such a page.
func TestPagesOfForms(t *testing.T) {
	param := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, r := range page.Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if method != "POST" || r.Template == "" || r.Template == "preview" || r.Template == "audience" {
			continue
		}
		address := page.Addresses()[r.Template]
		if address == "" {
			t.Errorf("%s shows %s, for which there is no page", r.Pattern, r.Template)
		}
		for _, name := range param.FindAllString(address, -1) {
			if !strings.Contains(path, name) {
				t.Errorf("%s shows the page of %s, and does not say which", r.Pattern, address)
			}
		}
	}
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	group := ada.converse("Garden", w.cast.Ben)
	ada.post(group+"/invite", nil).want(t, 200, `data-page="`+group+`/people"`)
	ada.post(group+"/message/"+w.send(w.cast.Ada, group, "hi"), nil).want(t, 422, `data-page="`+group+`"`)
	ada.post("/matches/"+store.NewID(), url.Values{"decision": {"later"}}).want(t, 422, `data-page="/asks"`)
	ada.get("/asks").want(t, 200).lacks(t, "data-page")
}

// The error of a form without a page has a page of its own.
func TestErrorOfAFormWithoutAPage(t *testing.T) {
	w := newWorld(t)
	ada := w.as(w.cast.Ada)
	group := ada.converse("Garden", w.cast.Ben)
	ada.post(group+"/read", url.Values{"upTo": {"yesterday"}}).want(t, 422, "That didn’t work", "upTo")
}

// TestTemplatesAreInTheTable finds templates that no page uses.
func TestTemplatesAreInTheTable(t *testing.T) {
	files, err := fs.Glob(web.Templates(), "*.html")
	if err != nil {
		t.Fatal(err)
	}
	used := page.Templates()
	for _, f := range files {
		name := strings.TrimSuffix(f, ".html")
		if name != "base" && name != "parts" && !strings.HasSuffix(name, "_parts") && !slices.Contains(used, name) {
			t.Errorf("no page of the table uses %s", f)
		}
	}
}

// TestPagesHavePositions: the stream of every page begins where the event log ended when
// the page was read.
func TestPagesHavePositions(t *testing.T) {
	t.Parallel()
	hub := live.New(live.Config{DB: storetest.Open(t).DB, Key: []byte("key")})
	t.Cleanup(hub.Close)
	w := newWorld(t, func(c *page.Config) { c.Live = hub })
	ada := w.as(w.cast.Ada)
	chat, list := ada.converse("", w.cast.Ben), ada.newList("private")
	for _, path := range []string{"/", "/list/new", list, list + "/edit", list + "/people", "/chat", "/chat/new", chat, chat + "/people",
		"/settings", "/settings/sessions", "/settings/api-keys", "/settings/webhooks",
		"/asks", "/asks/new", "/drafts", "/stories", "/stories/new", "/inbox", "/settings/matching"} {
		ada.get(path).want(t, 200, `data-position="`).lacks(t, `data-position=""`)
	}
	// Forms with an error show the page again.
	for path, form := range map[string]url.Values{
		"/list/new": {"title": {""}}, list + "/edit": {"title": {""}}, list: {"content": {""}}, "/chat/new": {}, chat: {},
		"/asks/preview": {}, "/asks/new": {"step": {"publish"}}, "/stories/preview": {}, "/stories/new": {"step": {"publish"}},
		"/settings/profile": {"name": {""}}, "/settings/api-keys": {}, "/login": {}, "/claim": {"step": {"change"}},
	} {
		ada.post(path, form).lacks(t, "Something went wrong")
	}
	ada.get("/list/"+store.NewID()).want(t, 404)
}
