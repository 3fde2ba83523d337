// Package storetest opens real databases for tests: a file in the test's own
// folder, a clock to turn, and a cast of people.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// Epoch is where a test's clock stands at first.
var Epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// DB is a database of a test's own.
type DB struct {
	*store.DB
	Clock *store.ManualClock
}

// Schema returns the text of schema.sql.
func Schema(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	b, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Open makes a database in t's folder. Every statement run on it must be
// served by an index, and when the test ends its invariants must hold.
func Open(t testing.TB) *DB {
	t.Helper()
	clock := store.NewManualClock(Epoch)
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"), store.Options{
		Schema: Schema(t), Now: clock.Now, RunTwice: true, OnPrepare: func(c *store.Conn, q string) { CheckPlan(t, c, q) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		broken, err := db.Check(context.Background())
		if err != nil && err != store.ErrClosed {
			t.Errorf("invariants: %v", err)
		}
		for _, b := range broken {
			t.Error(b)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &DB{DB: db, Clock: clock}
}

// scansAllowed lists what may be read from end to end, and why.
var scansAllowed = map[string]string{
	"SCAN CONSTANT ROW":    "no table at all",
	"SCAN clock":           "one row",
	"SCAN job":             "a handful of rows",
	"SCAN json_each":       "the caller's own list of ids",
	"SCAN j VIRTUAL TABLE": "json_each, as above",
	"SCAN (subquery-":      "the rows of a subquery, which has a plan of its own",
}

// CheckPlan fails the test if a statement reads a whole table or index.
func CheckPlan(t testing.TB, c *store.Conn, query string) {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		return
	}
	if strings.Contains(query, "/* scan:") {
		return // the statement itself says why, as in /* scan: few rows */
	}
	plan, err := c.Plan(query)
	if err != nil {
		return // the statement itself will fail where it is run
	}
	for _, detail := range plan {
		if strings.HasPrefix(detail, "SCAN ") && !allowed(detail) {
			t.Errorf("a table is read from end to end (%s) by:\n%s", detail, query)
		}
	}
}

func allowed(detail string) bool {
	for prefix := range scansAllowed {
		if strings.HasPrefix(detail, prefix) {
			return true
		}
	}
	return false
}

// Cast is four people whom most tests need: two who talk, a third who is
// somewhere near, and a stranger.
type Cast struct {
	Ada, Ben, Cleo, Stranger store.User
}

// People adds the cast to db.
func People(t testing.TB, db *DB) Cast {
	t.Helper()
	var c Cast
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		for _, p := range []struct {
			to          *store.User
			name, email string
		}{{&c.Ada, "Ada", "ada@example.org"}, {&c.Ben, "Ben", "ben@example.org"}, {&c.Cleo, "Cléo 🌿", "cleo@example.org"}, {&c.Stranger, "غريب", "stranger@example.org"}} {
			*p.to, err = tx.InsertUser(store.User{Email: p.email, Name: p.name, VerifiedAt: tx.Now, SignupProvider: "magic-link"})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Human returns the viewer that u is in a session of their own.
func Human(u store.User) store.Viewer {
	return store.Viewer{Kind: store.Human, UserID: u.ID, Name: u.Name, Email: u.Email, CanRead: true, CanWrite: true, Admin: u.IsAdmin}
}
