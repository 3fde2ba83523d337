package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// odd is a service whose responses are out of the ordinary.
type odd struct{}

type oddIn struct {
	How string `query:"how" json:"-"`
}

// unsendable cannot be encoded.
type unsendable struct{}

func (unsendable) AppendJSON([]byte) ([]byte, error) { return nil, errors.New("no such form") }

func (odd) Unsendable(context.Context, store.Viewer, oddIn) (unsendable, error) {
	return unsendable{}, nil
}

func (odd) Large(context.Context, store.Viewer, oddIn) (string, error) {
	return strings.Repeat("x", 1<<20), nil
}

func (odd) Refuse(_ context.Context, _ store.Viewer, in oddIn) (core.None, error) {
	e := core.New(core.Conflict, "taken", "It is taken.")
	switch in.How {
	case "changed":
		e = core.New(core.Precondition, "changed", "It has changed.")
		e.Version = "v1"
	case "broken":
		e.Current = jsontext.Value("{")
	}
	return core.None{}, e
}

func (odd) Late(w http.ResponseWriter, _ *http.Request, _ store.Viewer) {
	_, _ = io.WriteString(w, "begun")
	middleware.FailJSON(w, errors.New("it ended early"))
}

func (o odd) table() []Route {
	spec := func(summary string) op.Spec {
		return op.Spec{Summary: summary, Guard: op.Public, Hints: op.ReadOnly}
	}
	return []Route{
		{"GET", "/api/odd/unsendable", 200, op.New(nil, o.Unsendable, spec("Get what cannot be sent")).Op},
		{"GET", "/api/odd/large", 200, op.New(nil, o.Large, spec("Get much")).Op},
		{"GET", "/api/odd/refuse", 200, op.New(nil, o.Refuse, spec("Be refused")).Op},
		{"GET", "/api/odd/late", 200, Stream(o.Late, spec("Fail late"), Response{Type: "text/plain", Doc: "Text."})},
	}
}

// heads counts how often the status of a response is sent.
type heads struct {
	*httptest.ResponseRecorder
	n int
}

func (h *heads) WriteHeader(status int) {
	h.n++
	h.ResponseRecorder.WriteHeader(status)
}

// A response is begun once, whatever goes wrong, and what went wrong is in the log.
func TestResponsesThatFail(t *testing.T) {
	for _, tc := range []struct {
		path, body, log string
		status          int
	}{
		{"/api/books/" + someID, `"title"`, "", 200},
		{"/api/books/" + otherID, `"code":"not_found"`, "", 404},
		{"/api/odd/unsendable", `"code":"internal"`, "encode the response of Unsendable: no such form", 500},
		{"/api/odd/refuse", `"code":"taken"`, "", 409},
		{"/api/odd/refuse?how=changed", `"version":"v1"`, "", 412},
		{"/api/odd/refuse?how=broken", "", "", 409},
		{"/api/odd/late", "begun", "it ended early", 200},
	} {
		y := newToy(t, func(c *toyConfig) { c.more = odd{}.table() })
		w := &heads{ResponseRecorder: httptest.NewRecorder()}
		y.ServeHTTP(w, httptest.NewRequest("GET", tc.path, nil))
		body := w.Body.String()
		if w.Code != tc.status || !strings.Contains(body, tc.body) || (tc.body == "" || tc.body == "begun") && body != tc.body || w.n > 1 {
			t.Errorf("%s: %d with %.200q, begun %d times; want %d with %q", tc.path, w.Code, body, w.n, tc.status, tc.body)
		}
		if log := y.log.String(); !strings.Contains(log, tc.log) || tc.log == "" && strings.Contains(log, "error=") {
			t.Errorf("%s: the log lacks %q, or has an error: %s", tc.path, tc.log, log)
		}
		if want := map[int]string{412: `"v1"`}[tc.status]; w.Header().Get("ETag") != want {
			t.Errorf("%s: the ETag is %s, want %q", tc.path, w.Header().Get("ETag"), want)
		}
	}
}

// keyed is a keyring in which an agent has a key, and recordedKeys one that records
// what it is used for.
type (
	keyed        struct{ keyring }
	recordedKeys struct {
		keyed
		uses *[]string
	}
)

func (k keyed) Caller(r *http.Request) (store.Viewer, error) {
	v, err := k.keyring.Caller(r)
	if v.Kind == store.Agent {
		v.KeyID = "k1"
	}
	return v, err
}

func (k recordedKeys) Used(v store.Viewer, operation string, failed bool) {
	if failed {
		operation += ", failed"
	}
	*k.uses = append(*k.uses, v.KeyID+": "+operation)
}

// What a key is used for is recorded, whether it is granted, refused or a stream; and
// only of keys.
func TestKeyUses(t *testing.T) {
	for _, tc := range []struct{ who, method, path, want string }{
		{"agent", "GET", "/api/books/" + someID, "k1: Get a book"},
		{"agent", "GET", "/api/books/" + otherID, "k1: Get a book, failed"},
		{"agent", "GET", "/api/books/x", "k1: Get a book, failed"},
		{"agent", "DELETE", "/api/books/" + someID, "k1: Delete a book, failed"},
		{"agent", "GET", "/api/books/" + someID + "/tail", "k1: Follow"},
		{"human", "GET", "/api/books/" + someID, ""},
		{"human", "GET", "/api/books/" + someID + "/tail", ""},
		{"", "GET", "/api/books/x", ""},
	} {
		var uses []string
		y := newToy(t, func(c *toyConfig) { c.Auth = recordedKeys{uses: &uses} })
		status := y.do(tc.who, tc.method, tc.path, "").Code
		if got := strings.Join(uses, "; "); got != tc.want {
			t.Errorf("%s %s by %q: recorded %q, want %q", tc.method, tc.path, tc.who, got, tc.want)
		}
		y = newToy(t, func(c *toyConfig) { c.Auth = keyed{} })
		if got := y.do(tc.who, tc.method, tc.path, "").Code; got != status {
			t.Errorf("%s %s by %q: %d where nothing is recorded, else %d", tc.method, tc.path, tc.who, got, status)
		}
	}
}

// An export that fails is an error before it has begun, and then breaks the connection:
// a part is never taken for the whole. Both are in the log.
func TestExportsThatFail(t *testing.T) {
	for _, begun := range []bool{false, true} {
		export := func(w http.ResponseWriter, r *http.Request, _ store.Viewer) {
			sendExport(w, "text/csv", func(begin func(string) io.Writer) error {
				if begun {
					_, _ = io.WriteString(begin("all.csv"), "a,b")
				}
				return errors.New("the disk is gone")
			})
		}
		y := newToy(t, func(c *toyConfig) {
			c.more = []Route{{"GET", "/api/all", 200, Stream(export, op.Spec{Summary: "Export", Guard: op.Public, Hints: op.ReadOnly},
				Response{Type: "text/csv"})}}
		})
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if p := recover(); begun != (p == http.ErrAbortHandler) {
					t.Errorf("begun: %v, ended with %v", begun, p)
				}
			}()
			y.ServeHTTP(w, httptest.NewRequest("GET", "/api/all", nil))
		}()
		if begun && (w.Header().Get("Content-Type") != "text/csv" || w.Header().Get("Content-Disposition") != "attachment; filename=all.csv" ||
			w.Body.String() != "a,b") || !begun && w.Code != 500 {
			t.Errorf("begun: %v: %d %v %s", begun, w.Code, w.Header(), w.Body)
		}
		if !strings.Contains(y.log.String(), `error="the disk is gone"`) {
			t.Errorf("begun: %v, the log: %s", begun, y.log)
		}
	}
}
