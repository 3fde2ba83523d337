package account

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// A pause lasts as long as it is told, or until its context ends.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := sleep(t.Context(), time.Hour); err != nil || time.Since(start) != time.Hour {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		if err := sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// openBubble returns a harness for deletions alone, on a database that can be opened
// within a bubble. It calls prepare with each statement before that is first run.
func openBubble(t *testing.T, prepare func(query string)) *harness {
	t.Helper()
	clock := store.NewManualClock(storetest.Epoch)
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"), store.Options{
		Schema: storetest.Schema(t), Now: clock.Now, OnPrepare: func(_ *store.Conn, query string) { prepare(query) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &harness{t: t, db: &storetest.DB{DB: db, Clock: clock}}
	h.cast = storetest.People(t, h.db)
	h.Service = &Service{db: db}
	return h
}

// Between the small writes of a deletion the writer is left to others for as long as
// the last of them took, and the next is as large as that allows.
func TestDeletionPausesBetweenWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const took = 4 * scrubTime
		h := openBubble(t, func(query string) {
			if strings.Contains(query, "FROM message x INDEXED BY message_sender WHERE x.sender_id = ? LIMIT ?") {
				time.Sleep(took)
			}
		})
		h.commit(func(tx *store.Tx) error {
			return errors.Join(h.say(tx, h.cast.Ben, make([]string, 10)...), tx.Freeze(h.cast.Ben.ID))
		})
		if err := h.redactFrozen(t.Context()); err != nil {
			t.Fatal(err)
		}
		var sizes []int
		start := time.Now()
		if err := h.scrub(t.Context(), h.cast.Ben.ID, func(n int) { sizes = append(sizes, n) }); err != nil {
			t.Fatal(err)
		}
		if elapsed := time.Since(start); elapsed != 2*took || len(sizes) < 4 || !slices.Equal(sizes[:4], []int{4, 1, 2, 4}) {
			t.Errorf("after %v, of which %v in a write, the sizes are %v", elapsed, took, sizes)
		}
	})
}

// What is done in steps leaves the writer to others in between for as long as each
// step took.
func TestStepsPauseInBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openBubble(t, func(string) {})
		var sizes []int
		start := time.Now()
		err := h.inSteps(t.Context(), func(_ *store.Tx, size int) (bool, error) {
			sizes = append(sizes, size)
			time.Sleep(2 * scrubTime)
			return len(sizes) < 4, nil
		})
		if elapsed := time.Since(start); err != nil || elapsed != 7*2*scrubTime || !slices.Equal(sizes, []int{4, 2, 1, 1}) {
			t.Errorf("after %v, the sizes are %v, %v", elapsed, sizes, err)
		}
	})
}

// A request for a deletion that takes longer than 20 seconds succeeds without its last
// writes: the account is read as deleted, and the job does the rest.
func TestLongDeletionIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var others sync.WaitGroup
		h := openBubble(t, func(string) {})
		h.onRedact = func(*store.Tx, store.Redaction) error {
			others.Go(func() { // a write that begins before those of the deletion
				if err := h.db.Write(t.Context(), func(*store.Tx) error { time.Sleep(time.Minute); return nil }); err != nil {
					t.Error(err)
				}
			})
			for range 10_000_000 {
				if h.db.Queued() > 0 {
					return nil
				}
				runtime.Gosched()
			}
			return errors.New("no other write waits")
		}
		start := time.Now()
		if _, err := h.deleteMe(t.Context(), storetest.Human(h.cast.Ben), core.None{}); err != nil {
			t.Error(err)
		}
		if elapsed := time.Since(start); elapsed < eraseTime || elapsed > time.Minute {
			t.Errorf("answered after %v", elapsed)
		}
		others.Wait()
		h.wantStage("when it is answered", h.cast.Ben.ID, store.Redacted)
		h.job()
		h.wantStage("after the job", h.cast.Ben.ID, store.Removed)
	})
}

// The exports of all accounts take an eighth of the time together, and one that waits
// for its turn ends with its request.
func TestTurnsOfExports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExporting()
		start := time.Now()
		err := x.turn(t.Context(), func() error { time.Sleep(time.Second); return nil })
		if elapsed := time.Since(start); err != nil || elapsed != 8*time.Second {
			t.Errorf("a turn of a second took %v, %v", elapsed, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = x.turn(t.Context(), func() error {
			return x.turn(ctx, func() error { t.Error("two turns at once"); return nil })
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a turn: %v", err)
		}
		failed := errors.New("failed")
		start = time.Now()
		if err := x.turn(t.Context(), func() error { time.Sleep(time.Second); return failed }); err != failed || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}
