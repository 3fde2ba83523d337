// Package storetest opens real databases for tests, with a fixed clock and a cast of people. It checks the plan and
// the visibility of every statement that is prepared.
package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"hearth/store"
)

// Epoch is the initial time of a test's clock.
var Epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// DB is a database of one test.
type DB struct {
	*store.DB
	Clock *store.ManualClock
}

// Schema returns the text of schema.sql.
func Schema(t testing.TB) string {
	t.Helper()
	schema, err := schemaText()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func schemaText() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "schema.sql"))
	return string(b), err
}

// Open makes a database in t's folder, with a crowd of accounts that the test does not know. Inspect checks every
// statement. When the test ends, the invariants must hold and the crowd must be unchanged.
func Open(t testing.TB) *DB {
	t.Helper()
	c, err := theCrowd()
	if err != nil {
		t.Fatalf("crowd: %v", err)
	}
	return open(t, c, Inspect(t))
}

// OpenCrowd is Open for tests that change rows of the crowd.
func OpenCrowd(t testing.TB) *DB {
	t.Helper()
	c, err := theCrowd()
	if err != nil {
		t.Fatalf("crowd: %v", err)
	}
	return open(t, crowd{file: c.file}, Inspect(t))
}

// OpenEmpty is Open without the crowd, for tests that read or change all accounts.
func OpenEmpty(t testing.TB) *DB {
	t.Helper()
	file, err := newFile()
	if err != nil {
		t.Fatalf("new file: %v", err)
	}
	return open(t, crowd{file: file}, Inspect(t))
}

// newFile is made once: copying it is faster.
var newFile = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "new")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	schema, err := schemaText()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "hearth.db")
	db, err := store.Open(context.Background(), path, store.Options{Schema: schema, Now: store.NewManualClock(Epoch).Now})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// open does not sync writes to disk: only surviving a power cut depends on it, and the fault tests use their own
// files.
func open(t testing.TB, c crowd, onPrepare func(*store.Conn, string)) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hearth.db")
	if len(c.file) > 0 {
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	clock := store.NewManualClock(Epoch)
	db, err := store.Open(context.Background(), path, store.Options{
		Schema: Schema(t), Now: clock.Now, Synchronous: "OFF", OnPrepare: onPrepare,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		broken, err := db.Check(context.Background())
		if err != nil && err != store.ErrClosed && !errors.Is(err, store.ErrLost) { // a test may remove the file
			t.Errorf("invariants: %v", err)
		}
		for _, b := range broken {
			t.Error(b)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		checkFile(t, db.Path(), c)
	})
	return &DB{DB: db, Clock: clock}
}

// Inspect returns a function for store.Options.OnPrepare. It checks each statement once with CheckPlan and
// CheckVisible.
func Inspect(t testing.TB) func(*store.Conn, string) {
	var seen, opened sync.Map
	return func(c *store.Conn, query string) {
		if _, ok := opened.LoadOrStore(true, true); !ok {
			checkTables(t, tablesOf(t, c))
		}
		if _, ok := seen.LoadOrStore(query, true); !ok {
			CheckVisible(t, query)
			CheckPlan(t, c, query)
		}
	}
}

func tablesOf(t testing.TB, c *store.Conn) (tables []string) {
	var name string
	err := c.Each([]any{&name}, func() bool { tables = append(tables, name); return true },
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' /* scan: the schema */")
	if err != nil {
		t.Errorf("tables: %v", err)
	}
	return tables
}

// Events returns the events of a topic, in order, regardless of who may see them.
func (db *DB) Events(t testing.TB, topic string) (events []store.Event) {
	t.Helper()
	err := db.Read(context.Background(), func(r *store.Reader) error {
		all, err := r.EventsAfter(0, 100_000)
		for _, e := range all {
			if e.Topic == topic {
				events = append(events, e)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Cast is the four people of most tests: two who share conversations, a third who joins some of them, and a stranger.
type Cast struct {
	Ada, Ben, Cleo, Stranger store.User
}

// People adds the cast to db. All are online.
func People(t testing.TB, db *DB) Cast {
	t.Helper()
	var c Cast
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		for _, p := range []struct {
			to          *store.User
			name, email string
		}{{&c.Ada, "Ada", "ada@example.org"}, {&c.Ben, "Ben", "ben@example.org"}, {&c.Cleo, "Cléo 🌿", "cleo@example.org"},
			{&c.Stranger, "غريب", "stranger@example.org"}} {
			*p.to, err = tx.InsertUser(store.User{Email: p.email, Name: p.name, VerifiedAt: tx.Now, SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
			if _, err := tx.SetOnline([]string{p.to.ID}); err != nil {
				return err
			}
			p.to.Online = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Human returns u as a viewer in their own session.
func Human(u store.User) store.Viewer {
	return store.Viewer{Kind: store.Human, UserID: u.ID, Name: u.Name, Email: u.Email, CanRead: true, CanWrite: true, Admin: u.IsAdmin}
}
