package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

const (
	anEvent = `INSERT INTO event (topic, id, kind, object_id, actor_id, at) VALUES (?1, ?2, 'k', ?3, ?4, 0)`
)

// Events older than a moment are deleted, of the oldest up to a number, but never the
// newest of the log.
func TestPruneEvents(t *testing.T) {
	t.Parallel()
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	for _, tc := range []struct {
		before, limit, want int64
	}{{0, 9, 0}, {1, 9, 0}, {2, 9, 1}, {3, 9, 2}, {3, 1, 1}, {9, 9, 2}, {9, 3, 2}, {9, 2, 2}} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.ExecForTest(`DELETE FROM event`); err != nil {
				return err
			}
			for n := range 3 {
				if _, err := tx.ExecForTest(anEvent, "c", n+1, "o", ""); err != nil {
					return err
				}
			}
			if _, err := tx.ExecForTest(`UPDATE event SET at = id`); err != nil {
				return err
			}
			if n, err := tx.PruneEvents(store.Time(tc.before), int(tc.limit)); err != nil || n != tc.want {
				t.Errorf("%d deleted, want %+v: %v", n, tc, err)
			}
			if _, newest, err := tx.EventRange(); err != nil || newest != 3 {
				t.Errorf("%+v: the newest is %d, %v", tc, newest, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}

// The time of the newest write grows with every write.
func TestLastWrite(t *testing.T) {
	db := storetest.Open(t)
	var last store.Time
	for range 3 {
		db.Clock.Advance(time.Second)
		var now store.Time
		write(t, db, func(tx *store.Tx) error {
			now = tx.Now
			_, err := tx.InsertUser(store.User{Email: strconv.FormatInt(int64(now), 10) + "@example.org", Name: "x", SignupProvider: "magic-link"})
			return err
		})
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			at, err := r.LastWrite()
			if at != now || at <= last {
				t.Errorf("the last write was at %v, want %v after %v", at, now, last)
			}
			last = at
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}
