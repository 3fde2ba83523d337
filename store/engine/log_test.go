package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The write-ahead log does not grow for ever while there is no moment without a read that
// began before the newest commit.
func TestLogWhileReadsOverlap(t *testing.T) {
	db := openTest(t, Options{Synchronous: "OFF"})
	db.w.maxLog = 10
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for _, read := range []func(context.Context, func(*Reader) error) error{db.Read, db.Read, db.ReadLong} {
		wg.Go(func() {
			for ctx.Err() == nil {
				read(ctx, func(r *Reader) error {
					_, err := readNames(r)
					time.Sleep(time.Millisecond)
					return err
				})
			}
		})
	}
	const writes = 600 // which would make a log of 18 KiB each
	most := int64(0)
	for n := range writes {
		if err := db.Write(ctx, func(tx *Tx[string]) error { return put(tx, fmt.Sprint(n%10)+string(make([]byte, n))) }); err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(db.Path() + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, fi.Size())
	}
	if most > 4096*writes {
		t.Errorf("the log grew to %d bytes", most)
	}
}

// After a sync that fails while the log is emptied no write is acknowledged, not even one
// that waits already.
func TestFailedSyncBetweenGroups(t *testing.T) {
	db := openTest(t, Options{})
	ended := make(chan error, 1)
	err := db.w.between(t.Context(), func(*Conn) error {
		go func() {
			ended <- db.Write(context.Background(), func(tx *Tx[string]) error { return put(tx, "late") })
		}()
		for len(db.w.queue) == 0 {
			time.Sleep(time.Millisecond)
		}
		return ErrDead
	})
	if late := <-ended; !errors.Is(err, ErrDead) || !errors.Is(late, ErrDead) {
		t.Errorf("%v, and the write that waited: %v", err, late)
	}
}

// A pool is given up at once if one of its connections cannot be opened.
func TestPoolThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := newPool(filepath.Join(t.TempDir(), "none.db"), 2, Options{})
		if err == nil || time.Since(start) > 0 || strings.Contains(err.Error(), "still running") {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}
