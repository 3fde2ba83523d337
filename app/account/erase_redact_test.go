package account

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// stage returns how far the deletion of an account is; "" if it is not being deleted,
// or is deleted.
func (h *harness) stage(id string) (stage store.Stage) {
	h.t.Helper()
	err := h.db.Read(context.Background(), func(r *store.Reader) error {
		e, err := r.Erasure(id)
		stage = e.Stage
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		h.t.Fatal(err)
	}
	return stage
}

// wantStage fails the test unless the deletion of an account has the stage, and the
// account is there until the stage Removed.
func (h *harness) wantStage(what, id string, want store.Stage) {
	h.t.Helper()
	if got := h.stage(id); got != want {
		h.t.Errorf("%s: the deletion is at %q, want %q", what, got, want)
	}
	err := h.db.Read(context.Background(), func(r *store.Reader) error { _, err := r.User(id); return err })
	if gone := want == store.Removed; gone != errors.Is(err, store.ErrNoRow) {
		h.t.Errorf("%s: the account: %v", what, err)
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

// onRedaction sets what runs in the writes of a redaction.
func onRedaction(f func(tx *store.Tx, what store.Redaction) error) func(*Config) {
	return func(c *Config) { c.Redacted = f }
}

// beside runs f while the writer is held by another write, which goes on once a write
// of f waits for it: f reads the state before the other write, and writes after it.
func (h *harness) beside(other func(tx *store.Tx) error, f func() error) error {
	h.t.Helper()
	var once sync.Once
	began, goOn, both := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		both <- h.db.Write(context.Background(), func(tx *store.Tx) error {
			once.Do(func() { close(began) })
			<-goOn
			return other(tx)
		})
	}()
	<-began
	go func() { both <- f() }()
	for end := time.Now().Add(5 * time.Second); h.db.Queued() == 0 && time.Now().Before(end); {
		runtime.Gosched()
	}
	close(goOn)
	return errors.Join(<-both, <-both)
}

// An account is deleted by those who are still signed in alone: not by a request that
// was authenticated before the end of its session.
func TestDeletionNeedsItsSession(t *testing.T) {
	h := open(t)
	ben := h.as("ben@example.org")
	h.changeOf(h.cast.Ben.ID, func(tx *store.Tx, u store.User) error { _, err := revokeSessions(tx, u); return err })
	if _, err := h.deleteMe(t.Context(), ben, core.None{}); !errors.Is(err, core.ErrUnauthenticated) {
		t.Errorf("got %v", err)
	}
	h.wantStage("after the end of the session", h.cast.Ben.ID, "")
	if _, err := h.deleteMe(t.Context(), h.as("ben@example.org"), core.None{}); err != nil {
		t.Error(err)
	}
	h.wantStage("within a session", h.cast.Ben.ID, store.Removed)
}

// Once an account is frozen, its deletion goes on when the request is cancelled: nobody
// could send it again.
func TestDeletionOutlivesItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := open(t, onRedaction(func(*store.Tx, store.Redaction) error { cancel(); return nil }))
	if _, err := h.deleteMe(ctx, storetest.Human(h.cast.Ben), core.None{}); err != nil {
		t.Error(err)
	}
	if ctx.Err() == nil {
		t.Error("the request is not cancelled")
	}
	h.wantStage("after a request that was cancelled", h.cast.Ben.ID, store.Removed)
}

// The streams of an account and of its bots end with its deletion.
func TestDeletionEndsStreams(t *testing.T) {
	h := open(t)
	bot := h.bot("Gardener").Bot.ID
	if _, err := h.deleteMe(t.Context(), storetest.Human(h.cast.Ada), core.None{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{h.cast.Ada.ID, bot} {
		h.wantStage("after the deletion", id, store.Removed)
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

// Friendships end 200 in a write, whose people are told of in the same; a write that
// ends none tells nobody.
func TestFriendsAreToldInParts(t *testing.T) {
	t.Parallel()
	h := open(t, onRedaction(func(tx *store.Tx, what store.Redaction) error {
		return tx.Emit(store.Event{Topic: "told", Kind: "told", ObjectID: fmt.Sprint(what.UserID, " ", len(what.People), " ", what.Done)})
	}))
	var friends []string
	h.commit(func(tx *store.Tx) error {
		friends = friends[:0]
		for n := range 201 {
			u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("friend%d@example.org", n), Name: "F", SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			friends = append(friends, u.ID)
		}
		return nil
	})
	var want []string
	for _, tc := range []struct {
		user    store.User
		friends int
		told    []string
	}{
		{h.cast.Ada, 0, []string{"0 true"}},
		{h.cast.Ben, 1, []string{"1 false", "0 true"}},
		{h.cast.Cleo, 200, []string{"200 false", "0 true"}},
		{h.cast.Stranger, 201, []string{"200 false", "1 false", "0 true"}},
	} {
		h.commit(func(tx *store.Tx) (err error) {
			for _, id := range friends[:tc.friends] {
				err = errors.Join(err, tx.PutFriends(tc.user.ID, id, "friends", "friends"))
			}
			return err
		})
		if _, err := h.deleteMe(t.Context(), storetest.Human(tc.user), core.None{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range tc.told {
			want = append(want, "told "+tc.user.ID+" "+s)
		}
	}
	if got := h.events("told"); !slices.Equal(got, want) {
		t.Errorf("told:\n%q\nwant\n%q", got, want)
	}
}

// If one of a person's accounts changes while they are made to be read as deleted, all of
// them stay as they were, and are read again; the last time, that is an error.
func TestRedactionOfAllOrNone(t *testing.T) {
	changes := true
	var h *harness
	var bot store.User
	h = open(t, onRedaction(func(tx *store.Tx, what store.Redaction) error {
		if !changes || what.UserID != bot.ID {
			return nil
		}
		return h.say(tx, h.cast.Ada, "one more")
	}))
	h.commit(func(tx *store.Tx) (err error) {
		bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: h.cast.Ada.ID, SignupProvider: "test"})
		return err
	})
	ids := []string{bot.ID, h.cast.Ada.ID}
	if done, err := h.tryRedact(t.Context(), ids, false); !done || err != nil {
		t.Fatalf("without an account: %v, %v", done, err)
	}
	for _, u := range []store.User{h.cast.Ada, bot} {
		h.commit(func(tx *store.Tx) error { return errors.Join(h.say(tx, u, "first"), tx.Freeze(u.ID)) })
	}
	want := func(what string, stage store.Stage, inLedger int) {
		t.Helper()
		h.wantStage(what, h.cast.Ada.ID, stage)
		h.wantStage(what, bot.ID, stage)
		if ledger, err := store.ReadLedger(h.db.Path()); err != nil || len(ledger) != inLedger {
			t.Errorf("%s: the ledger beside the file: %v, %v", what, ledger, err)
		}
	}
	if done, err := h.tryRedact(t.Context(), ids, false); done || err != nil {
		t.Fatalf("with a change: %v, %v", done, err)
	}
	want("with a change", store.Frozen, 0)
	if done, err := h.tryRedact(t.Context(), ids, true); done || !errors.Is(err, errRedactAgain) {
		t.Fatalf("with a change at the last try: %v, %v", done, err)
	}
	if err := h.redactFrozen(t.Context(), ""); !errors.Is(err, errRedactAgain) {
		t.Fatalf("with changes at every try: %v", err)
	}
	want("with changes at every try", store.Frozen, 0)
	changes = false
	if done, err := h.tryRedact(t.Context(), ids, false); !done || err != nil {
		t.Fatalf("without a change: %v, %v", done, err)
	}
	want("without a change", store.Redacted, 2)
}

// The deletion of an account that fails holds up no other, neither within the job, at
// the start of the server nor as a request.
func TestDeletionBesideOneThatFails(t *testing.T) {
	refused := errors.New("refused")
	var h *harness
	h = open(t, onRedaction(func(tx *store.Tx, what store.Redaction) error {
		if what.UserID == h.cast.Ada.ID {
			return refused
		}
		return nil
	}))
	for _, u := range []store.User{h.cast.Ada, h.cast.Ben} {
		h.commit(func(tx *store.Tx) error { return errors.Join(h.say(tx, u, "first"), tx.Freeze(u.ID)) })
	}
	failed := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrNotDeleted) || !errors.Is(err, refused) || strings.Contains(err.Error(), h.cast.Ben.ID) {
			t.Errorf("%s: %v", what, err)
		}
		h.wantStage(what, h.cast.Ada.ID, store.Frozen)
	}
	_, err := h.ReapplyErasures(t.Context(), func(int) {})
	failed("at the start", err)
	h.wantStage("at the start", h.cast.Ben.ID, store.Redacted)
	failed("within the job", h.ContinueErasures(t.Context()))
	h.wantStage("within the job", h.cast.Ben.ID, store.Removed)
	if err := h.Erase(t.Context(), h.cast.Cleo.Email, nil); err != nil {
		t.Errorf("as a request: %v", err)
	}
	h.wantStage("as a request", h.cast.Cleo.ID, store.Removed)
}

// A message that is sent between the read of the messages and the write makes them be
// read again, and at the last try is read within the write.
func TestMessageBesideARedaction(t *testing.T) {
	t.Parallel()
	for _, last := range []bool{false, true} {
		h := open(t)
		h.commit(func(tx *store.Tx) error { return errors.Join(h.say(tx, h.cast.Ben, "first"), tx.Freeze(h.cast.Ben.ID)) })
		var done bool
		err := h.beside(func(tx *store.Tx) error { return h.say(tx, h.cast.Ben, "late") }, func() (err error) {
			done, err = h.tryRedact(t.Context(), []string{h.cast.Ben.ID}, last)
			return err
		})
		if err != nil || done != last {
			t.Errorf("at the last try %v: done %v, %v", last, done, err)
		}
		want := store.Frozen
		if last {
			want = store.Redacted
		}
		h.wantStage("after a message", h.cast.Ben.ID, want)
	}
}
