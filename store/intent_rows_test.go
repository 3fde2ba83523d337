package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// ask publishes an ask of an account.
func ask(t *testing.T, db *storetest.DB, owner store.User, audience store.Audience, keys ...store.IntentKey) (i store.Intent) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		i = store.Intent{OwnerID: owner.ID, Kind: "ask", Terms: "x", Seeks: []string{"a"}, Brings: []string{"b"}, MatchingMode: "fulfillment", Status: "active", Audience: audience, Prepared: []byte(owner.Name)}
		return tx.InsertIntent(&i, keys)
	})
	return i
}

// reading reads in one state.
func reading(t *testing.T, db *storetest.DB, f func(r *store.Reader) error) {
	t.Helper()
	if err := db.Read(t.Context(), f); err != nil {
		t.Error(err)
	}
}

// An audience is that of its intent alone, with all of its people and conversations in
// order, however many there are of each; only an intent without one is for everybody.
func TestAudiencesBeside(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	people := []string{p.Ben.ID, p.Cleo.ID, p.Stranger.ID}
	var places []string
	for range 3 {
		places = append(places, group(t, db, p.Ada, p.Ben))
	}
	slices.Sort(people)
	slices.Sort(places)
	audiences := []store.Audience{{}, {UserIDs: people}, {ConversationIDs: places}, {UserIDs: people[:1], ConversationIDs: places[:1]}, {UserIDs: people[:2], ConversationIDs: places[:2]}, {UserIDs: people[1:], ConversationIDs: places}}
	backwards := func(ids []string) []string {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
		return ids
	}
	var intents []store.Intent
	for _, a := range audiences {
		intents = append(intents, ask(t, db, p.Ada, store.Audience{UserIDs: backwards(a.UserIDs), ConversationIDs: backwards(a.ConversationIDs)}))
	}
	reading(t, db, func(r *store.Reader) error {
		for n, want := range audiences {
			i, err := r.Intent(storetest.Human(p.Ada), intents[n].ID)
			if err != nil || i.Restricted != (n > 0) || want.Empty() != (n == 0) {
				t.Errorf("intent %d is restricted: %v, and its audience empty: %v; %v", n, i.Restricted, want.Empty(), err)
			}
			got, err := r.IntentAudience(storetest.Human(p.Ada), i.Seq)
			if err != nil || !slices.Equal(got.UserIDs, want.UserIDs) || !slices.Equal(got.ConversationIDs, want.ConversationIDs) {
				t.Errorf("intent %d is for %v, want %v; %v", n, got, want, err)
			}
			if got, err := r.IntentAudience(storetest.Human(p.Ben), i.Seq); err != nil || !got.Empty() {
				t.Errorf("intent %d is for %v, as another account reads: %v", n, got, err)
			}
		}
		return nil
	})
}

// An audience is named of people whom its account sees, but for itself and bots, and of
// conversations that it is in.
func TestWhoCanBeAnAudience(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var bot store.User
	write(t, db, func(tx *store.Tx) (err error) {
		if bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID, SignupProvider: "bot"}); err == nil {
			_, err = tx.InsertBlock(p.Cleo.ID, p.Ada.ID)
		}
		return err
	})
	in, out := group(t, db, p.Ada), group(t, db, p.Ben)
	reading(t, db, func(r *store.Reader) error {
		got, err := r.AudienceUnknown(storetest.Human(p.Ada), store.Audience{UserIDs: []string{p.Ada.ID, p.Ben.ID, bot.ID, p.Cleo.ID, "none"}, ConversationIDs: []string{in, out, p.Ben.ID}})
		if want := []string{p.Ada.ID, bot.ID, p.Cleo.ID, "none", out, p.Ben.ID}; !slices.Equal(got, want) {
			t.Errorf("cannot be named: %q, want %q", got, want)
		}
		return err
	})
}

// The listed intents of an account are its active ones, up to a number, and none of
// others; what is listed, by the order of its rows and since when, is so while active.
func TestListedIntentsBeside(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	var all []store.Intent
	for _, u := range []store.User{p.Ada, p.Ben, p.Ada, p.Ada} {
		all = append(all, ask(t, db, u, store.Audience{}))
	}
	numbers := func(is []store.Intent, err error) string {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		text := ""
		for _, i := range is {
			text += fmt.Sprint(slices.IndexFunc(all, func(o store.Intent) bool { return o.ID == i.ID }))
		}
		return text
	}
	for _, tc := range []struct {
		status         string // of the last intent
		ada, rows, two string
		last           store.Time
	}{{"active", "023", "0123", "01", all[3].CreatedAt}, {"paused", "02", "012", "01", all[2].CreatedAt}, {"withdrawn", "02", "012", "01", all[2].CreatedAt}} {
		write(t, db, func(tx *store.Tx) error {
			if tc.status == "active" {
				return nil
			}
			i := all[3]
			return tx.SetIntentStatus(&i, tc.status)
		})
		reading(t, db, func(r *store.Reader) error {
			if got := numbers(r.ListedIntents(storetest.Human(p.Ada), 9)); got != tc.ada {
				t.Errorf("%s: of Ada %s, want %s", tc.status, got, tc.ada)
			}
			if is, err := r.ListedIntents(storetest.Human(p.Ada), 1); len(is) != 1 {
				t.Errorf("%s: %d of one, %v", tc.status, len(is), err)
			}
			if got := numbers(r.IntentsAfter(0, 9)); got != tc.rows {
				t.Errorf("%s: from the first on %s, want %s", tc.status, got, tc.rows)
			}
			if got := numbers(r.IntentsAfter(0, 2)); got != tc.two {
				t.Errorf("%s: the first two %s, want %s", tc.status, got, tc.two)
			}
			if got := numbers(r.IntentsAfter(all[0].Seq, 9)); got != tc.rows[1:] {
				t.Errorf("%s: after the first %s, want %s", tc.status, got, tc.rows[1:])
			}
			since, err := r.ListedSince(store.ListedIntent{Intent: all[0].Seq, At: all[0].CreatedAt}, 9)
			if len(since) != len(tc.rows)-1 || since[0].Intent != all[1].Seq {
				t.Errorf("%s: listed since the first %v", tc.status, since)
			}
			last, err2 := r.LastListed()
			if last != tc.last {
				t.Errorf("%s: the last at %v, want %v", tc.status, last, tc.last)
			}
			return errors.Join(err, err2)
		})
	}
}

// Of no listed intents, none was listed last.
func TestLastListedOfNone(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	i := ask(t, db, p.Ada, store.Audience{})
	for _, want := range []store.Time{i.CreatedAt, 0} {
		reading(t, db, func(r *store.Reader) error {
			last, err := r.LastListed()
			if last != want {
				t.Errorf("the last at %v, want %v", last, want)
			}
			return err
		})
		write(t, db, func(tx *store.Tx) error { i := i; return tx.SetIntentStatus(&i, "paused") })
	}
}

// The keys of an intent are those it was listed with last, each with the most weight it
// was given, and go when it is not listed any more; those of others stay.
func TestKeysOfAnIntent(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	keys := func(pairs ...int64) (out []store.IntentKey) {
		for n := 0; n < len(pairs); n += 2 {
			out = append(out, store.IntentKey{Key: pairs[n], Weight: int(pairs[n+1])})
		}
		return out
	}
	i, other := ask(t, db, p.Ada, store.Audience{}, keys(1, 5, 1, 3, 2, 3, 2, 5)...), ask(t, db, p.Ben, store.Audience{}, keys(1, 7)...)
	for _, tc := range []struct {
		name     string
		f        func(tx *store.Tx, i *store.Intent) error
		want     string
		prepared string
	}{
		{"published", func(tx *store.Tx, i *store.Intent) error { return nil }, "1:5 2:5", "Ada"},
		{"listed again", func(tx *store.Tx, i *store.Intent) error {
			i.Prepared = []byte("again")
			return tx.ListIntent(i, keys(2, 1, 3, 1))
		}, "2:1 3:1", "again"},
		{"replaced", func(tx *store.Tx, i *store.Intent) error {
			return tx.ReplaceKeys(i.Seq, keys(4, 2), []byte("new"))
		}, "4:2", "new"},
		{"paused", func(tx *store.Tx, i *store.Intent) error { return tx.SetIntentStatus(i, "paused") }, "", ""},
		{"replaced while it is paused", func(tx *store.Tx, i *store.Intent) error {
			return tx.ReplaceKeys(i.Seq, keys(4, 2), []byte("new"))
		}, "", ""},
	} {
		write(t, db, func(tx *store.Tx) error { i := i; return tc.f(tx, &i) })
		for seq, want := range map[int64][2]string{i.Seq: {tc.want, tc.prepared}, other.Seq: {"1:7", "Ben"}} {
			got := column(t, db, `SELECT coalesce(group_concat(key || ':' || weight, ' '), '') FROM (SELECT key, weight FROM intent_key WHERE intent = ? ORDER BY key)`, seq)[0]
			prepared := column(t, db, `SELECT coalesce(CAST(prepared AS TEXT), '') FROM intent WHERE seq = ?`, seq)[0]
			if got != want[0] || prepared != want[1] {
				t.Errorf("%s: the keys %q and %q, want %q", tc.name, got, prepared, want)
			}
		}
	}
}

// Candidates are intents that have keys in common, those with the most weight first, and
// of as much weight the newest. Those that were listed since a moment are found by
// themselves.
func TestCandidatesInOrder(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	key := func(key int64, weight int) store.IntentKey { return store.IntentKey{Key: key, Weight: weight} }
	var all []store.Intent
	for _, a := range []struct {
		owner store.User
		keys  []store.IntentKey
	}{{p.Ben, []store.IntentKey{key(101, 1)}}, {p.Cleo, []store.IntentKey{key(101, 9), key(103, 1)}}, {p.Ben, []store.IntentKey{key(101, 1)}}, {p.Ada, []store.IntentKey{key(101, 1)}}, {p.Cleo, []store.IntentKey{key(103, 9)}}, {p.Stranger, []store.IntentKey{key(101, 4), key(102, 4)}}} {
		all = append(all, ask(t, db, a.owner, store.Audience{}, a.keys...))
	}
	own := store.Intent{OwnerID: p.Ada.ID}
	q := store.CandidateQuery{Intent: &own, Keys: []store.IntentKey{key(101, 10), key(102, 10)}, Limit: 99}
	numbers := func(seqs []int64) (out []int) {
		for _, seq := range seqs {
			out = append(out, slices.IndexFunc(all, func(i store.Intent) bool { return i.Seq == seq }))
		}
		return out
	}
	reading(t, db, func(r *store.Reader) error {
		seqs, more, err := r.Candidates(q, 0)
		if got, want := numbers(seqs), []int{1, 5, 3, 2, 0}; more || err != nil || !slices.Equal(got, want) {
			t.Errorf("candidates %v, want %v: %v", got, want, err)
		}
		for _, tc := range []struct {
			since store.Time
			limit int
			want  []int
		}{{0, 99, []int{1, 5, 0, 2}}, {0, 2, []int{1, 5}}, {all[0].CreatedAt - 1, 99, []int{1, 5, 0, 2}}, {all[0].CreatedAt, 99, []int{1, 5, 2}}, {all[1].CreatedAt, 99, []int{5, 2}}, {all[5].CreatedAt, 99, nil}} {
			q.Limit = tc.limit
			is, err := r.NewerCandidates(q, tc.since)
			var seqs []int64
			for _, i := range is {
				seqs = append(seqs, i.Seq)
			}
			got := numbers(seqs)
			if len(got) == len(tc.want) && len(got) > 2 {
				slices.Sort(got[2:]) // of as much weight
			}
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("listed after %v: %v, want %v: %v", tc.since, got, tc.want, err)
			}
		}
		return nil
	})
}

// Of candidates that are listed no more is read than what was prepared of them, unless that
// is not usable; and their size is known before.
func TestToCompare(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ben, cleo, gone := ask(t, db, p.Ben, store.Audience{}), ask(t, db, p.Cleo, store.Audience{}), ask(t, db, p.Stranger, store.Audience{})
	write(t, db, func(tx *store.Tx) error {
		gone := gone
		return errors.Join(tx.ReplaceKeys(ben.Seq, nil, bytes.Repeat([]byte("x"), 999)), tx.SetIntentStatus(&gone, "withdrawn"))
	})
	reading(t, db, func(r *store.Reader) error {
		eligible, err := r.EligibleOf(store.CandidateQuery{Intent: &store.Intent{OwnerID: p.Ada.ID}, Limit: 9}, []int64{cleo.Seq, ben.Seq})
		if want := []store.Candidate{{Seq: cleo.Seq, OwnerID: p.Cleo.ID, Size: 11}, {Seq: ben.Seq, OwnerID: p.Ben.ID, Size: 999}}; err != nil || !slices.Equal(eligible, want) {
			t.Errorf("got %v, want %v: %v", eligible, want, err)
		}
		got, err := r.ToCompare(append(eligible, store.Candidate{Seq: gone.Seq}), func(prepared []byte) bool { return len(prepared) == 999 })
		if len(got) != 2 || got[0].Terms != "x" || len(got[0].Seeks) != 1 || got[1].OwnerID != p.Ben.ID || got[1].Terms != "" || len(got[1].Prepared) != 999 {
			t.Errorf("got %+v", got)
		}
		return err
	})
}

// Those who are in the audience of an intent are matched with it, and nobody else: by
// name, by a conversation that both are in, or both; and only once.
func TestEligibleOfAnAudience(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	with, without := group(t, db, p.Ada, p.Cleo), group(t, db, p.Cleo, p.Stranger) // Ada is not in the second
	var chosen []int64
	var intents []store.Intent
	for _, u := range []store.User{p.Ben, p.Cleo, p.Stranger, p.Ada} {
		intents = append(intents, ask(t, db, u, store.Audience{}))
		chosen = append(chosen, intents[len(intents)-1].Seq)
	}
	own := intents[3]
	for _, tc := range []struct {
		audience store.Audience
		limit    int
		want     string
	}{
		{store.Audience{}, 9, "BCS"}, {store.Audience{}, 2, "BC"},
		{store.Audience{UserIDs: []string{p.Ben.ID}}, 9, "B"},
		{store.Audience{ConversationIDs: []string{with}}, 9, "C"},
		{store.Audience{ConversationIDs: []string{without}}, 9, ""},
		{store.Audience{UserIDs: []string{p.Stranger.ID}, ConversationIDs: []string{with}}, 9, "CS"},
		{store.Audience{UserIDs: []string{p.Ada.ID}}, 9, ""},
	} {
		for _, matched := range []bool{false, true} {
			undo := errors.New("undo")
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				i := own
				want := tc.want
				if matched { // with Ben's before
					if _, err := tx.InsertMatch(&i, &intents[0], "complementary", 50); err != nil {
						return err
					}
					if want != "" && want[0] == 'B' {
						if want = want[1:]; tc.limit == 2 {
							want += "S"
						}
					}
				}
				i.Audience = tc.audience
				is, err := tx.EligibleOf(store.CandidateQuery{Intent: &i, Limit: tc.limit}, chosen)
				got := ""
				for _, i := range is {
					got += map[string]string{p.Ben.ID: "B", p.Cleo.ID: "C", p.Stranger.ID: "S", p.Ada.ID: "A"}[i.OwnerID]
				}
				if err != nil || got != want {
					t.Errorf("for %v, of %d, matched %v: %q, want %q, %v", tc.audience, tc.limit, matched, got, want, err)
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Error(err)
			}
		}
	}
}

// The Story of an intent is the one of that intent, for its account; and an intention
// that changes says when it did.
func TestStoryOfAnIntent(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	db.Clock.Advance(time.Second)
	var intents []store.Intent
	for n := range 3 {
		intents = append(intents, ask(t, db, p.Ada, store.Audience{}))
		write(t, db, func(tx *store.Tx) error {
			if n == 2 {
				return nil
			}
			return tx.InsertStory(&store.Story{ID: fmt.Sprint("story", n), OwnerID: p.Ada.ID, Intent: intents[n], QuietSearch: true, Status: "active", SearchExpiresAt: 1 << 60})
		})
	}
	reading(t, db, func(r *store.Reader) error {
		for n, i := range intents {
			s, err := r.StoryOf(storetest.Human(p.Ada), i.Seq)
			if want := fmt.Sprint("story", n); n < 2 && (s.ID != want || s.Intent.ID != i.ID || err != nil) || n == 2 && !errors.Is(err, store.ErrNoRow) {
				t.Errorf("of intent %d the Story %q with the intent %q, %v", n, s.ID, s.Intent.ID, err)
			}
			if _, err := r.StoryOf(storetest.Human(p.Ben), i.Seq); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("another reads the Story of intent %d: %v", n, err)
			}
		}
		return nil
	})
	write(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.InsertIntention(&store.Intention{Intent: intents[1], State: "open"}), tx.InsertIntention(&store.Intention{Intent: intents[0], State: "open"}))
	})
	write(t, db, func(tx *store.Tx) error {
		for _, i := range intents[:2] {
			if n, err := tx.Intention(storetest.Human(p.Ada), i.ID); err != nil || n.Intent.ID != i.ID {
				t.Errorf("the intention of %s, want %s: %v", n.Intent.ID, i.ID, err)
			}
		}
		_, none := tx.Intention(storetest.Human(p.Ada), intents[2].ID)
		if _, err := tx.Intention(storetest.Human(p.Ben), intents[0].ID); !errors.Is(err, store.ErrNoRow) || !errors.Is(none, store.ErrNoRow) {
			t.Errorf("an intention of another: %v, or of an intent without one: %v", err, none)
		}
		n, err := tx.Intention(storetest.Human(p.Ada), intents[0].ID)
		if err != nil {
			return err
		}
		err = tx.UpdateIntention(&n)
		if stored, err := tx.Intention(storetest.Human(p.Ada), intents[0].ID); err != nil || stored.UpdatedAt != tx.Now || n.UpdatedAt != tx.Now || stored.Revision != 2 {
			t.Errorf("changed at %v, stored as %v with the revision %d, want %v: %v", n.UpdatedAt, stored.UpdatedAt, stored.Revision, tx.Now, err)
		}
		return err
	})
}
