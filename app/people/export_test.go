package people_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A friendship that ends while an account is exported is left out, and the others keep
// their order: friends, those who asked, those who were asked.
func TestExportLeavesOutWhatEnded(t *testing.T) {
	w := newWorld(t)
	ids := []string{w.add("asks"), w.add("asked"), w.add("ends"), w.add("stays")}
	w.write(func(tx *store.Tx) error {
		for i, state := range []string{"incoming", "outgoing", "friends", "friends"} {
			mirrored := map[string]string{"incoming": "outgoing", "outgoing": "incoming", "friends": "friends"}[state]
			if err := tx.PutFriends(w.cast.Ada.ID, ids[i], state, mirrored); err != nil {
				return err
			}
		}
		return nil
	})
	got := w.exported("friendConnections", func() {
		w.write(func(tx *store.Tx) error {
			_, err := tx.DeleteFriends(w.cast.Ada.ID, ids[2])
			return err
		})
	})
	if want := []string{"stays", "asks", "asked"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}

// A block that ends while its blocker exports is left out, also because the account is
// deleted, and the others keep their order: the latest first.
func TestExportLeavesOutEndedBlocks(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for _, name := range []string{"first", "deleted", "unblocked", "last"} {
		id := w.add(name)
		ids = append(ids, id)
		w.db.Clock.Advance(time.Second)
		w.write(func(tx *store.Tx) error {
			_, err := tx.InsertBlock(w.cast.Ada.ID, id)
			_, err2 := tx.InsertBlock(w.cast.Ben.ID, id)
			return errors.Join(err, err2)
		})
	}
	got := w.exported("blockedUsers", func() {
		w.write(func(tx *store.Tx) error { return tx.DeleteBlock(w.cast.Ada.ID, ids[2]) })
		w.write(func(tx *store.Tx) error { _, err := tx.EraseUser(ids[1]); return err })
	})
	if want := []string{"last", "first"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
}

// exported returns the names of the people in a member of Ada's export, during the
// first page of which something happens: once it is known whom it has.
func (w *world) exported(member string, then func()) (names []string) {
	w.t.Helper()
	var text bytes.Buffer
	happens := sync.OnceFunc(then)
	e := &core.Export{By: storetest.Human(w.cast.Ada), JSON: jsontext.NewEncoder(&text),
		Turn: func(_ context.Context, page func() error) error {
			happens()
			return page()
		}}
	if err := w.Exports()[member](w.t.Context(), e); err != nil {
		w.t.Fatal(err)
	}
	var rows []struct{ User struct{ Name string } }
	if err := json.Unmarshal(text.Bytes(), &rows, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		names = append(names, r.User.Name)
	}
	return names
}
