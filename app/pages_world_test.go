package app_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The pages of a community with secrets show them to nobody else: each caller reads
// the pages that the callers before could reach, and world.do looks for planted words.
func TestPlantedWordsAreNotInPages(t *testing.T) {
	t.Parallel()
	w := matrixStage(t)
	delete(w.canaries, "ada@example.org") // her settings show it
	delete(w.canaries, "ben@example.org")
	known := map[string]bool{"/": true, "/chat": true}
	callers := []string{"ada", "root", "ben", "cleo", "stranger", "anonymous"}
	statuses := map[int]int{}
	for _, who := range callers {
		h := http.Header{"Authorization": nil}
		if who != "anonymous" {
			h.Set("Cookie", w.cookie(who))
		}
		left, read := slices.Sorted(maps.Keys(known)), map[string]bool{}
		for ; len(left) > 0; left = left[1:] {
			if read[left[0]] {
				continue
			}
			read[left[0]], known[left[0]] = true, true
			res := w.do(who, "GET", left[0], h, "")
			if statuses[res.status]++; res.status >= 500 {
				t.Errorf("%s: GET %s: %d", who, left[0], res.status)
			}
			left = append(left, linksOf(t, res)...)
		}
	}
	if len(known) < 70 {
		t.Errorf("there are %d pages: %q", len(known), slices.Sorted(maps.Keys(known)))
	}
	t.Logf("%d pages, answers: %v", len(known), statuses)
}

// linksOf returns the pages of this server that a page links to.
func linksOf(t *testing.T, res response) (all []string) {
	t.Helper()
	if to := res.header.Get("Location"); strings.HasPrefix(to, "/") {
		to, _, _ = strings.Cut(to, "?")
		all = append(all, to)
	}
	doc, err := html.Parse(strings.NewReader(string(res.body)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			to, err := url.Parse(a.Val)
			if n.Data == "a" && a.Key == "href" && err == nil && to.Host == "" && strings.HasPrefix(to.Path, "/") {
				all = append(all, to.Path)
			}
		}
	}
	return all
}
