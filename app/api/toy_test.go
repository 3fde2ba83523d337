package api

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

const (
	someID  = "9f1c2d34-5b6a-4c7d-8e9f-0a1b2c3d4e5f"
	otherID = "00000000-0000-4000-8000-000000000001"
)

// shelf is a small service with real operations, for tests of the adapter.
type shelf struct {
	mu      sync.Mutex
	last    any
	entered chan struct{}
	release chan struct{}
}

type getIn struct {
	ID    string     `path:"id" json:"-"`
	Limit int        `query:"limit" json:"-" min:"1" max:"100" clamp:"true" default:"50" doc:"How many."`
	Since store.Time `query:"since" json:"-"`
	All   *bool      `query:"all" json:"-"`
	Order string     `query:"order" json:"-" enum:"asc|desc" default:"asc"`
}

type book struct {
	ID    string      `json:"id" format:"uuid"`
	Title string      `json:"title" doc:"As printed."`
	Tags  []string    `json:"tags"`
	Read  *store.Time `json:"read"`
	Note  *string     `json:"note,omitzero"`
}

// putOut is a book that was created or found.
type putOut struct {
	book
	created bool
}

func (o *putOut) Created() bool { return o.created }

func (s *shelf) record(in any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = in
}

func (s *shelf) GetBook(_ context.Context, _ store.Viewer, in getIn) (book, error) {
	s.record(in)
	if in.ID != someID {
		return book{}, core.ErrNotFound
	}
	return book{ID: in.ID, Title: "<b>"}, nil
}

type putIn struct {
	Title string               `json:"title" required:"true" max:"10" line:"true"`
	Pages int                  `json:"pages" max:"1000"`
	Mine  *bool                `json:"mine"`
	Note  core.Opt[string]     `json:"note" max:"5"`
	Due   core.Opt[store.Time] `json:"due"`
	Tags  []string             `json:"tags" max:"3" itemMax:"5"`
	Parts []part               `json:"parts" max:"2"`
	Owner string               `json:"-"`
}

type part struct {
	Name string `json:"name" required:"true"`
	Size int    `json:"size"`
}

func (s *shelf) PutBook(_ context.Context, by store.Viewer, in putIn) (putOut, error) {
	s.record(in)
	return putOut{book{ID: someID, Title: in.Title}, in.Title == "new"}, nil
}

type patchIn struct {
	ID    string `path:"id" json:"-"`
	Dry   bool   `query:"dry" json:"-"`
	Title string `json:"title" required:"true"`
}

func (s *shelf) PatchBook(_ context.Context, _ store.Viewer, in patchIn) (book, error) {
	s.record(in)
	return book{ID: in.ID}, nil
}

type idIn struct {
	ID string `path:"id" json:"-"`
}

func (s *shelf) DropBook(context.Context, store.Viewer, idIn) (core.None, error) {
	return core.None{}, nil
}

type nameIn struct {
	Name string `path:"name" json:"-"`
}

type failIn struct {
	How string `query:"how" json:"-"`
}

func (s *shelf) Fail(ctx context.Context, _ store.Viewer, in failIn) (core.None, error) {
	switch in.How {
	case "panic":
		panic("secret words")
	case "abort":
		panic(http.ErrAbortHandler)
	case "plain":
		return core.None{}, io.ErrUnexpectedEOF
	case "many":
		return core.None{}, core.TooManyAfter(1500*time.Millisecond, "slow_down", "Wait.")
	case "conflict":
		return core.None{}, core.New(core.Conflict, "taken", "It is taken.")
	case "wait":
		s.entered <- struct{}{}
		<-s.release
	case "deadline":
		return core.None{}, context.DeadlineExceeded
	}
	return core.None{}, nil
}

func (s *shelf) Tail(w http.ResponseWriter, r *http.Request, _ store.Viewer) {
	switch r.PathValue("id") {
	case someID:
		w.Header().Set("Content-Type", eventStream)
		_, _ = io.WriteString(w, "data: x\n\n")
		if r.URL.Query().Get("die") != "" {
			panic("after the first byte")
		}
	default:
		middleware.FailJSON(w, core.ErrNotFound)
	}
}

func (s *shelf) File(w http.ResponseWriter, r *http.Request, _ store.Viewer) {
	_, _ = io.WriteString(w, r.PathValue("name"))
}

func (s *shelf) table() []Route {
	read := func(g op.Guard, summary string) op.Spec {
		return op.Spec{Summary: summary, Guard: g, Hints: op.ReadOnly}
	}
	put := op.Spec{Summary: "Put a book", Guard: op.Member, Errors: []core.Kind{core.Conflict}}
	peer := put
	peer.Guard = op.Bridge
	return []Route{
		{"GET", "/api/books/{id}", 200, op.New(nil, s.GetBook, read(op.ListRead, "Get a book")).Op},
		{"POST", "/api/books", 201, op.New(nil, s.PutBook, put).Op},
		{"PATCH", "/api/books/{id}", 200, op.New(nil, s.PatchBook, op.Spec{Summary: "Change a book", Guard: op.Member}).Op},
		{"DELETE", "/api/books/{id}", 204, op.New(nil, s.DropBook, op.Spec{Summary: "Delete a book", Guard: op.HumanOnly}).Op},
		{"GET", "/api/books/best", 200, op.New(nil, s.Fail, read(op.Public, "Fail in some way")).Op},
		{"GET", "/api/books/{id}/tail", 200, Stream(s.Tail, read(op.Public, "Follow"), Response{Type: eventStream, In: idIn{}, Doc: "Lines."})},
		{"GET", "/files/{name}", 200, Stream(s.File, read(op.Public, "Get a file"), Response{Type: "text/plain", In: nameIn{}, Doc: "Text."})},
		{"POST", "/api/peer", 201, op.New(nil, s.PutBook, peer).Op},
	}
}

// keyring authenticates callers by their bearer token, which is their kind.
type keyring struct{ bridgeOff bool }

func (keyring) Caller(r *http.Request) (store.Viewer, error) {
	kinds := map[string]store.Viewer{
		"":         {},
		"human":    {Kind: store.Human, UserID: "u1", CanRead: true, CanWrite: true},
		"embedded": {Kind: store.Embedded, UserID: "u1", CanRead: true, CanWrite: true},
		"agent":    {Kind: store.Agent, UserID: "u1", CanRead: true, CanWrite: true},
		"reader":   {Kind: store.Agent, UserID: "u1", CanRead: true},
		"writer":   {Kind: store.Agent, UserID: "u1", CanWrite: true},
		"listkey":  {Kind: store.ListKey, UserID: "u1", CanRead: true},
		"public":   {Kind: store.PublicKey},
	}
	v, ok := kinds[bearer(r)]
	if !ok {
		return v, core.ErrUnauthenticated
	}
	return v, nil
}

func (keyring) Used(store.Viewer, string, bool) {}

func (k keyring) BridgeCaller(secret string) (store.Viewer, error) {
	switch {
	case k.bridgeOff:
		return store.Viewer{}, core.New(core.Unavailable, "bridge_off", "No bridge.")
	case secret != "bridge":
		return store.Viewer{}, core.ErrUnauthenticated
	}
	return store.Viewer{Kind: store.Bridge}, nil
}

// toy is a handler with the table of shelf, and its log.
type toy struct {
	*Handler
	shelf *shelf
	log   *bytes.Buffer
}

// toyConfig has the configurations of a toy.
type toyConfig struct {
	apiConfig
	stackConfig
	more []Route // after the routes of shelf
}

type (
	apiConfig   = Config
	stackConfig = middleware.Config
)

func newToy(t testing.TB, change func(*toyConfig)) *toy {
	t.Helper()
	s := &shelf{entered: make(chan struct{}), release: make(chan struct{})}
	log := &bytes.Buffer{}
	cfg := toyConfig{Config{Auth: keyring{}, Site: Site{BaseURL: "https://hearth.example"}},
		middleware.Config{BaseURLs: []string{"https://hearth.example"}, Log: slog.New(slog.NewTextHandler(log, nil))}, nil}
	if change != nil {
		change(&cfg)
	}
	var err error
	if cfg.Stack, err = middleware.New(cfg.stackConfig); err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(cfg.apiConfig, append(s.table(), cfg.more...))
	if err != nil {
		t.Fatal(err)
	}
	return &toy{h, s, log}
}

// do sends a request with the bearer token who, and body if it is not "".
func (y *toy) do(who, method, target, body string, header ...string) *httptest.ResponseRecorder {
	var r *http.Request
	if body == "" {
		r = httptest.NewRequest(method, target, nil)
	} else {
		r = httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+who)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	y.ServeHTTP(w, r)
	return w
}

func problemOf(t testing.TB, w *httptest.ResponseRecorder) middleware.ErrorBody {
	t.Helper()
	var e middleware.ErrorBody
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Error == "" || e.Code == "" {
		t.Fatalf("%d %q is no error body: %v", w.Code, w.Body, err)
	}
	return e
}
