package app_test

import (
	"bytes"
	"context"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/txtar"

	"hearth/app/api"
	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// coverage is what the transcripts show: every endpoint, and every event that is
// delivered.
type coverage struct {
	mu       sync.Mutex
	played   int
	steps    []string // METHOD /path
	rendered []store.EventKind
}

// add adds the steps of a transcript and the events that they caused.
func (c *coverage) add(t *testing.T, w *world, ar *txtar.Archive) {
	var steps []string
	for _, f := range ar.Files {
		if s, err := parseStep(f.Name, string(f.Data)); err == nil && s.status < 400 {
			steps = append(steps, s.method+" "+s.path)
		}
	}
	rendered := renderedEvents(t, w)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.played++
	c.steps = append(c.steps, steps...)
	c.rendered = append(c.rendered, rendered...)
}

// renderedEvents renders every event of w's log for each of the cast, and returns
// the kinds of those that somebody receives.
func renderedEvents(t *testing.T, w *world) (kinds []store.EventKind) {
	err := w.app.DB().Read(context.Background(), func(r *store.Reader) error {
		log, err := r.EventsAfter(0, 100_000)
		if err != nil {
			return err
		}
		for _, e := range api.Events() {
			evs := slices.DeleteFunc(slices.Clone(log), func(ev store.Event) bool { return ev.Kind != e.Kind })
			if e.Render == nil || len(evs) == 0 {
				continue
			}
			for _, u := range []store.User{w.cast.Ada, w.cast.Ben, w.cast.Cleo} {
				received := false
				for _, ev := range evs {
					data, err := e.JSON(r, storetest.Human(u), ev)
					if err != nil {
						t.Errorf("%s: %v", e.Kind, err)
					}
					received = data != nil && isData(t, e, data) || received
				}
				if received {
					kinds = append(kinds, e.Kind)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return kinds
}

// isData reports whether b is the JSON of the event's type of data.
func isData(t *testing.T, e core.Event, b []byte) bool {
	if err := json.Unmarshal(b, reflect.New(reflect.TypeOf(e.Data)).Interface(), json.RejectUnknownMembers(true)); err != nil {
		t.Errorf("%s: %v: %s", e.Kind, err, b)
		return false
	}
	return !bytes.Equal(b, []byte("null"))
}

// elsewhere are the endpoints whose success other tests show.
var elsewhere = map[string]string{
	"/api/openapi.json":                           "app/api/testdata and spec_test.go",
	"/api/docs":                                   "matrix_test.go and browser_update_test.go",
	"/api/link-preview":                           "preview_test.go: it needs a page to read",
	"/api/pictures/{id}":                          "file_test.go: its body is no text",
	"/api/chat/events":                            "chat_stream_test.go",
	"/api/list/{id}/events":                       "list_stream_test.go",
	"/api/lists/{id}/events":                      "list_stream_test.go",
	"/api/chat/conversations/{id}/context/events": "context_stream_test.go",
	"/AGENTS.md":                                  "discover_test.go",
	"/llms.txt":                                   "discover_test.go",
	"/robots.txt":                                 "discover_test.go",
	"/.well-known/lists.json":                     "discover_test.go",
	"/.well-known/ai-catalog.json":                "discover_test.go",
	"/mcp/server-card":                            "discover_test.go",
}

var pathParameter = regexp.MustCompile(`\\\{[^/]*\\\}`)

// check reports what no transcript shows, unless only some of them were run.
func (c *coverage) check(t *testing.T, files int) {
	if c.played < files {
		return
	}
	for _, r := range api.Described() {
		if elsewhere[r.Path] != "" {
			continue
		}
		path := regexp.MustCompile("^" + r.Method + " " + pathParameter.ReplaceAllString(regexp.QuoteMeta(r.Path), `[^/]+`) + `(\?.*)?$`)
		if !slices.ContainsFunc(c.steps, path.MatchString) {
			t.Errorf("no transcript shows a success of %s %s: add a step to a file of testdata/transcripts", r.Method, r.Path)
		}
	}
	for _, e := range api.Events() {
		if e.Render != nil && !slices.Contains(c.rendered, e.Kind) {
			t.Errorf("no transcript causes the event %s so that somebody receives it: add a step to a file of testdata/transcripts", e.Kind)
		}
	}
}
