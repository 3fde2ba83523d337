package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// testSchema has a table to write to beside the one the engine needs.
var testSchema = Schema{
	Create: `CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL) STRICT;
		INSERT INTO clock VALUES (1, 0);
		CREATE TABLE thing (name TEXT PRIMARY KEY, n INTEGER, x ANY) STRICT`,
}

func openTest(t testing.TB, opt Options) *DB[string] {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "test.db"), testSchema, opt)
}

func openAt(t testing.TB, path string, schema Schema, opt Options) *DB[string] {
	t.Helper()
	db, err := Open[string](context.Background(), path, schema, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// put adds a thing and publishes its name.
func put(tx *Tx[string], name string) error {
	_, err := tx.Exec("INSERT INTO thing (name, n) VALUES (?, ?)", name, int64(tx.Now))
	tx.Publish(name)
	return err
}

// names returns the names of all things.
func names(t testing.TB, db *DB[string]) (all []string) {
	t.Helper()
	err := db.Read(context.Background(), func(r *Reader) (err error) {
		all, err = readNames(r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readNames(r *Reader) (all []string, err error) {
	rows, err := r.Query("SELECT name FROM thing ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}

// inOneGroup queues writes while the writer is busy, so that they share a
// transaction, and returns their errors.
func inOneGroup(db *DB[string], fs ...func(*Tx[string]) error) []error {
	errs := make([]error, len(fs))
	var wg sync.WaitGroup
	db.Write(context.Background(), func(*Tx[string]) error {
		for i, f := range fs {
			before := db.Queued()
			wg.Go(func() { errs[i] = db.Write(context.Background(), f) })
			for db.Queued() == before { // until it is queued, in this order
			}
		}
		return nil
	})
	wg.Wait()
	return errs
}

// A group is committed once its writes have run for 20 ms: those behind them are
// in the next one.
func TestGroupTime(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var mu sync.Mutex
		var sizes []int
		db := openTest(t, Options{OnGroup: func(writes int, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			sizes = append(sizes, writes)
		}})
		slow := func(tx *Tx[string]) error {
			for start := time.Now(); time.Since(start) < maxGroupTime; {
			}
			if fails {
				return errors.Join(put(tx, "undone"), errors.New("on purpose"))
			}
			return put(tx, "slow")
		}
		quick := func(name string) func(*Tx[string]) error {
			return func(tx *Tx[string]) error { return put(tx, name) }
		}
		errs := inOneGroup(db, slow, quick("a"), slow, quick("b"))
		got := names(t, db)
		// OnGroup is called after the callers have their results, and before the next
		// group begins.
		db.Write(context.Background(), func(*Tx[string]) error { return nil })
		want := []string{"a", "b", "slow"}
		if fails {
			want = want[:2]
		} else if errs[2] == nil {
			t.Error("the second slow write had a name that is taken")
		}
		if !slices.Equal(got, want) || (errs[0] != nil) != fails || errs[1] != nil || errs[3] != nil {
			t.Errorf("fails %v: %v, stored %v", fails, errs, got)
		}
		mu.Lock()
		if sizes[1] != 1 || len(sizes) < 4 {
			t.Errorf("fails %v: groups of %v writes", fails, sizes)
		}
		mu.Unlock()
	}
}

// Writes of a group run once, unless one of them fails after it changed rows:
// then all of them run again, and it is undone alone.
func TestGroupRunsAgain(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		fails func(*Tx[string]) error
		runs  int
	}{
		{"before changing rows", func(*Tx[string]) error { return boom }, 1},
		{"after changing rows", func(tx *Tx[string]) error { return errors.Join(put(tx, "bad"), boom) }, 2},
		{"by a panic", func(tx *Tx[string]) error { put(tx, "bad"); panic("boom") }, 2},
		{"not at all", func(*Tx[string]) error { return nil }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openTest(t, Options{})
			var published []string
			done := make(chan struct{})
			db.OnCommit(func(names []string) {
				published = append(published, names...)
				close(done)
			})
			runs := map[string]int{}
			good := func(name string) func(*Tx[string]) error {
				return func(tx *Tx[string]) error {
					runs[name]++
					return put(tx, name)
				}
			}
			errs := inOneGroup(db, good("a"), c.fails, good("b"))
			if errs[0] != nil || errs[2] != nil || (errs[1] != nil) != (c.name != "not at all") {
				t.Errorf("answers: %v", errs)
			}
			if got := names(t, db); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("the file has %v", got)
			}
			<-done
			if !slices.Equal(published, []string{"a", "b"}) {
				t.Errorf("published %v", published)
			}
			if runs["a"] != c.runs || runs["b"] != 1 {
				t.Errorf("ran %v, want a %d times", runs, c.runs)
			}
		})
	}
}

// A write whose context ends while it waits behind another one never runs.
func TestWaitingWriteIsWithdrawn(t *testing.T) {
	db := openTest(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var withdrawn error
	var wg sync.WaitGroup
	ran := false
	db.Write(context.Background(), func(tx *Tx[string]) error {
		wg.Go(func() {
			withdrawn = db.Write(ctx, func(tx *Tx[string]) error {
				ran = true
				return put(tx, "withdrawn")
			})
		})
		for db.Queued() == 0 {
		}
		cancel()
		return put(tx, "first")
	})
	wg.Wait()
	if !errors.Is(withdrawn, context.Canceled) || ran || !slices.Equal(names(t, db), []string{"first"}) {
		t.Errorf("it returned %v and ran: %v; the file has %v", withdrawn, ran, names(t, db))
	}
}

// A write whose context ends after it ran is not withdrawn from the second run.
func TestSecondRunIsNotWithdrawn(t *testing.T) {
	db := openTest(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var first error
	var wg sync.WaitGroup
	errs := inOneGroup(db, func(tx *Tx[string]) error { return put(tx, "other") })
	db.Write(context.Background(), func(*Tx[string]) error {
		wg.Go(func() {
			first = db.Write(ctx, func(tx *Tx[string]) error {
				cancel()
				return put(tx, "first")
			})
		})
		for db.Queued() == 0 {
		}
		wg.Go(func() {
			db.Write(context.Background(), func(tx *Tx[string]) error { put(tx, "bad"); return errors.New("no") })
		})
		for db.Queued() == 1 {
		}
		return nil
	})
	wg.Wait()
	if first != nil || errs[0] != nil || !slices.Equal(names(t, db), []string{"first", "other"}) {
		t.Errorf("answered %v; the file has %v", first, names(t, db))
	}
}

// RunTwice finds a write that may not run again, and nothing of the first run
// stays.
func TestRunTwice(t *testing.T) {
	db := openTest(t, Options{RunTwice: true})
	events := make(chan []string, 1)
	db.OnCommit(func(e []string) { events <- e })
	var times []Time
	err := db.Write(context.Background(), func(tx *Tx[string]) error {
		times = append(times, tx.Now)
		return put(tx, fmt.Sprint("run ", len(times)))
	})
	if err != nil || len(times) != 2 || times[0] > times[1] {
		t.Errorf("ran at %v: %v", times, err)
	}
	if got := names(t, db); !slices.Equal(got, []string{"run 2"}) {
		t.Errorf("the file has %v", got)
	}
	if got := <-events; !slices.Equal(got, []string{"run 2"}) {
		t.Errorf("published %v", got)
	}
}

// Every listener is given the events of each commit in order, after they are
// durable; one that panics is logged and stops neither the others nor the
// writer.
func TestListeners(t *testing.T) {
	var log bytes.Buffer
	db := openTest(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	var heard [3][]string
	var wg sync.WaitGroup
	wg.Add(3 * 20)
	for i := range heard {
		db.OnCommit(func(names []string) {
			for _, name := range names {
				if !slices.Contains(namesOf(db), name) {
					t.Errorf("%s is not committed", name)
				}
				heard[i] = append(heard[i], name)
				wg.Done()
			}
			if i == 1 {
				panic("a bad listener")
			}
		})
	}
	var want []string
	for i := range 20 {
		name := fmt.Sprintf("%02d", i)
		want = append(want, name)
		if err := db.Write(context.Background(), func(tx *Tx[string]) error { return put(tx, name) }); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	db.Close()
	for i, got := range heard {
		if !slices.Equal(got, want) {
			t.Errorf("listener %d was given %v", i, got)
		}
	}
	if n := strings.Count(log.String(), "a bad listener"); n != 20 {
		t.Errorf("%d panics were logged", n)
	}
}

// namesOf is names on a connection of its own.
func namesOf(db *DB[string]) (all []string) {
	inspect(db.Path(), readOnly, func(c *Conn) (err error) {
		all, err = readNames(&Reader{Conn: c})
		return err
	})
	return all
}

// A write that changes no row needs no commit.
func TestNoChangeNoCommit(t *testing.T) {
	db := openTest(t, Options{})
	version := func() (n int) {
		db.Read(context.Background(), func(r *Reader) error { return r.Value([]any{&n}, "PRAGMA data_version") })
		return n
	}
	before := version()
	for range 4 { // whichever reader is asked
		if err := db.Write(context.Background(), func(tx *Tx[string]) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if after := version(); after != before {
			t.Errorf("the file was written to: data version %d, then %d", before, after)
		}
	}
}

// After Truncate the file has everything without its log.
func TestTruncateMovesTheLog(t *testing.T) {
	db := openTest(t, Options{})
	if err := db.Write(context.Background(), func(tx *Tx[string]) error { return put(tx, "a") }); err != nil {
		t.Fatal(err)
	}
	if done, err := db.Truncate(context.Background()); err != nil || !done {
		t.Fatal(done, err)
	}
	// This drops the locks on the file, which nothing else needs here.
	b, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(t, openAt(t, path, testSchema, Options{})); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the file has %v", got)
	}
}
