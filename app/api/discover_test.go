package api

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hearth/app/admin"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/file"
	"hearth/app/list"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
	"hearth/store/storetest"
)

// published is what the documents for agents and crawlers are made from.
type published struct {
	lists []list.List
	fail  error
}

func (p *published) Lists(_ context.Context, _ store.Viewer, in list.ListsIn) (list.ListsOut, error) {
	return list.ListsOut{Lists: slices.Clone(p.lists[:min(in.Limit, len(p.lists))])}, p.fail
}

func (p *published) Community(context.Context, store.Viewer, core.None) (admin.Community, error) {
	return admin.Community{Name: "Orchard"}, p.fail
}

func (p *published) Contact(context.Context, store.Viewer, core.None) (admin.SecurityContact, error) {
	return admin.SecurityContact{URL: "https://example.org/"}, p.fail
}

// server serves the documents, and the reference.
func (p *published) server(t *testing.T) *toy {
	spec := func(summary string) op.Spec {
		return op.Spec{Summary: summary, Guard: op.Public, Hints: op.ReadOnly}
	}
	m := newMeta("1")
	m.describe(Described(), Site{BaseURL: "https://hearth.example:8443", MCP: "/mcp"})
	lists, settings := list.New(list.Config{}), admin.Described()
	lists.Lists = op.New(nil, p.Lists, spec("List lists"))
	settings.GetCommunity, settings.GetSecurityContact = op.New(nil, p.Community, spec("Get the community")),
		op.New(nil, p.Contact, spec("Get the contact"))
	d := &discovery{lists, settings, m}
	docs := Route{"GET", "/docs", 200, Stream(d.Docs, spec("Read the reference"), Response{Type: "text/html"})}
	return newToy(t, func(c *toyConfig) { c.more = append(d.routes(), docs) })
}

// The documents may be kept for a while and read by other sites; where what they are
// made from cannot be read, they are errors.
func TestHeadersOfDocuments(t *testing.T) {
	for _, fail := range []error{nil, errors.New("lost")} {
		y := (&published{fail: fail}).server(t)
		for _, r := range y.routes[len((&shelf{}).table()):] {
			w := y.do("", "GET", r.Path, "")
			h := w.Header()
			if fail != nil && r.Path != "/robots.txt" {
				if w.Code != 500 || h.Get("ETag") != "" || problemOf(t, w).Code != "internal" {
					t.Errorf("%s that fails: %d %v", r.Path, w.Code, h)
				}
				continue
			}
			page := r.Path == "/docs"
			if w.Code != 200 || h.Get("ETag") == "" || h.Get("Cache-Control") != "public, max-age=300" || !page &&
				(h.Get("Vary") != "Accept" || h.Get("Access-Control-Allow-Origin") != "*") {
				t.Errorf("%s: %d %v", r.Path, w.Code, h)
			}
			if kind := r.stream().doc.Type; !strings.HasPrefix(h.Get("Content-Type"), kind) {
				t.Errorf("%s: the type is %q, not %s", r.Path, h.Get("Content-Type"), kind)
			}
		}
	}
}

// The guide shows the 20 public lists that changed last, with short titles and
// descriptions, and adds to the first that is open.
func TestListsOfTheGuides(t *testing.T) {
	lists := func(n int) (all []list.List) {
		for i := range n {
			all = append(all, list.List{ID: "l" + strconv.Itoa(i) + "-", Title: strings.Repeat("t", 150), Description: strings.Repeat("d", 200),
				Visibility: "public"})
		}
		return all
	}
	const adds = `items" -H "Authorization`
	for n, shown := range map[int]int{0: 0, 20: 20, 21: 20} {
		p := &published{lists: lists(n)}
		guide, summary := p.server(t).do("", "GET", "/AGENTS.md", "").Body.String(), p.server(t).do("", "GET", "/llms.txt", "").Body.String()
		if strings.Count(guide, "/list/l") != shown || strings.Count(summary, "/export?format=md") != shown || strings.Contains(guide, adds) ||
			(n > 0) != strings.Contains(guide, "/api/lists/l0-/items?") {
			t.Errorf("of %d lists:\n%s\n%s", n, guide, summary)
		}
		if strings.Contains(guide+summary, strings.Repeat("t", 101)) || strings.Contains(summary, strings.Repeat("d", 161)) ||
			n > 0 && (!strings.Contains(guide, strings.Repeat("t", 100)) || !strings.Contains(summary, strings.Repeat("d", 160))) {
			t.Errorf("titles or descriptions are not cut:\n%s", summary)
		}
	}
	open := &published{lists: lists(4)}
	open.lists[1].Visibility, open.lists[2].Visibility = list.PublicEdit, list.PublicEdit
	if guide := open.server(t).do("", "GET", "/AGENTS.md", "").Body.String(); strings.Count(guide, adds) != 1 ||
		!strings.Contains(guide, "/api/lists/l1-/"+adds) {
		t.Errorf("it does not add to the first open list:\n%s", guide)
	}
}

// The guide lists the operations on lists, and the registration.
func TestRoutesOfTheGuide(t *testing.T) {
	guide := (&published{}).server(t).do("", "GET", "/AGENTS.md", "").Body.String()
	shown := 0
	for _, r := range Described() {
		noun, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/api/"), "/")
		want := strings.HasPrefix(r.Path, "/api/") && slices.Contains([]string{"list", "lists", "search", "receipts", "register-agent"}, noun)
		row := "| " + r.Method + " | `" + r.Path + "` | " + r.Op.Info().Summary + " |"
		if strings.Contains(guide, row) != want {
			t.Errorf("the guide has %s: %v", row, !want)
		}
		if want {
			shown++
		}
	}
	if shown < 20 {
		t.Errorf("%d operations are shown", shown)
	}
}

// The server is known by its name without a port, which programs write backwards.
func TestNameOfTheServer(t *testing.T) {
	for base, want := range map[string][2]string{
		"https://Lists.Example.org": {"lists.example.org", "org.example.lists"},
		"http://localhost:8080":     {"localhost", "localhost"},
		"http://192.0.2.1:8080":     {"192.0.2.1", "192.0.2.1"},
		"http://[2001:db8::1]:8080": {"2001:db8::1", "2001-db8--1"},
		"":                          {"localhost", "localhost"},
		"https://:8443":             {"localhost", "localhost"},
		":":                         {"localhost", "localhost"},
	} {
		d := &discovery{meta: &meta{site: Site{BaseURL: base}}}
		if got := [2]string{d.cardHost(), reversed(d.cardHost())}; got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}

// The health of the server has the state of its storage.
func TestHealthHasTheStorage(t *testing.T) {
	for quota, want := range map[int64]string{0: `"ok"`, 1: `"full"`} {
		files, err := file.New(file.Config{DB: storetest.OpenEmpty(t).DB, QuotaServer: quota, DiskReserve: -1})
		if err != nil {
			t.Fatal(err)
		}
		stack, err := middleware.New(middleware.Config{})
		if err != nil {
			t.Fatal(err)
		}
		services := domain.Described()
		services.Files = files
		h, err := New(Config{Services: services, Auth: keyring{}, Stack: stack})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/health", nil))
		if !strings.Contains(w.Body.String(), `"storage":`+want) {
			t.Errorf("with a quota of %d: %s", quota, w.Body)
		}
	}
}

// A file that is not the one in If-Match is answered with its own version.
func TestFileIsNotTheOneThatIsMeant(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("If-Match", `"another"`)
	send(w, r, (&file.Store{}).Open(t.Context(), 1, 10), "text/plain", "the tag")
	if e := problemOf(t, w); w.Code != 412 || e.Version != "the tag" || w.Header().Get("ETag") != `"the tag"` {
		t.Errorf("%d %+v %v", w.Code, e, w.Header())
	}
}
