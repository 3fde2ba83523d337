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

// Matches of an account that is being deleted end up to a number at a time, whichever
// side of them it is. Its words, and no others, leave their cards, whatever kinds the two
// intents have; the rest of them end when it is read as deleted.
func TestMatchesEndInParts(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := p.Ada.ID
	place := map[string]string{}
	kinds := [][2]string{{"ask", "offer"}, {"offer", "ask"}, {"ask", "ask"}, {"offer", "offer"}}
	intent := func(tx *store.Tx, owner, kind string) *store.Intent {
		i := store.Intent{OwnerID: owner, Kind: kind, Terms: "words of " + owner, MatchingMode: "fulfillment", Status: "active"}
		tx.Now = tx.Tick()
		if err := tx.InsertIntent(&i, nil); err != nil {
			t.Fatal(err)
		}
		return &i
	}
	// connect matches ada with another account and connects them, in which order they
	// have published.
	connect := func(tx *store.Tx, other, kind, otherKind string, otherFirst bool) error {
		var own, others *store.Intent
		if otherFirst {
			others = intent(tx, other, otherKind)
		}
		own = intent(tx, ada, kind)
		if !otherFirst {
			others = intent(tx, other, otherKind)
		}
		id, err := tx.InsertMatch(own, others, "reciprocal", 50)
		if err != nil {
			return err
		}
		ask, offer := own, others
		if kind != otherKind && kind == "offer" || kind == otherKind && otherFirst {
			ask, offer = offer, ask
		}
		tx.Now = tx.Tick()
		if place[other], _, err = tx.InsertDirect(ada, other, ""); err != nil {
			return err
		}
		if _, err = tx.SendCard(place[other], store.MessageCard{Kind: "match_context", Payload: fmt.Sprintf(`{"matchId":%q,"askTerms":%q,"offerTerms":%q}`, id, ask.Terms, offer.Terms)}); err != nil {
			return err
		}
		return tx.ConnectMatch(id, place[other])
	}
	others := []string{p.Ben.ID, p.Cleo.ID}
	write(t, db, func(tx *store.Tx) (err error) {
		for _, k := range kinds {
			for n, other := range others {
				err = errors.Join(err, connect(tx, other, k[0], k[1], n == 0))
			}
		}
		for _, other := range []string{p.Stranger.ID, p.Stranger.ID, p.Ben.ID} {
			_, failed := tx.InsertMatch(intent(tx, ada, "ask"), intent(tx, other, "offer"), "complementary", 50)
			err = errors.Join(err, failed)
		}
		_, failed := tx.InsertMatch(intent(tx, p.Ben.ID, "ask"), intent(tx, p.Cleo.ID, "offer"), "complementary", 50)
		return errors.Join(err, failed, tx.Freeze(ada))
	})
	count := func(query string, args ...any) int { return len(column(t, db, query, args...)) }
	var cards, waiting []string
	note := func(out store.EndedMatches) {
		for _, c := range out.Cards {
			cards = append(cards, c.ID)
		}
		waiting = append(waiting, out.Waiting...)
	}
	for n := 1; n <= 5; n++ {
		var ended store.EndedMatches
		write(t, db, func(tx *store.Tx) (err error) {
			ended, err = tx.EndMatches(ada, 2)
			return err
		})
		if note(ended); ended.Matches != 2 {
			t.Errorf("%d matches ended", ended.Matches)
		}
		if got := count(`SELECT id FROM intent_match WHERE a_user = ?1 OR b_user = ?1`, ada); got != 11-2*n {
			t.Errorf("after %d, %d matches are left", n, got)
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
	if note(out.EndedMatches); out.Matches != 1 || count(`SELECT id FROM intent_match WHERE id <> 'crowd'`) != 1 {
		t.Errorf("%+v, and the matches %q are left", out, column(t, db, `SELECT id || ' ' || a_user || ' ' || b_user || ' ' || state FROM intent_match`))
	}
	slices.Sort(waiting)
	want := []string{p.Ben.ID, p.Stranger.ID}
	slices.Sort(want)
	if got := slices.Compact(waiting); !slices.Equal(got, want) {
		t.Errorf("the accounts %q have waited, want %q", got, want)
	}
	slices.Sort(cards)
	if got := column(t, db, `SELECT id FROM message WHERE card_payload IS NOT NULL ORDER BY id`); !slices.Equal(got, cards) || len(cards) != 8 {
		t.Errorf("the cards are %q, want %q", cards, got)
	}
	for _, other := range others {
		if got := column(t, db, `SELECT card_payload FROM message WHERE conversation_id = ?1 AND card_payload LIKE '%"words of ' || ?2 || '"%' AND card_payload LIKE '%""%'`, place[other], other); len(got) != 4 {
			t.Errorf("the cards for %s are %q", other, column(t, db, `SELECT card_payload FROM message WHERE conversation_id = ?1`, place[other]))
		}
	}
	if got := column(t, db, `SELECT card_payload FROM message WHERE card_payload LIKE '%' || ?1 || '%'`, ada); len(got) > 0 {
		t.Errorf("words are left in %q", got)
	}
}
