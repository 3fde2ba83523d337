package web

import (
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAssets(t *testing.T) {
	a, err := NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	hashed, err := a.URL("app.css")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.URL("missing.css"); err == nil {
		t.Error("a missing file has an address")
	}
	old := regexp.MustCompile(`/[0-9a-f]{12}/`).ReplaceAllString(hashed, "/000000000000/")
	for _, c := range []struct {
		path, cache string
		status      int
	}{
		{hashed, "public, max-age=31536000, immutable", 200},
		{"/static/app.css", "no-cache", 200},
		{old, "no-cache", 200},
		{"/static/", "", 404},
		{"/static/../embed.go", "", 404},
		{"/static/templates/base.html", "", 404},
	} {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		if w.Code != c.status || w.Header().Get("Cache-Control") != c.cache {
			t.Errorf("GET %s: %d %q, want %d %q", c.path, w.Code, w.Header().Get("Cache-Control"), c.status, c.cache)
		}
	}
	r := httptest.NewRequest("GET", hashed, nil)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	w = httptest.NewRecorder()
	a.ServeHTTP(w, r)
	if w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("a file the browser has: %d with %d bytes, want 304 and none", w.Code, w.Body.Len())
	}
}

// The modules of a page are those that its script needs at once, each once.
func TestModules(t *testing.T) {
	a, err := NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Modules("app.js", "chat.js")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, address := range got {
		name := path.Base(address)
		if slices.Contains(names, name) {
			t.Errorf("%s is there twice", name)
		}
		names = append(names, name)
		if want, _ := a.URL(name); address != want {
			t.Errorf("%s has the address %s, want %s", name, address, want)
		}
	}
	for _, name := range []string{"app.js", "chat.js", "errors.js", "composer.js", "names.js", "id.js", "live.js", "call.js"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing: %v", name, names)
		}
	}
	for _, name := range []string{"list.js", "keys.js", "audience.js"} { // imported by other pages
		if slices.Contains(names, name) {
			t.Errorf("%s is not needed", name)
		}
	}
	if _, err := a.Modules("missing.js"); err == nil {
		t.Error("a missing file has an address")
	}
}

// TestScriptsBuildNoMarkup: scripts only make DOM nodes, so that text is never
// parsed as markup.
func TestScriptsBuildNoMarkup(t *testing.T) {
	a, err := NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	markup := regexp.MustCompile(`\.(innerHTML|outerHTML)\s*\+?=[^=]|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	imports := regexp.MustCompile(`(?:from|import\()\s*'\./([^']+)'`)
	for name, f := range a.files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		if m := markup.FindString(f.body); m != "" {
			t.Errorf("%s has %q", name, m)
		}
		for _, m := range imports.FindAllStringSubmatch(f.body, -1) {
			if _, ok := a.files[m[1]]; !ok {
				t.Errorf("%s imports %s, which is not there", name, m[1])
			}
		}
	}
}

// Scripts set no member whose name comes from data, so that no name such as
// __proto__ reaches the prototype of all objects: names are literals, and what is
// found by a key is in a Map.
func TestScriptsSetNamedMembersOnly(t *testing.T) {
	a, err := NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	computed := regexp.MustCompile(`[\w)\]]\[[^\]'\d][^\]]*\]\s*([-+*|&?]{0,2}=[^=>]|\+\+|--)|` +
		`\{\s*\[[^\]]+\]\s*:|,\s*\[[^\]]+\]\s*:|__proto__|setPrototypeOf|\.prototype(\.\w+\s*=[^=]|\[)`)
	assigned := regexp.MustCompile(`Object\.assign\((?:[^(){}]|\([^()]*\))*,\s*[\w.()]+\s*\)`) // from what is no literal
	for script, bad := range map[string]bool{
		"a[b] = 1": true, "a.b[c.d] += 1": true, "f()[x] ??= y": true, "a[b]++": true, "({ [k]: v })": true, "({ a: 1, [k]: v })": true,
		"Object.assign(a, data)": true, "a.__proto__": true,
		"a['b'] = 1": false, "a[6] = 1": false, "a[b] === 1": false, "const [a, b] = c": false, "f(a[b])": false,
		"Object.assign(this, { a, b })": false, "[a.b, c] = [d, e]": false,
	} {
		if found := computed.MatchString(script) || assigned.MatchString(script); found != bad {
			t.Errorf("%s: found %v", script, found)
		}
	}
	for name, f := range a.files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		if m := computed.FindString(f.body) + assigned.FindString(f.body); m != "" {
			t.Errorf("%s has %q", name, m)
		}
	}
}
