package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// conditional requests a path with the ETag that a response had.
func (w *world) conditional(who, path, tag string) response {
	return w.do(who, "GET", w.fillIDs(path), http.Header{"If-None-Match": {tag}}, "")
}

// tagWatch requests the same paths again and again.
type tagWatch struct {
	*world
	callers, paths []string
	last           map[string]seenTag // by caller and path
}

type seenTag struct{ tag, body string }

// check requests each path with the ETag from before act and without one: a
// response has another ETag exactly if it has other bytes, and 304 is answered
// only for the bytes that the client has.
func (w *tagWatch) check(t *testing.T, act string) {
	t.Helper()
	for _, who := range w.callers {
		for _, path := range w.paths {
			key := who + " " + path
			old := w.last[key]
			res := w.conditional(who, path, old.tag)
			full := w.json(who, "GET", w.fillIDs(path), "")
			now := seenTag{full.header.Get("ETag"), string(full.body)}
			if len(now.tag) < 10 || strings.HasPrefix(now.tag, "W/") {
				t.Fatalf("%s: the ETag is %q", key, now.tag)
			}
			if same := now.body == old.body; same != (now.tag == old.tag) || same != (res.status == http.StatusNotModified) || !same &&
				string(res.body) != now.body {
				t.Errorf("after %s, %s: status %d, same bytes: %v, ETags %s and %s", act, key, res.status, same, old.tag, now.tag)
			}
			if res.status == http.StatusNotModified && (len(res.body) > 0 || res.header.Get("ETag") != now.tag) {
				t.Errorf("%s: 304 with %q", key, res.body)
			}
			if want := map[bool]string{true: "no-store", false: "no-cache"}[who == "ben"]; full.header.Get("Cache-Control") != want ||
				full.header.Get("Vary") == "" {
				t.Errorf("%s: %v", key, full.header)
			}
			w.last[key] = now
		}
	}
}

// changing returns a world with an open list and a second list, and acts that
// change them.
func changing(t *testing.T) (w *world, acts []string) {
	w = newWorld(t)
	w.ids["$id:l"] = idIn(t, w.want("ada", "POST", "/api/lists",
		`{"title":"L","visibility":"public-edit","items":[{"content":"one","link":"https://a.example/"}]}`, 201, "").body)
	w.ids["$id:i"] = w.firstItem("$id:l")
	w.ids["$id:other"] = idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Other","visibility":"public"}`, 201, "").body)
	const l, i = "/api/lists/$id:l", "/api/lists/$id:l/items/$id:i"
	return w, []string{
		`ada PATCH /api/lists/$id:l {"title":"New"}`, `ada PATCH ` + i + ` {"content":"uno"}`, `ben POST ` + l + `/items {"content":"two"}`,
		`public POST ` + l + `/items {"content":"three","reporter":"r"}`, `ada PATCH ` + i + ` {"position":1}`, `ben PUT ` + i + `/star `,
		`ben DELETE ` + i + `/star `,
		`cleo POST ` + i + `/comments {"content":"c"}`, `ada PATCH /api/auth/me {"name":"Ada Lovelace"}`,
		`cleo PATCH /api/auth/me {"name":"Cleo"}`,
		`ada PATCH /api/lists/$id:other {"description":"d"}`,
		`ada POST /api/lists/$id:other/items {"content":"the same","link":"https://a.example/"}`,
		`ada PATCH /api/lists/$id:other {"title":"Another"}`, `ada PUT ` + l + `/members/$id:ben {"role":"editor"}`, `ada PATCH ` + l +
			` {"visibility":"private"} && ada PUT ` + l + `/owner {"user_id":"$id:ben"} && ben PATCH ` + l + ` {"visibility":"public-edit"}`,
		`ben PATCH ` + l + ` {"moderated":true}`, `ben PATCH ` + l + ` {"checkable":true}`, `ben PATCH ` + i + ` {"checked":true}`,
		`ben PATCH /api/auth/me {"name":"Benedict"}`,
		`ada PATCH ` + i + ` {"checked":false}`, `ada PATCH ` + i + ` {"checked":true}`, `ada PATCH ` + l + ` {"checkable":false}`,
		`ada PATCH /api/lists/$id:other {"title":"Other"}`, `ada PATCH /api/lists/$id:other {"visibility":"private"}`,
	}
}

// run checks before and after each act.
func (w *tagWatch) run(t *testing.T, acts []string) {
	t.Helper()
	w.last = map[string]seenTag{}
	w.check(t, "nothing")
	w.check(t, "nothing again")
	for _, act := range acts {
		for one := range strings.SplitSeq(act, " && ") {
			f := strings.SplitN(one, " ", 4)
			if res := w.json(f[0], f[1], w.fillIDs(f[2]), w.fillIDs(f[3])); res.status > 299 {
				t.Fatalf("%s: %d %s", one, res.status, res.body)
			}
		}
		w.check(t, act)
	}
}

// A public response is unchanged until something in it changes, and then it is
// not.
func TestETags(t *testing.T) {
	w, acts := changing(t)
	const l, i = "/api/lists/$id:l", "/api/lists/$id:l/items/$id:i"
	seen := &tagWatch{world: w, callers: []string{"anonymous", "public", "ben"},
		paths: []string{"/api/lists?public=true", l, l + "/items", l + "/items?limit=1&offset=1", i, i + "/comments"}}
	seen.run(t, acts)
	w.ids["$id:second"] = idIn(t, w.want("ben", "POST", l+"/items", `{"content":"four"}`, 201, "").body)
	for _, path := range append(seen.paths, "/api/lists?public=true&limit=1", l+"/items?limit=1", l+"/items/$id:second") {
		for _, other := range seen.paths {
			tag := w.json("anonymous", "GET", w.fillIDs(other), "").header.Get("ETag")
			if res := w.conditional("anonymous", path, tag); path != other && res.status != 200 {
				t.Errorf("%s with the ETag of %s: %d", path, other, res.status)
			}
		}
	}
	tag := seen.last["anonymous "+l].tag
	w.want("ben", "PATCH", l, `{"visibility":"private"}`, 200, "")
	if res := w.conditional("anonymous", l, tag); res.status != 404 {
		t.Errorf("a list that is no longer public: %d", res.status)
	}
}

// So are the pages and feeds that guests get.
func TestETagsOfPages(t *testing.T) {
	w, acts := changing(t)
	const l = "/list/$id:l"
	seen := &tagWatch{world: w, callers: []string{"anonymous"},
		paths: []string{"/", "/?public=50", l, l + "?offset=100", l + "/items", l + ".md", l + ".json", l + ".atom", l + "/feed.atom", l +
			"/feed.json", "/sitemap.xml",
			l + "/item/$id:i", l + "/item/$id:i?comments=1"}}
	seen.run(t, append(acts, `root PATCH /api/admin/settings {"communityName":"Soup kitchen"}`))
	tag := seen.last["anonymous "+l].tag
	if res := w.conditional("ben", l, tag); res.status != 200 || res.header.Get("ETag") != "" ||
		res.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page of somebody who is signed in: %d %v", res.status, res.header)
	}
	md := http.Header{"Accept": {"text/markdown"}, "If-None-Match": {tag}}
	if res := w.do("anonymous", "GET", w.fillIDs(l), md, ""); res.status != 200 ||
		!strings.HasPrefix(res.header.Get("Content-Type"), "text/markdown") {
		t.Errorf("another form with the ETag of the page: %d %v", res.status, res.header)
	}
	w.want("ben", "PATCH", "/api/lists/$id:l", `{"visibility":"private"}`, 200, "")
	if res := w.conditional("anonymous", l, tag); res.status != 404 || res.header.Get("ETag") != "" {
		t.Errorf("a list that is no longer public: %d %v", res.status, res.header)
	}
}

// Nothing of a page that guests get changes with what they cannot see.
func TestPagesOfGuestsHideWhatChanges(t *testing.T) {
	w, _ := changing(t)
	w.ids["$id:hidden"] = idIn(t, w.want("ada", "POST", "/api/lists", `{"title":"Hidden","visibility":"private","items":[{"content":"one"}]}`,
		201, "").body)
	w.ids["$id:h"] = w.firstItem("$id:hidden")
	paths := []string{"/", "/list/$id:l", "/list/$id:l/items", "/list/$id:l/item/$id:i", "/list/$id:l/feed.json", "/sitemap.xml"}
	first := map[string]seenTag{}
	for _, path := range paths {
		res := w.json("anonymous", "GET", w.fillIDs(path), "")
		first[path] = seenTag{res.header.Get("ETag"), string(res.body)}
	}
	const h = "/api/lists/$id:hidden"
	for _, act := range []string{
		`ada POST ` + h + `/items {"content":"two"}`, `ada PUT ` + h + `/members/$id:ben {"role":"editor"}`, `ada POST ` + h +
			`/items/$id:h/comments {"content":"c"}`,
		`ada PATCH ` + h + ` {"visibility":"unlisted"}`, `ben PATCH ` + h + `/items/$id:h {"content":"uno"}`, `ada DELETE ` + h + `/items/$id:h `,
		`cleo PATCH /api/auth/me {"name":"Cleo"}`,
		`cleo PATCH /api/auth/me {"discoveryMode":"hidden"}`, `ben POST /api/chat/conversations {"participantIds":["$id:ada"],"type":"direct"}`,
		`ada DELETE ` + h + ` `,
	} {
		f := strings.SplitN(act, " ", 4)
		if res := w.json(f[0], f[1], w.fillIDs(f[2]), w.fillIDs(f[3])); res.status > 299 {
			t.Fatalf("%s: %d %s", act, res.status, res.body)
		}
		for _, path := range paths {
			if res := w.conditional("anonymous", path, first[path].tag); res.status != http.StatusNotModified {
				t.Errorf("after %s, %s: %d with the ETag from before", act, path, res.status)
			}
			if res := w.json("anonymous", "GET", w.fillIDs(path), ""); (seenTag{res.header.Get("ETag"), string(res.body)}) != first[path] {
				t.Errorf("after %s, %s: other bytes", act, path)
			}
		}
	}
}

// firstItem returns the id of the first item of a list of ada's.
func (w *world) firstItem(list string) string {
	w.t.Helper()
	var out struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(w.want("ada", "GET", "/api/lists/"+list+"/items", "", 200, "").body, &out,
		json.MatchCaseInsensitiveNames(true)); err != nil || len(out.Items) == 0 {
		w.t.Fatalf("no item, %v", err)
	}
	return out.Items[0].ID
}

// The ETag of an object that has a version is one, too: a change that names it is made
// once.
func TestETagIsAVersion(t *testing.T) {
	w, _ := changing(t)
	for path, body := range map[string]string{"/api/lists/$id:l": `{"title":"Renamed"}`,
		"/api/lists/$id:l/items/$id:i": `{"content":"changed"}`} {
		path := w.fillIDs(path)
		tag := w.want("ada", "GET", path, "", 200, "").header.Get("ETag")
		if tag == "" {
			tag = w.want("anonymous", "GET", path, "", 200, "").header.Get("ETag")
		}
		header := http.Header{"Content-Type": {"application/json"}, "If-Match": {tag}}
		first := w.do("ada", "PATCH", path, header, body)
		again := w.do("ada", "PATCH", path, header, strings.Replace(body, `"}`, ` again"}`, 1))
		if tag == "" || first.status != 200 || again.status != 412 {
			t.Errorf("%s: with the ETag %s: %d %s, and again: %d", path, tag, first.status, first.body, again.status)
		}
	}
}
