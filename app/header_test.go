package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Every response of the API, granted or refused, has a content type and nosniff, a
// policy that permits nothing as a page, and a rule for caches.
func TestHeadersOfEveryRoute(t *testing.T) {
	w := matrixStage(t)
	w.checkDownloads()
	cases := matrixCases()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		method, _, _ := strings.Cut(name, " ")
		tc := cases[name]
		callers := []string{"anonymous", "bad"}
		if method == "GET" {
			callers = append(callers, "ada")
		}
		for _, who := range callers {
			if tc.stream && who == "ada" {
				continue // it would not end
			}
			res := w.json(who, method, w.fillIDs(tc.path), w.fillIDs(tc.body))
			h := res.header
			if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") == "" || len(res.body) > 0 && h.Get("Content-Type") == "" {
				t.Errorf("%s by %s: %d %v", name, who, res.status, h)
			}
			if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") &&
				!strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s by %s: the policy is %q", name, who, csp)
			}
			if private := who == "ada" && res.status == 200; !private && !strings.Contains(h.Get("Cache-Control"), "no-") &&
				!strings.Contains(h.Get("Cache-Control"), "public") {
				t.Errorf("%s by %s: %d may be kept: %s", name, who, res.status, h.Get("Cache-Control"))
			}
		}
	}
}

// checkDownloads checks that what is downloaded has its type and a name, and is not
// shown as a page.
func (w *world) checkDownloads() {
	for path, want := range map[string][2]string{
		"/api/lists/$id:list/export?format=json": {"application/json", `attachment; filename=`},
		"/api/lists/$id:list/export?format=md":   {"text/markdown; charset=utf-8", `attachment; filename=`},
		"/api/lists/$id:list/export?format=csv":  {"text/csv; charset=utf-8; header=present", `attachment; filename=`},
		"/api/auth/export?range=all_time":        {"application/json", `attachment; filename=`},
	} {
		h := w.json("ada", "GET", w.fillIDs(path), "").header
		if h.Get("Content-Type") != want[0] || !strings.HasPrefix(h.Get("Content-Disposition"), want[1]) || h.Get("Cache-Control") != "no-store" {
			w.t.Errorf("%s: %v", path, h)
		}
	}
}

// The forms of one file, and files, have different ETags.
func TestETagsOfFiles(t *testing.T) {
	w := matrixStage(t)
	res := w.do("ada", "POST", "/api/chat/attachments", nil, "file:photo.jpg:photo")
	w.ids["$id:photo"] = idIn(t, res.body)
	seen := map[string]string{}
	for _, path := range []string{"/api/chat/attachments/$id:photo", "/api/chat/attachments/$id:photo?preview=true",
		"/api/chat/attachments/$id:attachment", "/api/pictures/$id:picture"} {
		res := w.json("ada", "GET", w.fillIDs(path), "")
		tag := res.header.Get("ETag")
		if res.status != 200 || tag == "" || seen[tag] != "" {
			t.Errorf("%s: %d, the ETag %s, as of %q", path, res.status, tag, seen[tag])
		}
		seen[tag] = path
	}
}
