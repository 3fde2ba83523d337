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
	req := httptest.NewRequest(method, path, lateBody{strings.NewReader(body), new(sync.Once), then})
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Authorization", "Bearer "+w.token(who))
	rec := httptest.NewRecorder()
	w.h.ServeHTTP(rec, req)
	return rec.Code
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

// A request whose credential ends while its body is on its way is refused and
// changes nothing, whatever the operation.
func TestCredentialEndsDuringBody(t *testing.T) {
	cases := matrixCases()
	staged := matrixStage(t)
	db := staged.snapshot()
	for _, r := range api.Routes(api.Described()) {
		c := cases[r.Method+" "+r.Path]
		guard := r.Op.Info().Guard
		if r.Method == http.MethodGet || c.body == "" || c.own == 0 || guard == op.Public || guard == op.Bridge || guard == op.AdminOnly {
			continue
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			t.Parallel()
			w := staged.copy(t, db)
			var before string
			end := func() {
				if _, err := w.app.Account().Logout.Call(context.Background(), w.viewer("ada"), core.None{}); err != nil {
					t.Error(err)
				}
				before = w.state()
			}
			if status := w.late("ada", r.Method, w.fillIDs(c.path), w.fillIDs(c.body), end); status != 401 {
				t.Errorf("got %d", status)
			}
			if before == "" || w.state() != before {
				t.Error("the request changed the database")
			}
		})
	}
}

// So it is for every way in which a credential ends or loses a right.
func TestWaysToEndDuringBody(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	var c struct{ ID string }
	w.read(w.json("ada", "POST", "/api/chat/conversations", w.fillIDs(`{"participantIds":["$id:ben"]}`)), 201, &c)
	key := func() string { return w.viewer("ada/rw").KeyID }
	change := func(f func(tx *store.Tx) error) {
		if err := w.app.DB().Write(ctx, f); err != nil {
			t.Error(err)
		}
	}
	for _, tc := range []struct {
		name, who string
		end       func()
		want      int
	}{
		{"nothing", "ada/rw", func() {}, 201},
		{"the scope write is taken", "ada/rw", func() {
			_, err := w.app.Account().UpdateAgentKey.Call(ctx, w.viewer("ada"), account.UpdateAgentKeyIn{ID: key(), Scopes: core.Some([]string{"read"})})
			if err != nil {
				t.Error(err)
			}
		}, 401},
		{"the key is revoked", "ada/rw", func() {
			if _, err := w.app.Account().RevokeAgentKey.Call(ctx, w.viewer("ada"), account.KeyIn{ID: key()}); err != nil {
				t.Error(err)
			}
		}, 401},
		{"the account is suspended", "ada", func() {
			change(func(tx *store.Tx) error {
				u, err := tx.User(w.cast.Ada.ID)
				return cmp.Or(err, account.Suspend(tx, store.Viewer{Kind: store.Operator}, u))
			})
		}, 401},
		{"the session expires", "ben", func() { w.clock.Advance(8 * 24 * time.Hour) }, 401},
	} {
		if got := w.late(tc.who, "POST", "/api/chat/conversations/"+c.ID+"/messages", `{"content":"late"}`, tc.end); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
		delete(w.tokens, "ada/rw")
	}
}
