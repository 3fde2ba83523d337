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
	var name string
	err = r.Each([]any{&name}, func() bool { all = append(all, name); return true }, "SELECT name FROM thing ORDER BY name")
	return all, err
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

// A write of a group that fails is undone alone.
func TestGroupedWriteFailsAlone(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		fails func(*Tx[string]) error
	}{
		{"before changing rows", func(*Tx[string]) error { return boom }},
		{"after changing rows", func(tx *Tx[string]) error { return errors.Join(put(tx, "bad"), boom) }},
		{"by a panic", func(tx *Tx[string]) error { put(tx, "bad"); panic("boom") }},
		{"not at all", func(*Tx[string]) error { return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openTest(t, Options{})
			var published []string
			done := make(chan struct{})
			db.OnCommit(func(names []string) {
				published = append(published, names...)
				close(done)
			})
			good := func(name string) func(*Tx[string]) error {
				return func(tx *Tx[string]) error { return put(tx, name) }
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
		})
	}
}

// A write whose context ends while it waits behind another write never runs.
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
	Inspect(db.Path(), func(c *Conn) (err error) {
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

// A copy is beside the file only while it is made and sent.
func TestCopyLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path+".copy", []byte("of a killed process"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path, testSchema, Options{})
	var sent bytes.Buffer
	if _, err := os.Stat(path + ".copy"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after opening: %v", err)
	}
	if err := db.Copy(t.Context(), &sent); err != nil || !bytes.HasPrefix(sent.Bytes(), []byte("SQLite format 3\x00")) {
		t.Errorf("%d bytes, %v", sent.Len(), err)
	}
	if _, err := os.Stat(path + ".copy"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after copying: %v", err)
	}
}
