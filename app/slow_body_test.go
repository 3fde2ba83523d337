package app_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/app/account"
	"hearth/app/api"
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// lateBody is a body that comes after something has happened: when it is first
// read the request is authenticated already.
type lateBody struct {
	io.Reader
	once  *sync.Once
	first func()
}

func (b lateBody) Read(p []byte) (int, error) {
	b.once.Do(b.first)
	return b.Reader.Read(p)
}

// late sends a request during whose body something happens.
func (w *world) late(who, method, path, body string, then func()) int {
	body, kind := formOf(w.t, body)
	h := http.Header{"Authorization": {"Bearer " + w.token(who)}, "Content-Type": {cmp.Or(kind, "application/json")}}
	return w.lateBody(method, path, h, body, then).Code
}

// lateBody is late with the header as it is sent.
func (w *world) lateBody(method, path string, h http.Header, body string, then func()) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://hearth.test"+path, lateBody{strings.NewReader(body), new(sync.Once), then})
	req.ContentLength, req.Header = int64(len(body)), h
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, req)
	return rec
}

// viewer returns the caller with a credential of the cast.
func (w *world) viewer(who string) store.Viewer {
	w.t.Helper()
	v, err := w.app.Account().Caller(w.bearerOf(who))
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// change makes a write, and returns a function that does so, for late.
func (w *world) change(f func(tx *store.Tx) error) func() {
	return func() {
		if err := w.app.DB().Write(context.Background(), f); err != nil {
			w.t.Error(err)
		}
	}
}

// signOut returns what ends the session of one of the cast, for late.
func (w *world) signOut(who string) func() {
	return func() {
		if _, err := w.app.Account().Logout.Call(context.Background(), w.viewer(who), core.None{}); err != nil {
			w.t.Error(err)
		}
	}
}

// demote returns what makes root an account like others, for late.
func (w *world) demote() func() {
	return w.change(func(tx *store.Tx) error {
		operator := store.Viewer{Kind: store.Operator}
		ben, err1 := tx.User(w.cast.Ben.ID)
		root, err2 := tx.User(w.ids["$id:root"])
		return cmp.Or(err1, err2, account.Promote(tx, operator, ben), account.Demote(tx, operator, root))
	})
}

// A request whose credential ends while its body is on its way is refused and
// changes nothing, whatever the operation. So is that of an administrator who ceases
// to be one.
func TestCredentialEndsDuringBody(t *testing.T) {
	cases := matrixCases()
	staged := matrixStage(t)
	db := staged.snapshot()
	ofAdmins := 0
	for _, r := range api.Routes(api.Described()) {
		c := cases[r.Method+" "+r.Path]
		guard := r.Op.Info().Guard
		if r.Method == http.MethodGet || c.body == "" || c.own == 0 || guard == op.Public || guard == op.Bridge {
			continue
		}
		refused := func(who string, end func(*world) func()) func(*testing.T) {
			return func(t *testing.T) {
				t.Parallel()
				w := staged.copy(t, db)
				w.token(who)
				var before string
				status := w.late(who, r.Method, w.fillIDs(c.path), w.fillIDs(c.body), func() { end(w)(); before = w.state() })
				if status != 401 {
					t.Errorf("got %d", status)
				}
				if before == "" || w.state() != before {
					t.Error("the request changed the database")
				}
			}
		}
		if guard != op.AdminOnly {
			t.Run(r.Method+" "+r.Path, refused("ada", func(w *world) func() { return w.signOut("ada") }))
			continue
		}
		ofAdmins++
		t.Run(r.Method+" "+r.Path, refused("root", func(w *world) func() { return w.signOut("root") }))
		t.Run(r.Method+" "+r.Path+" of a former administrator", refused("root", (*world).demote))
	}
	if ofAdmins < 4 {
		t.Errorf("%d operations of administrators have a body", ofAdmins)
	}
}

// So it is for every way in which a credential ends or loses a right.
func TestWaysToEndDuringBody(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	var c struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"]}`)), 201, &c)
	key := func() string { return w.viewer("ada/rw").KeyID }
	for _, tc := range []struct {
		name, who string
		end       func()
		want      int
	}{
		{"nothing", "ada/rw", func() {}, 201},
		{"the scope write is taken", "ada/rw", func() {
			_, err := w.app.Account().UpdateAgentKey.Call(ctx, w.viewer("ada"),
				account.UpdateAgentKeyIn{ID: key(), Scopes: core.Some([]string{"read"})})
			if err != nil {
				t.Error(err)
			}
		}, 401},
		{"the key is revoked", "ada/rw", func() {
			if _, err := w.app.Account().RevokeAgentKey.Call(ctx, w.viewer("ada"), account.KeyIn{ID: key()}); err != nil {
				t.Error(err)
			}
		}, 401},
		{"the account is suspended", "ada", w.change(func(tx *store.Tx) error {
			u, err := tx.User(w.cast.Ada.ID)
			return cmp.Or(err, account.Suspend(tx, store.Viewer{Kind: store.Operator}, u))
		}), 401},
		{"the session expires", "ben", func() { w.clock.Advance(8 * 24 * time.Hour) }, 401},
	} {
		if got := w.late(tc.who, "POST", "/api/chat/conversations/"+c.ID+"/messages", `{"content":"late"}`, tc.end); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
		delete(w.tokens, "ada/rw")
	}
}

// So it is for a form of a page, whose session is that of a cookie, and for a tool.
func TestFormsAndToolsWithLateBody(t *testing.T) {
	staged := matrixStage(t)
	db := staged.snapshot()
	for _, tc := range []struct {
		name         string
		send         func(w *world, h http.Header, then func()) *httptest.ResponseRecorder
		header       func(w *world) http.Header
		status, late int
		code         string // of late
	}{
		{"form", func(w *world, h http.Header, then func()) *httptest.ResponseRecorder {
			return w.lateBody("POST", "/feedback", h, "message=late", then)
		}, func(w *world) http.Header {
			return http.Header{"Cookie": {w.cookie("ada")}, "Content-Type": {"application/x-www-form-urlencoded"}}
		}, 303, 401, ""},
		{"tool", func(w *world, h http.Header, then func()) *httptest.ResponseRecorder {
			call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_item","arguments":` +
				w.fillIDs(toolCases()["update_item"]) + `}}`
			return w.lateBody("POST", "/mcp", h, call, then)
		}, func(w *world) http.Header {
			h := mcpHeader()
			h.Set("Authorization", "Bearer "+w.token("ada"))
			return h
		}, 200, 401, `"code":"unauthenticated"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := staged.copy(t, db)
			w.canaries = nil // the page says who has signed in
			before := w.state()
			rec := tc.send(w, tc.header(w), func() { before = w.state() })
			if rec.Code != tc.status || strings.Contains(rec.Body.String(), `"isError":true`) || w.state() == before {
				t.Errorf("while nothing happens: got %d %s", rec.Code, rec.Body)
			}
			h := tc.header(w)
			rec = tc.send(w, h, func() {
				by, err := w.app.Account().Caller(&http.Request{Header: h})
				if err == nil {
					_, err = w.app.Account().Logout.Call(context.Background(), by, core.None{})
				}
				if err != nil {
					t.Error(err)
				}
				before = w.state()
			})
			if rec.Code != tc.late || !strings.Contains(rec.Body.String(), tc.code) {
				t.Errorf("the session ends: got %d %s, want %d %s", rec.Code, rec.Body, tc.late, tc.code)
			}
			if w.state() != before {
				t.Error("the request changed the database")
			}
		})
	}
}
