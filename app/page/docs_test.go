package page

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"hearth/web"
)

// Links of the handbook and of the README lead to pages of the handbook, and the
// index names every page.
func TestHandbookLinks(t *testing.T) {
	pages, err := handbook()
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		for _, m := range regexp.MustCompile(`href="([^"#]*)`).FindAllStringSubmatch(string(page.body), -1) {
			to, ok := strings.CutPrefix(m[1], "/docs/")
			if !ok && strings.HasPrefix(m[1], "/") {
				continue // another page of the server
			}
			if _, ok := pages[to]; !ok {
				t.Errorf("%s links to %q", name, m[1])
			}
		}
		if name != "index" && !strings.Contains(string(pages["index"].body), `href="/docs/`+name+`"`) {
			t.Errorf("the index does not name %s", name)
		}
		if page.title == "" || strings.Contains(page.title, "#") {
			t.Errorf("%s has the title %q", name, page.title)
		}
	}
	if files, _ := fs.Glob(web.Docs(), "*.md"); len(files) != len(pages) || len(files) < 9 {
		t.Errorf("%d files are %d pages", len(files), len(pages))
	}
}
