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
	_, err := tx.ExecForTest(`INSERT INTO intent_match (id, a_intent, b_intent, a_user, b_user, type, score, state, a_approved, b_approved, a_updated_at, b_updated_at, created_at)
		VALUES (?1, ?2, ?3, ?4, ?5, 'complementary', ?6, ?7, ?8, ?9, 1, 1, ?10)`, m.id, m.aIntent, m.bIntent, m.aUser, m.bUser, m.score, m.state, m.aApproved, m.bApproved, int64(m.createdAt))
	for _, i := range []struct {
		seq           int
		owner, status string
	}{{m.aIntent, m.aUser, m.aStatus}, {m.bIntent, m.bUser, m.bStatus}} {
		if i.status == "" {
			i.status = "active"
		}
		if err == nil {
			_, err = tx.ExecForTest(`INSERT OR IGNORE INTO intent (seq, id, owner_id, kind, terms, seeks, brings, matching_mode, collaborators, close_on_connect, status, audience, created_at, updated_at)
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

// A match waits for an account that is on one of its sides while it is open and that
// side has not answered. So does a draft of the account's that is pending.
func TestWhatWaits(t *testing.T) {
	me := store.Viewer{Kind: store.Human, UserID: "me"}
	discarded(t, func(tx *store.Tx) error {
		var waiting []string
		drafts := 0
		check := func(what string) error {
			n, err := tx.Waiting(me)
			if err != nil || n != len(waiting)+drafts {
				t.Errorf("%s: %d wait, want %d, %v", what, n, len(waiting)+drafts, err)
			}
			all, err := tx.OpenMatches(me, 0, 100)
			got, _ := texts(all, err, func(m store.Match) string { return m.ID })
			if !slices.Equal(got, waiting) {
				t.Errorf("%s: %q wait, want %q", what, got, waiting)
			}
			return err
		}
		for _, m := range everySide() {
			if err := m.insert(tx); err != nil {
				return err
			}
			if m.state == "open" && (m.aUser == "me" && !m.aApproved || m.bUser == "me" && !m.bApproved) {
				waiting = slices.Insert(waiting, 0, m.id)
			}
			if err := check(fmt.Sprintf("%+v", m)); err != nil {
				return err
			}
		}
		for n, owner := range []string{"me", "you"} {
			for _, state := range []string{"pending", "dismissed", "activated", "pending"} {
				if owner == "me" && state == "pending" {
					drafts++
				}
				if _, err := tx.ExecForTest(`INSERT INTO intent_draft (id, owner_id, goal, seeks, brings, matching_mode, collaborators, state, created_at, updated_at)
					SELECT ?1 || count(*), ?2, 'x', '[]', '[]', 'fulfillment', 0, ?3, 0, 0 FROM intent_draft`, n, owner, state); err != nil {
					return err
				}
				if err := check(owner + ", " + state); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// The best score of an intent is that of its matches that are open.
func TestBestScore(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		for n, tc := range []struct {
			a, b, score int
			state       string
			want        int
		}{
			{50, 51, 90, "closed", 0}, {40, 50, 80, "closed", 0},
			{50, 52, 20, "open", 20}, {50, 53, 10, "open", 20}, {50, 54, 30, "connected", 20},
			{41, 50, 40, "open", 40}, {42, 50, 35, "open", 40}, {43, 50, 50, "connected", 40},
			{40, 51, 99, "open", 40}, {49, 52, 99, "connected", 40},
		} {
			m := sided{id: fmt.Sprint("m", n), aIntent: tc.a, bIntent: tc.b, aUser: "a", bUser: "b", score: tc.score, state: tc.state}
			m.aApproved, m.bApproved = tc.state == "connected", tc.state == "connected"
			if err := m.insert(tx); err != nil {
				return err
			}
			if got, err := tx.BestScore(50); err != nil || got != tc.want {
				t.Errorf("with %+v: %d, %v", tc, got, err)
			}
		}
		return nil
	})
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

// A match does not wait for an account whose intent of it has ended, although it is
// open for the other side.
func TestEndedMatchesDoNotWait(t *testing.T) {
	discarded(t, func(tx *store.Tx) error {
		for n, status := range []string{"active", "paused", "withdrawn", "connected"} {
			me, you := fmt.Sprint("me", n), fmt.Sprint("you", n)
			if err := errors.Join(
				sided{id: me, aIntent: 10 * n, bIntent: 10*n + 1, aUser: me, bUser: you, aStatus: status}.insert(tx),
				sided{id: you, aIntent: 10*n + 2, bIntent: 10*n + 3, aUser: you, bUser: me, bStatus: status}.insert(tx),
			); err != nil {
				return err
			}
			want := map[string]int{me: 0, you: 2}
			if status == "active" || status == "paused" {
				want[me] = 2
			}
			for user, want := range want {
				by := store.Viewer{Kind: store.Human, UserID: user}
				counted, err := tx.Waiting(by)
				listed, e := tx.OpenMatches(by, 0, 10)
				if counted != want || len(listed) != want || err != nil || e != nil {
					t.Errorf("%s, %s: %d counted and %d listed, want %d, %v, %v", status, user, counted, len(listed), want, err, e)
				}
			}
		}
		return nil
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

// Only a match that is open is closed or connects its accounts. One that is closed or
// connected already stays as it is, and so does any other match.
func TestOnlyOpenMatchesAreAnswered(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]func(tx *store.Tx, id string) error{
		"closed":    func(tx *store.Tx, id string) error { return tx.CloseMatch(id) },
		"connected": func(tx *store.Tx, id string) error { return tx.ConnectMatch(id, "place") },
	} {
		discarded(t, func(tx *store.Tx) error {
			for n, m := range everySide() {
				other := m
				other.id, other.aIntent, other.bIntent = fmt.Sprint("other", n), m.aIntent+1000, m.bIntent+1000
				if err := errors.Join(m.insert(tx), other.insert(tx)); err != nil {
					return err
				}
				before, others := seen(t, tx, m), seen(t, tx, other)
				err := answer(tx, m.id)
				if after := seen(t, tx, other); after != others {
					t.Errorf("%s, another match: %+v, was %+v", what, after, others)
				}
				after := seen(t, tx, m)
				if m.state != "open" {
					if !errors.Is(err, store.ErrNoRow) || after != before {
						t.Errorf("%s, which was %s: %v, %+v, was %+v", what, m.state, err, after, before)
					}
				} else if err != nil || after[0].State != what || after[1].State != what || (after[0].ConversationID == "place") != (what == "connected") {
					t.Errorf("%s: %v, %+v", what, err, after)
				}
			}
			return nil
		})
	}
}
