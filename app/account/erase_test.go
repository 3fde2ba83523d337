package account

import (
	"context"
	"errors"
	"fmt"
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
		if err := h.redactFrozen(t.Context(), ""); err != nil {
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

// freezing begins the deletion of an account.
func (h *harness) freezing(u store.User) {
	h.t.Helper()
	if err := h.db.Write(h.t.Context(), func(tx *store.Tx) error { return freeze(tx, u.ID) }); err != nil {
		h.t.Fatal(err)
	}
}

// stageOf returns how far the deletion of an account is.
func (h *harness) stageOf(u store.User) store.Stage {
	h.t.Helper()
	var e store.Erasure
	err := h.db.Read(h.t.Context(), func(r *store.Reader) (err error) { e, err = r.Erasure(u.ID); return err })
	if err != nil && !errors.Is(err, store.ErrNoRow) {
		h.t.Fatal(err)
	}
	return e.Stage
}

// during runs f while another write is under way, which ends when f waits for it or has
// ended, or after a while. It reports whether f waited.
func (h *harness) during(write func(*store.Tx) error, f func() error) (waited bool, err error) {
	h.t.Helper()
	var once sync.Once
	began, end, written, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		written <- h.db.Write(context.Background(), func(tx *store.Tx) error {
			once.Do(func() { close(began) })
			<-end
			return write(tx)
		})
	}()
	<-began
	go func() { ended <- f() }()
	for late := time.Now().Add(5 * time.Second); !waited && len(ended) == 0 && time.Now().Before(late); {
		waited = h.db.Queued() > 0
		runtime.Gosched()
	}
	close(end)
	return waited, errors.Join(<-written, <-ended)
}

// What frozen accounts wrote is read at most five times, the last time within the write,
// while it changes.
func TestRedactionIsTriedFiveTimes(t *testing.T) {
	t.Parallel()
	for changes, want := range map[int]int{0: 1, 1: 2, 4: 5, 5: 5, 9: 5} {
		h := openBubble(t, func(string) {})
		tries := 0
		h.onRedact = func(*store.Tx, store.Redaction) error {
			if tries++; tries > changes {
				return nil
			}
			return errRedactAgain
		}
		h.freezing(h.cast.Ben)
		err := h.redactFrozen(t.Context(), "")
		if done := changes < 5; tries != want || done != (err == nil) || !done && !errors.Is(err, errRedactAgain) {
			t.Errorf("with %d changes: %d tries, %v", changes, tries, err)
		}
	}
}

// An account that another process makes be read as deleted, after what it wrote was read,
// is not changed again.
func TestRedactionByAnotherProcess(t *testing.T) {
	for _, inWrite := range []bool{false, true} {
		h := open(t, func(c *Config) {
			c.Redacted = func(*store.Tx, store.Redaction) error { return errors.New("changed again") }
		})
		h.freezing(h.cast.Ben)
		var done bool
		waited, err := h.during(func(tx *store.Tx) error {
			a, err := tx.Authored(h.cast.Ben.ID)
			if err == nil {
				_, err = tx.Redact(a)
			}
			return err
		}, func() (err error) { done, err = h.tryRedact(t.Context(), []string{h.cast.Ben.ID}, inWrite); return err })
		if !waited || err != nil || done != inWrite {
			t.Errorf("within the write %v: waited %v, done %v, %v", inWrite, waited, done, err)
		}
		if err := h.redactFrozen(t.Context(), ""); err != nil || h.stageOf(h.cast.Ben) != store.Redacted {
			t.Errorf("within the write %v: the deletion is at %q, %v", inWrite, h.stageOf(h.cast.Ben), err)
		}
	}
}

// The job goes on with a deletion that had only begun when the server stopped.
func TestJobTakesUpWhatIsFrozen(t *testing.T) {
	h := open(t)
	h.freezing(h.cast.Ben)
	if stage := h.stageOf(h.cast.Ben); stage != store.Frozen {
		t.Fatalf("at first the deletion is at %q", stage)
	}
	if err := h.ContinueErasures(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stage := h.stageOf(h.cast.Ben); stage != store.Removed || h.hasUser("ben@example.org") {
		t.Errorf("the deletion is at %q", stage)
	}
}

// The job, which is frequent, writes nothing while there is no deletion.
func TestJobWithoutDeletionsWritesNothing(t *testing.T) {
	h := open(t)
	waited, err := h.during(func(*store.Tx) error { return nil }, func() error { return h.ContinueErasures(t.Context()) })
	if waited || err != nil {
		t.Errorf("waited for a write: %v, %v", waited, err)
	}
}

// Overwriting what is left of deleted rows leaves the writer to others, between two
// writes, for as long as the last one took.
func TestPausesOfOverwriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const took = 40 * time.Millisecond
		h := openBubble(t, func(query string) {
			if strings.Contains(query, "UPDATE sqlite_dbpage") {
				time.Sleep(took)
			}
		})
		var groups []string
		pages := func() int {
			t.Helper()
			found, _, err := h.db.Residue(t.Context(), 1, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			return len(found)
		}
		for n := 0; pages() < wipePages+1; n++ {
			if n == 50 {
				t.Fatalf("%d pages have copies of rows", pages())
			}
			err := h.db.Write(t.Context(), func(tx *store.Tx) error {
				id, err := tx.InsertGroup(h.cast.Ada.ID, []string{h.cast.Ben.ID}, "Group")
				groups = append(groups, id)
				for i := range 40 {
					m := store.Message{ConversationID: groups[i*7%len(groups)], SenderID: h.cast.Ben.ID, Type: "text", Content: strings.Repeat(fmt.Sprint("word", i, " "), 1+i*i%97)}
					if tx.Now = tx.Tick(); err == nil {
						err = tx.Send(&m, nil)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		if err := h.wipe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if elapsed := time.Since(start); elapsed != 2*took || pages() != 0 {
			t.Errorf("after %v, of which %v in a write, %d pages have copies of rows", elapsed, took, pages())
		}
	})
}

// An account that is being deleted cannot be restored.
func TestNoRestoreOfADeletion(t *testing.T) {
	h := open(t)
	h.commit(func(tx *store.Tx) error { return tx.Freeze(h.cast.Ben.ID) })
	err := h.Unsuspend(t.Context(), "ben@example.org")
	wantCode(t, "being deleted", err, "account_deleted")
	if u := h.user("ben@example.org"); u.SuspendedAt == 0 {
		t.Error("the account is active again")
	}
	if !core.IsKind(err, core.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}
