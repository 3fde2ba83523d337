package page

import (
	"bytes"
	"html/template"
	"sync"

	"github.com/go-json-experiment/json"
)

// maxFragments is the limit of kept HTML in bytes, together with its keys.
const maxFragments = 8 << 20

// fragments keeps the HTML of messages and of rows. The key is the whole view, so an entry is never stale.
type fragments struct {
	set func() (*template.Template, error)

	mu     sync.Mutex
	recent map[string]template.HTML
	old    map[string]template.HTML // the entries before recent was half full
	size   int                      // of recent
}

// render returns the HTML of a view by the named template.
func (f *fragments) render(name string, view any) (template.HTML, error) {
	key, err := json.Marshal(view)
	if err != nil {
		return "", err
	}
	key = append(key, name...)
	if html, ok := f.kept(key); ok {
		return html, nil
	}
	set, err := f.set()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, name, view); err != nil {
		return "", err
	}
	html := template.HTML(b.String())
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(string(key), html)
	return html, nil
}

func (f *fragments) kept(key []byte) (html template.HTML, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if html, ok = f.recent[string(key)]; ok {
		return html, true
	}
	if html, ok = f.old[string(key)]; ok {
		f.keep(string(key), html)
	}
	return html, ok
}

func (f *fragments) keep(key string, html template.HTML) {
	if f.size > maxFragments/2 || f.recent == nil {
		f.old, f.recent, f.size = f.recent, map[string]template.HTML{}, 0
	}
	f.recent[key] = html
	f.size += len(key) + len(html)
}
