package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hold keeps n readers busy until release is called.
func hold(n int, read func(context.Context, func(*Reader) error) error) (release func()) {
	var held, ended sync.WaitGroup
	let := make(chan struct{})
	held.Add(n)
	for range n {
		ended.Go(func() {
			read(context.Background(), func(*Reader) error {
				held.Done()
				<-let
				return nil
			})
		})
	}
	held.Wait()
	return func() { close(let); ended.Wait() }
}

// Long reads never delay short ones or writes, however many there are.
func TestLongReadsApart(t *testing.T) {
	db := openTest(t, Options{})
	release := hold(longReaders(), db.ReadLong)
	defer release()
	waiting, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { db.ReadLong(waiting, func(*Reader) error { return nil }) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := db.Read(ctx, func(r *Reader) error { _, err := readNames(r); return err }); err != nil {
		t.Error(err)
	}
	if err := db.Write(context.Background(), func(tx *Tx[string]) error { return put(tx, "a") }); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if err := db.ReadLong(ctx, func(*Reader) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a long read beyond the last reader: %v", err)
	}
	stop()
	wg.Wait()
}

// Statements of every pool and of the writer are shown to OnPrepare.
func TestOnPrepareSeesAll(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	db := openTest(t, Options{OnPrepare: func(c *Conn, query string) {
		plan, err := c.Plan(query)
		if err != nil && strings.HasPrefix(query, "SELECT") {
			t.Errorf("%s: %v", query, err)
		}
		mu.Lock()
		defer mu.Unlock()
		seen[query] = len(plan) > 0
	}})
	ask := func(query string) func(r *Reader) error {
		return func(r *Reader) error {
			err := r.Value([]any{new(int)}, query, "a")
			if !errors.Is(err, ErrNoRow) {
				t.Errorf("%s: %v", query, err)
			}
			return nil
		}
	}
	db.Read(context.Background(), ask("SELECT n FROM thing WHERE name = ? -- short"))
	db.ReadLong(context.Background(), ask("SELECT n FROM thing WHERE name = ? -- long"))
	db.Write(context.Background(), func(tx *Tx[string]) error { return ask("SELECT n FROM thing WHERE name = ? -- writer")(&tx.Reader) })
	mu.Lock() // the writer may still prepare what follows a commit
	defer mu.Unlock()
	for _, where := range []string{"short", "long", "writer"} {
		if !seen["SELECT n FROM thing WHERE name = ? -- "+where] {
			t.Errorf("the statement of %s was not seen with its plan", where)
		}
	}
}

// The statements of a read see one state, whatever is committed between them.
func TestReadSeesOneState(t *testing.T) {
	db := openTest(t, Options{})
	for name, read := range map[string]func(context.Context, func(*Reader) error) error{
		"Read": db.Read, "ReadLong": db.ReadLong,
	} {
		err := read(context.Background(), func(r *Reader) error {
			before, err := readNames(r)
			if err != nil {
				return err
			}
			if err := db.Write(context.Background(), func(tx *Tx[string]) error { return put(tx, name) }); err != nil {
				return err
			}
			after, err := readNames(r)
			if !slices.Equal(before, after) {
				t.Errorf("%s saw %v, then %v", name, before, after)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(t, db); !slices.Contains(got, name) {
			t.Errorf("after %s the next read saw %v", name, got)
		}
	}
}

// Close waits for reads and then every reader reports that it is closed.
func TestCloseReaders(t *testing.T) {
	db := openTest(t, Options{})
	release := hold(1, db.Read)
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for _, read := range []func(context.Context, func(*Reader) error) error{db.Read, db.ReadLong} {
		if err := read(context.Background(), func(*Reader) error { return nil }); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if _, err := db.Check(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("Check after Close: %v", err)
	}
}

// Readers cannot change the file, whatever they run.
func TestReadersCannotWrite(t *testing.T) {
	db := openTest(t, Options{})
	for _, read := range []func(context.Context, func(*Reader) error) error{db.Read, db.ReadLong} {
		for _, query := range []string{"INSERT INTO thing (name) VALUES ('a')", "UPDATE clock SET at = 9", "CREATE TABLE other (a)",
			"PRAGMA user_version = 9"} {
			err := read(context.Background(), func(r *Reader) error {
				if _, err := r.Exec("PRAGMA query_only = 0"); err != nil {
					return err
				}
				_, err := r.Exec(query)
				return err
			})
			if !errors.Is(err, ErrReadOnly) {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
}

// What SQLite would ignore or guess is an error.
func TestStatementsAreExact(t *testing.T) {
	db := openTest(t, Options{})
	for query, args := range map[string][]any{
		"SELECT ?, ?":              {1},
		"SELECT ?":                 {1, 2},
		"SELECT 1; SELECT 2":       nil,
		"":                         nil,
		"SELECT \"name\"":          nil, // not a string
		"SELECT ?1":                {struct{}{}},
		"INSERT INTO clock SELECT": nil,
	} {
		err := db.Read(context.Background(), func(r *Reader) error { _, err := r.Exec(query, args...); return err })
		if err == nil {
			t.Errorf("%q ran with %v", query, args)
		}
	}
}

// A long statement ends with its context.
func TestInterrupt(t *testing.T) {
	db := openTest(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	err := db.ReadLong(context.Background(), func(r *Reader) error {
		defer r.interruptOn(ctx)()
		cancel()
		return r.Value([]any{new(int)}, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	})
	if err == nil || Unavailable(err) {
		t.Errorf("it ended with %v", err)
	}
	if err := db.ReadLong(context.Background(), func(r *Reader) error { return r.Value([]any{new(int)}, "SELECT 1") }); err != nil {
		t.Errorf("the next read: %v", err)
	}
}
