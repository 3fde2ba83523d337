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

// A password check gives no session if the account's password or its right to sign in
// has changed meanwhile.
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
