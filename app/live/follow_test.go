package live

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// stepped is a hub on a real database that reads the log only when the test
// calls step.
type stepped struct {
	*Hub
	db *storetest.DB
}

func newStepped(t *testing.T, old int) stepped {
	t.Helper()
	s := stepped{db: storetest.Open(t)}
	if old > 0 {
		s.emit(t, slices.Repeat([]string{"before"}, old)...)
	}
	hub, err := New(t.Context(), Config{
		DB: s.db.DB, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Poll: time.Hour,
		Credentials: func(_ *store.Reader, vs []store.Viewer) ([]bool, error) {
			return slices.Repeat([]bool{true}, len(vs)), nil
		},
		Events: []core.Event{{Kind: "note", Scope: core.ToUser, Data: true, Render: func(_ *store.Reader, _ store.Viewer, evs []store.Event) ([][]byte, error) {
			return slices.Repeat([][]byte{[]byte("{}")}, len(evs)), nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Hub = hub
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := hub.Close(ctx); err != nil {
			t.Errorf("the hub does not close: %v", err)
		}
	})
	return s
}

// emit writes one event for each of the accounts in one commit and returns them.
func (s stepped) emit(t *testing.T, users ...string) (events []store.Event) {
	t.Helper()
	err := s.db.Write(t.Context(), func(tx *store.Tx) error {
		for _, u := range users {
			if err := tx.Emit(store.Event{Topic: u, Kind: "note", ObjectID: "n"}); err != nil {
				return err
			}
		}
		_, newest, err := tx.EventRange()
		events = events[:0]
		for i, u := range users {
			events = append(events, store.Event{ID: newest - int64(len(users)-1-i), Topic: u, Kind: "note"})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// subscribe opens the feed of an account.
func (s stepped) subscribe(t *testing.T, user string) *Subscription {
	t.Helper()
	sub, err := s.Subscribe(t.Context(), store.Viewer{Kind: store.Human, UserID: user}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sub.Close)
	return sub
}

// read calls step and wants it to report more.
func (s stepped) read(t *testing.T, more bool) {
	t.Helper()
	if got, err := s.step(t.Context()); err != nil || got != more {
		t.Errorf("step reports more: %v, %v, want %v", got, err, more)
	}
}

// startOf opens and closes a feed that knew only an empty log when it was being
// opened, and returns where it begins.
func (s stepped) startOf(t *testing.T) int64 {
	t.Helper()
	sub := &Subscription{hub: s.Hub, viewer: store.Viewer{Kind: store.Human, UserID: "late"}, done: make(chan struct{})}
	if err := s.register(sub); err != nil {
		t.Fatal(err)
	}
	sub.Close()
	return sub.start
}

// There may be more events after a full batch, and after no other.
func TestStepReadsOneBatch(t *testing.T) {
	s := newStepped(t, 0)
	s.subscribe(t, "a")
	s.emit(t, slices.Repeat([]string{"other"}, 2*eventBatch+1)...)
	for _, more := range []bool{true, true, false} {
		s.read(t, more)
	}
	s.emit(t, slices.Repeat([]string{"other"}, eventBatch)...)
	for _, more := range []bool{true, false} {
		s.read(t, more)
	}
	s.emit(t, slices.Repeat([]string{"other"}, eventBatch-1)...)
	s.read(t, false)
}

// What was in the log before the hub was opened is not read again.
func TestHubBeginsAtTheEndOfTheLog(t *testing.T) {
	s := newStepped(t, 2*eventBatch)
	s.subscribe(t, "a")
	s.read(t, false)
	if s.last != 2*eventBatch {
		t.Errorf("the hub is at %d, want the end of the log, %d", s.last, 2*eventBatch)
	}
}

// While no stream is open the hub moves to the end of the log in one step,
// however long it is.
func TestUnwatchedLogIsNotRead(t *testing.T) {
	s := newStepped(t, 0)
	s.emit(t, slices.Repeat([]string{"a"}, 2*eventBatch+1)...)
	s.read(t, false)
	if s.last != 2*eventBatch+1 {
		t.Errorf("the hub is at %d, want the end of the log, %d", s.last, 2*eventBatch+1)
	}
}

// A stream begins no earlier than where the hub is, also if the log was shorter
// when the stream was being opened: what the hub has passed is not delivered.
func TestStreamsBeginWhereTheHubIs(t *testing.T) {
	s := newStepped(t, 3)
	if got := s.startOf(t); got != 3 {
		t.Errorf("in a new hub a stream begins at %d, want 3", got)
	}
	s.emit(t, "a", "a")
	s.read(t, false)
	if got := s.startOf(t); got != 5 {
		t.Errorf("after a step without streams a stream begins at %d, want 5", got)
	}
	s.Notify(s.emit(t, "a", "a", "a"))
	if got := s.startOf(t); got != 8 {
		t.Errorf("after a commit without streams a stream begins at %d, want 8", got)
	}
}

// A feed reads the events up to where it begins from the log: only later ones
// are queued for it.
func TestOnlyLaterEventsAreQueued(t *testing.T) {
	s := newStepped(t, 0)
	s.emit(t, "a", "a")
	sub := s.subscribe(t, "a")
	s.read(t, false)
	if n := len(sub.frames); n != 0 {
		t.Fatalf("%d events that are older than the stream are queued", n)
	}
	s.emit(t, "a", "b")
	s.read(t, false)
	if n := len(sub.frames); n != 1 {
		t.Fatalf("%d events are queued, want 1", n)
	}
	if f := <-sub.frames; f.id != 3 {
		t.Errorf("the event %d is queued, want 3", f.id)
	}
}
