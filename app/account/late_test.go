package account

import (
	"context"
	"io"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// changeOf changes an account in a write of its own.
func (h *harness) changeOf(id string, change func(tx *store.Tx, u store.User) error) {
	h.t.Helper()
	err := h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		u, err := tx.User(id)
		if err == nil {
			err = change(tx, u)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// whatEnds are the changes of an account after which nothing that began before them is
// carried out with its credentials.
var whatEnds = map[string]func(tx *store.Tx, u store.User) error{
	"suspended":         func(tx *store.Tx, u store.User) error { return Suspend(tx, store.Viewer{Kind: store.Operator}, u) },
	"signed out":        func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err },
	"suspended, no end": func(tx *store.Tx, u store.User) error { u.SuspendedAt = tx.Now; _, err := tx.UpdateUser(u); return err },
	"newer epoch":       func(tx *store.Tx, u store.User) error { u.Epoch++; _, err := tx.UpdateUser(u); return err },
}

// A password that was compared with an account as it was gives no session to it as it
// is, if its password or its right to sign in has changed meanwhile.
func TestAccountChangesWhilePasswordIsCompared(t *testing.T) {
	t.Parallel()
	changes := map[string]func(tx *store.Tx, u store.User) error{
		"":     func(*store.Tx, store.User) error { return nil },
		"name": func(tx *store.Tx, u store.User) error { u.Name = "Other"; _, err := tx.UpdateUser(u); return err },
		"password": func(tx *store.Tx, u store.User) error {
			u.PasswordHash = "other"
			_, err := tx.UpdateUser(u)
			return err
		},
		"deleted": func(tx *store.Tx, u store.User) error { _, err := tx.EraseUser(u.ID); return err },
	}
	for name, change := range whatEnds {
		changes[name] = change
	}
	for name, change := range changes {
		h := open(t)
		var compared store.User
		h.changeOf(h.cast.Ben.ID, func(_ *store.Tx, u store.User) error { compared = u; return nil })
		h.changeOf(h.cast.Ben.ID, change)
		row, err := h.addLoginSession(t.Context(), store.Viewer{Device: "d"}, compared)
		if ok := name == "" || name == "name"; (err == nil) != ok || (row.ID != "") != ok || !ok && !core.IsKind(err, core.Unauthenticated) {
			t.Errorf("%s: %+v, %v", name, row, err)
		}
	}
	h := open(t)
	if _, err := h.addLoginSession(t.Context(), store.Viewer{}, store.User{ID: store.NewID()}); !core.IsKind(err, core.Unauthenticated) {
		t.Errorf("an account that is gone: %v", err)
	}
}

// What outlives a session is made only while it lives, for its own account: keys and
// whatever else checkSession guards.
func TestSessionEndsBeforeTheWrite(t *testing.T) {
	t.Parallel()
	check := func(h *harness, by store.Viewer) (err error) {
		t.Helper()
		if e := h.db.Read(t.Context(), func(r *store.Reader) error { err = checkSession(r, by); return nil }); e != nil {
			t.Fatal(e)
		}
		return err
	}
	for name, change := range whatEnds {
		h := open(t)
		var row store.Session
		h.changeOf(h.cast.Ben.ID, func(tx *store.Tx, u store.User) (err error) {
			row, err = addToken(tx, u, "token", "d", time.Hour)
			return err
		})
		by := storetest.Human(h.cast.Ben)
		if by.SessionID = row.ID; check(h, by) != nil {
			t.Errorf("%s: refused before", name)
		}
		other := storetest.Human(h.cast.Ada)
		if other.SessionID = row.ID; !core.IsKind(check(h, other), core.Unauthenticated) {
			t.Errorf("%s: somebody else's session", name)
		}
		h.changeOf(h.cast.Ben.ID, change)
		if err := check(h, by); !core.IsKind(err, core.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := h.CreateAgentKey.Call(t.Context(), by, CreateAgentKeyIn{Name: "k"}); !core.IsKind(err, core.Unauthenticated) {
			t.Errorf("%s: a key is made: %v", name, err)
		}
	}
}

// What a key was used for is shown with what is not stored yet, and counted once: also
// while it is being stored, when what is read may have it or not.
func TestActivityWhileItIsStored(t *testing.T) {
	var u usage
	act := keyAct{keyID: "k", operation: "SendMessage"}
	shown := func(stored ...store.KeyUse) (n int64, last store.Time) {
		for _, k := range u.withPending("k", stored) {
			n, last = n+int64(k.Uses), max(last, k.LastAt)
		}
		return n, last
	}
	want := func(what string, uses int64, last store.Time, stored ...store.KeyUse) {
		t.Helper()
		if n, at := shown(stored...); n != uses || at != last {
			t.Errorf("%s: %d uses, the last at %d; want %d, %d", what, n, at, uses, last)
		}
	}
	stored := func(n int, at store.Time) store.KeyUse {
		return store.KeyUse{KeyID: "k", Operation: "SendMessage", Uses: n, LastAt: at}
	}
	want("nothing", 0, 0)
	u.noteAct(act, 1)
	u.noteAct(act, 2)
	u.noteAct(keyAct{keyID: "other", operation: "SendMessage"}, 9)
	want("pending", 2, 2)
	want("pending, and stored", 7, 2, stored(5, 1))
	u.begin()
	want("being stored", 2, 2)
	want("being stored, and read already", 7, 2, stored(7, 2))
	u.noteAct(act, 3)
	want("and used again", 3, 3)
	want("and used again, read already", 8, 3, stored(7, 2))
	u.end(false)
	want("not stored", 3, 3)
	u.begin()
	u.end(true)
	want("stored", 3, 3, stored(3, 3))

	used := func(what string, want store.Time) {
		t.Helper()
		if got := u.lastUse("k", 1); got != want {
			t.Errorf("%s: last used at %d, want %d", what, got, want)
		}
	}
	used("stored", 1)
	u.note(botWithKey("u", "k"), 5)
	u.begin()
	used("being stored", 5)
	u.note(botWithKey("u", "k"), 6)
	u.note(store.Viewer{Kind: store.Human, UserID: "v"}, 7)
	used("and used again", 6)
	u.end(false)
	if again := u.begin(); again.keys["k"] != 6 || again.users["u"] != 6 || again.users["v"] != 7 || len(again.keys) != 1 {
		t.Errorf("not stored: %+v", again)
	}
	u.end(true)
	used("stored meanwhile", 1)
}

// A token that did not come in a header counts as used, too.
func TestUseOfATokenIsNoted(t *testing.T) {
	h := open(t)
	made, err := h.CreateAgentKey.Call(t.Context(), storetest.Human(h.cast.Ada), CreateAgentKeyIn{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"", "oc_wrong", made.Key + "x"} {
		if v, err := h.TokenCaller(t.Context(), token); err == nil && v.SignedIn() {
			t.Errorf("%q is accepted", token)
		}
	}
	if h.used.lastUse(made.ID, 0) != 0 {
		t.Error("a token that was refused counts as used")
	}
	if v, err := h.TokenCaller(t.Context(), " "+made.Key); err != nil || v.KeyID != made.ID {
		t.Errorf("got %+v, %v", v, err)
	}
	if h.used.lastUse(made.ID, 0) == 0 {
		t.Error("its use is not noted")
	}
}

// An export reads nothing more once the session that began it has ended.
func TestSessionEndsDuringExport(t *testing.T) {
	t.Parallel()
	for name, change := range whatEnds {
		var h *harness
		turns := 0
		h = open(t, func(c *Config) {
			c.Exports = func() map[string]core.ExportFunc {
				return map[string]core.ExportFunc{"messages": func(ctx context.Context, e *core.Export) error {
					return core.ExportPages(ctx, e, func() ([]int, error) {
						if turns++; turns == 1 {
							return []int{1}, nil
						}
						return nil, nil
					})
				}}
			}
		})
		by := storetest.Human(h.cast.Ben)
		h.changeOf(by.UserID, func(tx *store.Tx, u store.User) error {
			row, err := addToken(tx, u, "token", "d", time.Hour)
			by.SessionID = row.ID
			return err
		})
		err := h.Export(t.Context(), by, ExportIn{Range: "all_time"}, func(string) io.Writer {
			return writerFunc(func(p []byte) (int, error) {
				if turns == 1 {
					h.changeOf(by.UserID, change)
				}
				return len(p), nil
			})
		})
		if !core.IsKind(err, core.Unauthenticated) || turns != 1 {
			t.Errorf("%s: %d pages, %v", name, turns, err)
		}
	}
}

// writerFunc is a function that is an io.Writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
