package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// discarded calls f in a write of an empty file, in which rows may refer to others
// that are not there, because nothing of it is kept.
func discarded(t *testing.T, f func(tx *store.Tx) error) {
	t.Helper()
	db := storetest.OpenEmpty(t)
	db.Clock.Advance(time.Second)
	discardedIn(t, db, f)
}

// discardedIn is discarded for several writes of one file.
func discardedIn(t *testing.T, db *storetest.DB, f func(tx *store.Tx) error) {
	t.Helper()
	undo := errors.New("undo")
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// sided is a match, and what is inserted of its two intents. What is empty is "open",
// and "active".
type sided struct {
	id                   string
	aIntent, bIntent     int
	aUser, bUser         string
	score                int
	state                string
	aApproved, bApproved bool
	aStatus, bStatus     string
	createdAt            store.Time
}

func (m sided) insert(tx *store.Tx) error {
	if m.state == "" {
		m.state = "open"
	}
	_, err := tx.ExecForTest(`INSERT INTO intent_match (id, a_intent, b_intent, a_user, b_user, type, score, state, a_approved,
		b_approved, a_updated_at, b_updated_at, created_at)
		VALUES (?1, ?2, ?3, ?4, ?5, 'complementary', ?6, ?7, ?8, ?9, 1, 1, ?10)`,
		m.id, m.aIntent, m.bIntent, m.aUser, m.bUser, m.score, m.state, m.aApproved, m.bApproved, int64(m.createdAt))
	for _, i := range []struct {
		seq           int
		owner, status string
	}{{m.aIntent, m.aUser, m.aStatus}, {m.bIntent, m.bUser, m.bStatus}} {
		if i.status == "" {
			i.status = "active"
		}
		if err == nil {
			_, err = tx.ExecForTest(`INSERT OR IGNORE INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode,
				collaborators, close_on_connect, status, audience, created_at, updated_at)
				VALUES (?1, 'i' || ?1, ?2, 'ask', 'x', '[]', '[]', 'fulfillment', 0, 0, ?3, 0, 0, 0)`, i.seq, i.owner, i.status)
		}
	}
	return err
}

// everySide returns matches of each state and with each answer, in which the account
// "me" is on either side or on none.
func everySide() (all []sided) {
	for _, users := range [][2]string{{"me", "you"}, {"you", "me"}, {"you", "they"}} {
		for _, state := range []string{"open", "closed", "connected"} {
			for answers := range 4 {
				if (state == "open") && answers == 3 || (state == "connected") && answers < 3 {
					continue
				}
				n := len(all)
				all = append(all, sided{id: fmt.Sprint("m", n), aIntent: 2 * n, bIntent: 2*n + 1, aUser: users[0], bUser: users[1], state: state,
					aApproved: answers&1 > 0, bApproved: answers&2 > 0, createdAt: store.Time(n + 1)})
			}
		}
	}
	return all
}

// seen is what the two accounts of a match see of it.
func seen(t *testing.T, tx *store.Tx, m sided) (sides [2]store.Match) {
	t.Helper()
	for n, user := range []string{m.aUser, m.bUser} {
		got, err := tx.MatchesByID(store.Viewer{Kind: store.Human, UserID: user}, m.id)
		if err != nil || len(got) != 1 {
			t.Fatalf("%+v: %d of it, %v", m, len(got), err)
		}
		sides[n] = got[0]
	}
	return sides
}

// An approval changes what its own side sees of that match, and nothing of what the
// other side does.
func TestApprovalIsOfOneSide(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		for n, m := range everySide() {
			m.id = fmt.Sprint("approved", n)
			other := m
			other.id, other.aIntent, other.bIntent = fmt.Sprint("other", n), m.aIntent+1000, m.bIntent+1000
			if err := errors.Join(m.insert(tx), other.insert(tx)); err != nil {
				return err
			}
			before, others := seen(t, tx, m), seen(t, tx, other)
			if m.state != "open" {
				if err := tx.ApproveMatch(m.id, m.aUser); !errors.Is(err, store.ErrNoRow) {
					t.Errorf("%+v: %v", m, err)
				}
			} else if !m.aApproved && !m.bApproved { // a second approval connects
				side := n % 2
				if err := tx.ApproveMatch(m.id, []string{m.aUser, m.bUser}[side]); err != nil {
					t.Errorf("%+v: %v", m, err)
				}
				before[side].Approved, before[side].UpdatedAt = true, tx.Now
			}
			if after := seen(t, tx, m); after != before {
				t.Errorf("%+v: %+v, want %+v", m, after, before)
			}
			if after := seen(t, tx, other); after != others {
				t.Errorf("another match: %+v, was %+v", after, others)
			}
		}
		return nil
	})
}

// A side whose intent has ended sees nothing change when its match is closed.
func TestClosingIsNotSeenAfterTheEnd(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		n := 0
		for _, a := range []string{"active", "paused", "withdrawn", "connected"} {
			for _, b := range []string{"active", "paused", "withdrawn", "connected"} {
				m := sided{id: fmt.Sprint("m", n), aIntent: n, bIntent: n + 1, aUser: "a", bUser: "b", aStatus: a, bStatus: b}
				n += 2
				if err := m.insert(tx); err != nil {
					return err
				}
				want := seen(t, tx, m)
				if err := tx.CloseMatch(m.id); err != nil {
					return err
				}
				for side, status := range []string{a, b} {
					if want[side].State = "closed"; status == "active" || status == "paused" {
						want[side].UpdatedAt = tx.Now
					}
				}
				if got := seen(t, tx, m); got != want {
					t.Errorf("%s and %s: %+v, want %+v", a, b, got, want)
				}
			}
		}
		return nil
	})
}

// When an intent ends, its owner sees the matches of it change that were open, and
// nobody sees more.
func TestMatchesOfAnIntentThatEnds(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		all := everySide()
		const ended = 500
		var want []string
		for n := range all {
			m := &all[n]
			switch "me" { // an intent of the account's that all of these are matches of
			case m.aUser:
				m.aIntent, m.bIntent = ended, ended+1+n
			case m.bUser:
				m.bIntent = ended
			}
			if err := m.insert(tx); err != nil {
				return err
			}
			if m.state == "open" && (m.aUser == "me" || m.bUser == "me") {
				want = append(want, m.id)
			}
		}
		var before [][2]store.Match
		for _, m := range all {
			before = append(before, seen(t, tx, m))
		}
		got, err := tx.EndMatchesOf(ended)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("ended: %q, want %q", got, want)
		}
		for n, m := range all {
			if slices.Contains(want, m.id) {
				before[n][slices.Index([]string{m.aUser, m.bUser}, "me")].UpdatedAt = tx.Now
			}
			if after := seen(t, tx, m); after != before[n] {
				t.Errorf("%+v: %+v, want %+v", m, after, before[n])
			}
		}
		return err
	})
}

// A match is answered by those who are on one of its sides, each from their own.
func TestPairOfOneSide(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		for _, m := range everySide() {
			if err := m.insert(tx); err != nil {
				return err
			}
			for _, user := range []string{"me", "you", "they", ""} {
				p, err := tx.Pair(store.Viewer{Kind: store.Human, UserID: user}, m.id)
				own, other := m.aUser, m.bUser
				if user == m.bUser {
					own, other = other, own
				}
				if user != own {
					if !errors.Is(err, store.ErrNoRow) {
						t.Errorf("%+v: %q reads it, %v", m, user, err)
					}
				} else if err != nil || p.ID != m.id || p.Own.UserID != own || p.Other.UserID != other {
					t.Errorf("%+v: for %q it is of %q and %q, %v", m, user, p.Own.UserID, p.Other.UserID, err)
				}
			}
		}
		return nil
	})
}
