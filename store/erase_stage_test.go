package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// column returns the texts of a query of the file, in order.
func column(t *testing.T, db *storetest.DB, query string, args ...any) (all []string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := file.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return all
}

// The deletion ledger has every account once, with the time of its first deletion. Of
// those in it, the ones that exist and are not being deleted are to be deleted again,
// and no other account.
func TestDeletionLedger(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error { return tx.Freeze(p.Ben.ID) })
	write(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.AddErased([]store.Erased{{UserID: "a", At: 1}, {UserID: p.Ben.ID, At: 2}, {UserID: p.Ada.ID, At: 3}}), tx.AddErased([]store.Erased{{UserID: "a", At: 9}, {UserID: "b", At: 4}}))
	})
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		all, err := r.Erased()
		got := map[string]store.Time{}
		for _, e := range all {
			got[e.UserID] = e.At
		}
		if want := map[string]store.Time{"a": 1, "b": 4, p.Ben.ID: 2, p.Ada.ID: 3}; len(all) != len(want) || !maps.Equal(got, want) || !slices.IsSortedFunc(all, func(a, b store.Erased) int { return strings.Compare(a.UserID, b.UserID) }) {
			t.Errorf("the ledger: %v, %v", all, err)
		}
		ids, err := r.Resurrected()
		if !slices.Equal(ids, []string{p.Ada.ID}) {
			t.Errorf("to be deleted again: %v, %v", ids, err)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// The bots of an account are deleted before it, whichever deletion began first.
func TestBotsAreDeletedFirst(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var bot store.User
	write(t, db, func(tx *store.Tx) (err error) {
		bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ben.ID, SignupProvider: "bot"})
		return err
	})
	for _, id := range []string{p.Cleo.ID, p.Ben.ID, bot.ID, p.Ada.ID} {
		write(t, db, func(tx *store.Tx) error { return tx.Freeze(id) })
	}
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		all, err := r.Erasures()
		got, err := texts(all, err, func(e store.Erasure) string { return e.UserID })
		if want := []string{bot.ID, p.Cleo.ID, p.Ben.ID, p.Ada.ID}; !slices.Equal(got, want) {
			t.Errorf("deleted in the order %q, want %q", got, want)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// Each step of the deletion of an account is for one that has come so far, and for that
// one alone.
func TestStagesOfADeletion(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	frozen, redacted, another, removed := p.Ada.ID, p.Ben.ID, p.Cleo.ID, p.Stranger.ID
	for name, tc := range map[string]struct {
		step func(tx *store.Tx) error
		err  error
		left map[string]store.Stage // the stages of those that still have one
		gone string                 // the account that is
	}{
		"the row of an account that is read as deleted": {func(tx *store.Tx) error { return tx.RemoveUser(redacted) }, nil,
			map[string]store.Stage{frozen: store.Frozen, redacted: store.Removed, another: store.Redacted, removed: store.Removed, "x": store.Removed}, redacted},
		"the row of an account that is not": {func(tx *store.Tx) error { return tx.RemoveUser(frozen) }, store.ErrNoRow, nil, ""},
		"the row of one that has none":      {func(tx *store.Tx) error { return tx.RemoveUser("x") }, store.ErrNoRow, nil, ""},
		"the end of what has no row": {func(tx *store.Tx) error { return tx.EndErasure("x") }, nil,
			map[string]store.Stage{frozen: store.Frozen, redacted: store.Redacted, another: store.Redacted, removed: store.Removed}, ""},
		"the end of what has one": {func(tx *store.Tx) error { return errors.Join(tx.EndErasure(frozen), tx.EndErasure(another)) }, nil,
			map[string]store.Stage{frozen: store.Frozen, redacted: store.Redacted, another: store.Redacted, removed: store.Removed, "x": store.Removed}, ""},
	} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for id, stage := range map[string]store.Stage{frozen: store.Frozen, redacted: store.Redacted, another: store.Redacted, removed: store.Removed, "x": store.Removed} {
				if _, err := tx.ExecForTest(`INSERT INTO erasing VALUES (?, 5, ?)`, id, string(stage)); err != nil {
					return err
				}
			}
			if err := tc.step(tx); !errors.Is(err, tc.err) {
				t.Errorf("%s: %v, want %v", name, err, tc.err)
			} else if err != nil {
				return undo
			}
			all, err := tx.Erasures()
			got := map[string]store.Stage{}
			for _, e := range all {
				got[e.UserID] = e.Stage
			}
			if !maps.Equal(got, tc.left) {
				t.Errorf("%s: %v, want %v", name, got, tc.left)
			}
			for _, id := range []string{frozen, redacted, another, removed} {
				if _, err := tx.User(id); (err != nil) != (id == tc.gone) {
					t.Errorf("%s: the account %s: %v", name, id, err)
				}
			}
			return errors.Join(err, undo)
		})
		if !errors.Is(err, undo) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing is deleted of an account that is not read as deleted.
func TestScrubOfALiveAccount(t *testing.T) {
	db := storetest.OpenCrowd(t)
	x, y := storetest.Crowd["x"], storetest.Crowd["y"]
	write(t, db, func(tx *store.Tx) error { return tx.Freeze(x) })
	before := rowsOf(t, db)
	write(t, db, func(tx *store.Tx) error {
		for _, id := range []string{x, y, "nobody"} {
			if more, err := tx.Scrub(id, 10); more || err != nil {
				t.Errorf("%s: more %v, %v", id, more, err)
			}
		}
		return nil
	})
	if !maps.Equal(rowsOf(t, db), before) {
		t.Error("rows were changed")
	}
}

// The event log is searched for an account from after an id up to another, wherever an
// event names it.
func TestEventsOfAnAccount(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		const first = 1000
		for n, e := range []store.Event{{Topic: "u"}, {Topic: "c", ObjectID: "u"}, {Topic: "c", ActorID: "u"}, {Topic: "c", ObjectID: "v", ActorID: "v"}, {Topic: "u", ObjectID: "u", ActorID: "u"}} {
			if _, err := tx.ExecForTest(`INSERT INTO event VALUES (?, ?, 'k', ?, ?, 0)`, first+n, e.Topic, e.ObjectID, e.ActorID); err != nil {
				return err
			}
		}
		for _, tc := range []struct {
			after, upTo int64
			want        []int64
		}{{0, 5000, []int64{0, 1, 2, 4}}, {first, first + 4, []int64{1, 2, 4}}, {first - 1, first + 3, []int64{0, 1, 2}}, {first + 1, first + 2, []int64{2}}, {first + 4, 5000, nil}} {
			got, err := tx.EventsOf("u", tc.after, tc.upTo)
			for n := range got {
				got[n] -= first
			}
			if slices.Sort(got); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("after %d up to %d: %v, want %v, %v", tc.after, tc.upTo, got, tc.want, err)
			}
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// Friendships of an account that is being deleted end up to a number at a time, on both
// sides, and none of others; the rest of them end when it is read as deleted.
func TestFriendshipsEndInParts(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := p.Ada.ID
	friends := []string{p.Ben.ID, p.Cleo.ID, p.Stranger.ID}
	write(t, db, func(tx *store.Tx) (err error) {
		for n, id := range friends {
			err = errors.Join(err, tx.PutFriends(ada, id, "friends", "friends"), tx.PutFriends(id, friends[(n+1)%3], "friends", "friends"))
		}
		return errors.Join(err, tx.Freeze(ada))
	})
	left := func() int {
		return len(column(t, db, `SELECT other_id FROM friend WHERE user_id = ?1 UNION ALL SELECT user_id FROM friend WHERE other_id = ?1`, ada))
	}
	for n := 1; n <= 2; n++ {
		write(t, db, func(tx *store.Tx) error {
			people, err := tx.EndFriendships(ada, 1)
			if len(people) != 1 {
				t.Errorf("%d friendships ended", len(people))
			}
			return err
		})
		if got := left(); got != 2*(3-n) {
			t.Errorf("after %d, %d rows are left", n, got)
		}
	}
	var out store.Redaction
	write(t, db, func(tx *store.Tx) error {
		a, err := tx.Authored(ada)
		if err == nil {
			out, err = tx.Redact(a)
		}
		return err
	})
	if len(out.People) != 1 || !out.Done || out.UserID != ada || left() != 0 {
		t.Errorf("%+v; %d rows are left", out, left())
	}
	if others := column(t, db, fmt.Sprintf(`SELECT user_id FROM friend WHERE user_id IN ('%s', '%s', '%s')`, friends[0], friends[1], friends[2])); len(others) != 6 {
		t.Errorf("of others %d rows are left", len(others))
	}
}
