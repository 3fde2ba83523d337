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
	v, err := w.app.Account.Caller(w.bearerOf(who))
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
		if _, err := w.app.Account.Logout.Call(context.Background(), w.viewer(who), core.None{}); err != nil {
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
	for _, r := range api.Described() {
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
