package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// ahead returns a database whose writes are a day ahead of the wall clock, which was
// set back.
func ahead(t *testing.T) *storetest.DB {
	t.Helper()
	db := storetest.Open(t)
	db.Clock.Advance(24 * time.Hour)
	if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.SetSetting("a", "1") }); err != nil {
		t.Fatal(err)
	}
	db.Clock.Advance(-24 * time.Hour)
	return db
}

// The window of a quota ends by the wall clock, and one from before the clock was set
// back has ended.
func TestQuotaWithTheClockAhead(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	use := func() (wait time.Duration) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *store.Tx) (err error) { wait, err = tx.UseQuota("q", 1, time.Hour); return err }); err != nil {
			t.Fatal(err)
		}
		return wait
	}
	db.Clock.Advance(24 * time.Hour)
	for _, step := range []struct{ passes, wait time.Duration }{
		{0, 0}, {0, time.Hour}, {-24 * time.Hour, 0}, {0, time.Hour}, {40 * time.Minute, 20 * time.Minute}, {20 * time.Minute, 0},
	} {
		db.Clock.Advance(step.passes)
		if wait := use(); wait.Round(time.Second) != step.wait {
			t.Errorf("%v later: wait for %v, want %v", step.passes, wait, step.wait)
		}
	}
}

// What is stored by the functions of this package ends when it should while the clock
// of writes is ahead, and is not pruned before.
func TestLivesWithTheClockAhead(t *testing.T) {
	t.Parallel()
	db := ahead(t)
	p := storetest.People(t, db)
	now := db.Now()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, life := range []time.Duration{0, -time.Hour, 15 * time.Minute} {
			if at := tx.In(life); at.Sub(now).Round(time.Minute) != life {
				t.Errorf("%v from now is %v, and now is %v", life, at, now)
			}
		}
		s, err := tx.InsertSession(store.Session{UserID: p.Ada.ID, Kind: "token", Epoch: 1, ExpiresAt: tx.In(time.Hour)})
		if err != nil {
			return err
		}
		if life := s.ExpiresAt.Sub(s.CreatedAt).Round(time.Second); life != time.Hour {
			t.Errorf("a session lasts for %v", life)
		}
		if err := tx.InsertLink(store.LoginLink{TokenHash: "h", Email: p.Ada.Email, ExpiresAt: tx.In(time.Hour)}); err != nil {
			return err
		}
		if err := tx.PutFriendCooldown(p.Ada.ID, p.Ben.ID, tx.In(time.Hour)); err != nil {
			return err
		}
		if _, err := tx.UseQuota("q", 1, time.Hour); err != nil {
			return err
		}
		_, err = tx.BeginRequest("h", "r", time.Hour)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ends := []string{"session", "login_link", "friend_cooldown", "quota", "idempotency"}
	for _, step := range []struct {
		passes time.Duration
		want   int64
	}{{59 * time.Minute, 0}, {2 * time.Minute, 1}} {
		db.Clock.Advance(step.passes)
		for _, what := range ends {
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				if n, err := tx.Prune(what, tx.Reader.Now(), 10); n != step.want || err != nil {
					t.Errorf("%v later: %d of %s were pruned, want %d, %v", step.passes, n, what, step.want, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Nothing is reckoned from the clock of writes, nor compared with it, but what has its
// times, too: see Tx.In.
func TestNothingEndsByTheClockOfWrites(t *testing.T) {
	t.Parallel()
	reckoned := regexp.MustCompile(`tx\.Now\.(Add|Sub|Go)\(|Sub\(tx\.Now\)|[<>]=? tx\.Now|` +
		`(expires_at|ends|until|fetched_at) [<>]=? \?.*tx\.Now\b`)
	exact := map[string]bool{
		`if upTo == 0 || upTo > tx.Now {`: true, // the time of a message
	}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for n, line := range strings.Split(string(text), "\n") {
			if reckoned.MatchString(line) && !exact[strings.TrimSpace(line)] {
				err = fmt.Errorf("%s:%d: use tx.In or tx.Reader.Now instead of tx.Now", path, n+1)
				t.Error(err)
				err = nil
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// write runs f in one write, which must not fail.
func write(t *testing.T, db *storetest.DB, f func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}
