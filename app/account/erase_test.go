package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// commit runs a write that must not fail.
func (h *harness) commit(f func(tx *store.Tx) error) {
	h.t.Helper()
	if err := h.db.Write(context.Background(), f); err != nil {
		h.t.Fatal(err)
	}
}

// say sends messages of an account to the stranger.
func (h *harness) say(tx *store.Tx, u store.User, texts ...string) error {
	id, _, err := tx.InsertDirect(u.ID, h.cast.Stranger.ID, "")
	for _, text := range texts {
		m := store.Message{ConversationID: id, SenderID: u.ID, Content: text, Type: "text"}
		if tx.Now = tx.Tick(); err == nil {
			err = tx.Send(&m, nil)
		}
		if err == nil {
			err = tx.Emit(store.Event{Topic: id, Kind: "message.created", ObjectID: m.ID, ActorID: u.ID})
		}
	}
	return err
}

// wantUser fails the test unless the account is there or not.
func (h *harness) wantUser(what, id string, want bool) {
	h.t.Helper()
	err := h.db.Read(context.Background(), func(r *store.Reader) error { _, err := r.User(id); return err })
	if want != (err == nil) || !want && !errors.Is(err, store.ErrNoRow) {
		h.t.Errorf("%s: the account: %v", what, err)
	}
}

// The streams of an account and of its bots end with its deletion.
func TestDeletionEndsStreams(t *testing.T) {
	h := open(t)
	bot := h.bot("Gardener").Bot.ID
	if _, err := h.deleteMe(t.Context(), storetest.Human(h.cast.Ada), core.None{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{h.cast.Ada.ID, bot} {
		h.wantUser("after the deletion", id, false)
		if !contains(h.events(id), "auth.changed "+id) {
			t.Errorf("the events of %s are %q", id, h.events(id))
		}
	}
	ledger, err := store.ReadLedger(h.db.Path())
	ids := core.Map(ledger, func(e store.Erased) string { return e.UserID })
	if slices.Sort(ids); err != nil || !slices.Equal(ids, slices.Sorted(slices.Values([]string{h.cast.Ada.ID, bot}))) {
		t.Errorf("the ledger beside the file: %q, %v", ids, err)
	}
}

// Accounts of the ledger that are there again, because an older file was restored, are
// deleted when the file is opened; and the ledger in the file and the one beside it are
// the same afterwards.
func TestLedgerIsReapplied(t *testing.T) {
	t.Parallel()
	h := open(t)
	inFile := store.Erased{UserID: store.NewID(), At: 5}
	beside := []store.Erased{{UserID: h.cast.Ben.ID, At: 6}, {UserID: h.cast.Cleo.ID, At: 7}, {UserID: store.NewID(), At: 8}}
	h.commit(func(tx *store.Tx) error {
		return errors.Join(h.say(tx, h.cast.Ben, "a", "b"), tx.AddErased([]store.Erased{inFile}))
	})
	if err := h.db.AppendLedger(beside); err != nil {
		t.Fatal(err)
	}
	if n, err := h.ReapplyErasures(t.Context()); err != nil || n != 2 {
		t.Errorf("%d accounts, %v", n, err)
	}
	h.wantUser("in the ledger", h.cast.Ben.ID, false)
	h.wantUser("in the ledger", h.cast.Cleo.ID, false)
	h.wantUser("not in the ledger", h.cast.Ada.ID, true)
	var table []store.Erased
	if err := h.db.Read(t.Context(), func(r *store.Reader) (err error) { table, err = r.Erased(); return err }); err != nil {
		t.Fatal(err)
	}
	text, err := store.ReadLedger(h.db.Path())
	for _, e := range append(beside, inFile) {
		for where, ledger := range map[string][]store.Erased{"in the file": table, "beside it": text} {
			if !strings.Contains(fmt.Sprint(ledger), fmt.Sprint(e)) || len(ledger) != 4 {
				t.Errorf("%v is not in the ledger %s: %v, %v", e, where, ledger, err)
			}
		}
	}
}
