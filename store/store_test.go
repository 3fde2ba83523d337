package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

func TestWriteIsAllOrNothing(t *testing.T) {
	db := storetest.Open(t)
	ctx := context.Background()
	boom := errors.New("boom")
	err := db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetSetting("a", "1"); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v, want boom", err)
	}
	db.Read(ctx, func(r *store.Reader) error {
		if v, _ := r.Setting("a"); v != "" {
			t.Errorf("a failed write left %q behind", v)
		}
		return nil
	})
}

// A failing or panicking write in a group is undone alone.
func TestGroupedWritesFailAlone(t *testing.T) {
	db := storetest.Open(t)
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			err := db.Write(ctx, func(tx *store.Tx) error {
				if err := tx.SetSetting(fmt.Sprint("k", i), "v"); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					return errors.New("no")
				case 2:
					panic("no")
				}
				return nil
			})
			if (err == nil) != (i%3 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	db.Read(ctx, func(r *store.Reader) error {
		for i := range 300 {
			if v, _ := r.Setting(fmt.Sprint("k", i)); (v == "v") != (i%3 == 0) {
				t.Errorf("write %d left %q", i, v)
			}
		}
		return nil
	})
}

func TestWriteClockOnlyGrows(t *testing.T) {
	dir := t.TempDir()
	clock := store.NewManualClock(storetest.Epoch)
	var last store.Time
	for round := range 3 {
		db, err := store.Open(context.Background(), dir+"/h.db", store.Options{Schema: storetest.Schema(t), Now: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			db.Write(context.Background(), func(tx *store.Tx) error {
				for _, now := range []store.Time{tx.Now, tx.Tick()} {
					if now <= last {
						t.Errorf("round %d: %v is not after %v", round, now, last)
					}
					last = now
				}
				return tx.SetSetting("last", last.String())
			})
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		clock.Advance(-time.Hour)
	}
}

func TestCommittedEventsArriveInOrder(t *testing.T) {
	db := storetest.Open(t)
	var mu sync.Mutex
	var got []store.Event
	done := make(chan struct{})
	db.OnCommit(func(ev []store.Event) {
		mu.Lock()
		defer mu.Unlock()
		if got = append(got, ev...); len(got) == 50 {
			close(done)
		}
	})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			db.Write(context.Background(), func(tx *store.Tx) error {
				if err := tx.Emit(store.Event{Topic: "t", Kind: "k", ObjectID: fmt.Sprint(i)}); err != nil {
					return err
				}
				if i%2 == 1 {
					return errors.New("undone")
				}
				return nil
			})
		})
	}
	wg.Wait()
	<-done
	for i, e := range got {
		if e.ID != int64(i+1) || e.At == 0 || e.ObjectID[len(e.ObjectID)-1]%2 == 1 {
			t.Errorf("event %d is %+v", i, e)
		}
	}
}

func TestCancelledWriteIsWithdrawn(t *testing.T) {
	db := storetest.Open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("x", "1") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// With statistics SQLite would prepare statements again for each parameter.
func TestTruncateGathersNoStatistics(t *testing.T) {
	db := storetest.Open(t)
	storetest.People(t, db)
	if done, err := db.Truncate(context.Background()); err != nil || !done {
		t.Fatal(done, err)
	}
	raw, err := sql.Open("sqlite", "file:"+db.Path()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var n int
	if err := raw.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables of statistics, %v", n, err)
	}
}
