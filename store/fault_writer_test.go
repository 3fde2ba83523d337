package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"hearth/store"
	"hearth/store/storetest"
)

// With writers that succeed, fail, panic and are cancelled, readers, and a Close
// at the same time, the file has exactly what was acknowledged, and no goroutine
// is left.
func TestWriterUnderLoad(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for round := range storetest.Rounds(1, 30) {
		path := filepath.Join(t.TempDir(), "hearth.db")
		db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
		if err != nil {
			t.Fatal(err)
		}
		acked := underLoad(t, db)
		if round == 0 && len(acked) < 100 {
			t.Errorf("only %d writes were acknowledged before the database was closed", len(acked))
		}
		sameRows(t, path, acked)
	}
}

// fireKinds is the number of ways in which a write ends.
const fireKinds = 6

func underLoad(t *testing.T, db *store.DB) map[string]bool {
	var mu sync.Mutex
	acked := map[string]bool{}
	var events []store.Event
	db.OnCommit(func(e []store.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e...)
	})
	// The readers read every event each time, so that what they do grows with the square.
	enough := storetest.Rounds(400, 1000)
	var wg sync.WaitGroup
	closeNow := make(chan struct{})
	for client := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("fire%02d.%06d", client, n)
				err := fire(db, key, (client+n)%fireKinds)
				if errors.Is(err, store.ErrClosed) {
					return
				}
				mu.Lock()
				if err == nil {
					acked[key] = true
				}
				if len(acked) == enough {
					select {
					case <-closeNow:
					default:
						close(closeNow)
					}
				}
				mu.Unlock()
			}
		})
	}
	for range 4 {
		wg.Go(func() { readUntilClosed(t, db) })
	}
	for range 2 {
		wg.Go(func() {
			<-closeNow
			if err := db.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	wg.Wait()
	for i, e := range events {
		if !acked[e.ObjectID] || i > 0 && e.ID != events[i-1].ID+1 {
			t.Errorf("event %d was published: %+v", i, e)
		}
	}
	if len(events) != len(acked) {
		t.Errorf("%d writes were acknowledged, %d events published", len(acked), len(events))
	}
	return acked
}

// fire writes once in one of the ways and returns its error.
func fire(db *store.DB, key string, kind int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch kind {
	case 0:
		cancel()
	case 1:
		go cancel()
	}
	return db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetSetting(key, "v"); err != nil {
			return err
		}
		if err := tx.Emit(store.Event{Topic: "fire", Kind: "fire", ObjectID: key}); err != nil {
			return err
		}
		switch kind {
		case 2:
			return errors.New("no")
		case 3:
			panic("no")
		case 4:
			if err := tx.Emit(store.Event{ID: 1, Topic: "fire"}); err != nil {
				return err
			}
			return errors.New("no, after more rows")
		}
		return nil
	})
}

func readUntilClosed(t *testing.T, db *store.DB) {
	for {
		err := db.Read(context.Background(), func(r *store.Reader) error {
			oldest, newest, err := r.EventRange()
			if err != nil {
				return err
			}
			events, err := r.EventsAfter(0, 1<<30)
			if err == nil && len(events) > 0 && (events[0].ID != oldest || events[len(events)-1].ID != newest) {
				t.Errorf("one snapshot saw two states: %d to %d, and %d events", oldest, newest, len(events))
			}
			return err
		})
		if errors.Is(err, store.ErrClosed) {
			return
		}
		if err != nil {
			t.Errorf("read: %v", err)
			return
		}
	}
}

func sameRows(t *testing.T, path string, acked map[string]bool) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, path, store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if broken, err := db.Check(ctx); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
	err = db.Read(ctx, func(r *store.Reader) error {
		events, err := r.EventsAfter(0, 1<<30)
		if len(events) != len(acked) {
			t.Errorf("%d writes were acknowledged, %d are there", len(acked), len(events))
		}
		for _, e := range events {
			if v, err := r.Setting(e.ObjectID); v != "v" || err != nil || !acked[e.ObjectID] {
				t.Errorf("%s was not acknowledged or is partial: %q, %v", e.ObjectID, v, err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Close may be called again, and everything after it returns ErrClosed.
func TestClosed(t *testing.T) {
	db := storetest.Open(t)
	for range 3 {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	ctx := context.Background()
	if err := db.Write(ctx, func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("write: %v", err)
	}
	if err := db.Read(ctx, func(*store.Reader) error { return nil }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("read: %v", err)
	}
}

// The log does not grow without bound while reads never pause.
func TestLogStaysShort(t *testing.T) {
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"),
		store.Options{Schema: storetest.Schema(t), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			db.Read(ctx, func(r *store.Reader) error { _, _, err := r.EventRange(); return err })
		}
	})
	var largest int64
	for i := range 6000 {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			return tx.SetSetting(fmt.Sprint("large", i%8), string(make([]byte, 20_000)))
		})
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(db.Path() + "-wal"); err == nil {
			largest = max(largest, fi.Size())
		}
	}
	stop()
	wg.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	// 6000 writes of six pages are 140 MiB; the log is moved at 8 MiB.
	if largest < 7<<20 || largest > 32<<20 {
		t.Errorf("the log grew to %d MiB", largest>>20)
	}
}
