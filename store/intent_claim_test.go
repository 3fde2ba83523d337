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

// wanted publishes an ask of each account, of which the vectors are wanted.
func wanted(t *testing.T, db *storetest.DB, people ...store.User) (intents []store.Intent) {
	t.Helper()
	var listed []store.ListedIntent
	for _, u := range people {
		i := ask(t, db, u, store.Audience{})
		intents = append(intents, i)
		listed = append(listed, store.ListedIntent{Intent: i.Seq, At: i.CreatedAt})
	}
	db.Clock.Advance(time.Second)
	write(t, db, func(tx *store.Tx) error { return tx.WantVectors("m", listed) })
	return intents
}

// The vectors of intents are computed unless nobody can be matched with them now: that
// have expired, by the very moment, or whose account is suspended or has paused.
func TestVectorsOfWhatCanBeMatched(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.Open(t)
	p := storetest.People(t, db)
	intents := wanted(t, db, p.Ada, p.Ben, p.Ada)
	for _, tc := range []struct {
		change string // of the first intent ?1 and its account ?2, now ?3
		want   int
	}{
		{`SELECT ?1, ?2, ?3`, 3},
		{`UPDATE intent SET expires_at = ?3 WHERE seq = ?1`, 2},
		{`UPDATE intent SET expires_at = ?3 + 1 WHERE seq = ?1`, 3},
		{`UPDATE user SET suspended_at = 1 WHERE id = ?2`, 1},
		{`INSERT INTO social_preference VALUES (?2, 'simple', 1, 0)`, 1},
		{`INSERT INTO social_preference VALUES (?2, 'simple', 0, 0)`, 3},
		{`UPDATE intent_vector SET due_at = ?3 + 1 WHERE seq = ?1`, 2},
		{`UPDATE intent_vector SET due_at = ?3, tries = 4 WHERE seq = ?1`, 3},
	} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.ExecForTest(`WITH given AS (SELECT ?1, ?2, ?3) `+tc.change, intents[0].Seq, p.Ada.ID, int64(tx.Reader.Now())); err != nil {
				return err
			}
			claims, err := tx.ClaimVectors("m", 9, tx.Reader.Now()+9)
			if err != nil || len(claims) != tc.want {
				t.Errorf("%s: %d claims, want %d: %v", tc.change, len(claims), tc.want, err)
			}
			again, err := tx.ClaimVectors("m", 9, tx.Reader.Now()+99)
			if err != nil || len(again) != 0 {
				t.Errorf("%s: claimed again: %v, %v", tc.change, again, err)
			}
			for limit := range 3 {
				if _, err := tx.ExecForTest(`UPDATE intent_vector SET due_at = ?1, tries = seq % 2`, int64(tx.Reader.Now())); err != nil {
					return err
				}
				if claims, err := tx.ClaimVectors("m", limit, tx.Reader.Now()+9); err != nil || len(claims) != min(limit, tc.want) {
					t.Errorf("%s: %d claims of %d: %v", tc.change, len(claims), limit, err)
				}
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}

// Vectors are wanted of the intents that are named and listed, and of no others; those of
// another model are deleted.
func TestVectorsThatAreWanted(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	var intents []store.Intent
	for _, u := range []store.User{p.Ada, p.Ada, p.Ben} {
		intents = append(intents, ask(t, db, u, store.Audience{}))
	}
	write(t, db, func(tx *store.Tx) error { i := intents[1]; return tx.SetIntentStatus(&i, "paused") })
	for _, tc := range []struct {
		model string
		want  []string
	}{{"m", []string{fmt.Sprint(intents[0].Seq, " ")}}, {"m", []string{fmt.Sprint(intents[0].Seq, " m")}}, {"n", []string{fmt.Sprint(intents[0].Seq, " ")}}} {
		write(t, db, func(tx *store.Tx) error {
			return tx.WantVectors(tc.model, []store.ListedIntent{{Intent: intents[0].Seq}, {Intent: intents[1].Seq}})
		})
		if got := column(t, db, `SELECT seq || ' ' || model FROM intent_vector`); !slices.Equal(got, tc.want) {
			t.Errorf("of the model %s: %q, want %q", tc.model, got, tc.want)
		}
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`UPDATE intent_vector SET model = 'm', vectors = x'00'`)
			return err
		})
	}
}

// The vectors of an intent are deleted when it is not listed any more, and also when it
// is listed again, as its text may have changed. Those of others stay.
func TestVectorsOfWhatIsNotListed(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	intents := wanted(t, db, p.Ada, p.Ada, p.Ben)
	for n, step := range []func(tx *store.Tx, i *store.Intent) error{
		func(tx *store.Tx, i *store.Intent) error { return tx.SetIntentStatus(i, "paused") },
		func(tx *store.Tx, i *store.Intent) error { return tx.ListIntent(i, nil) },
	} {
		write(t, db, func(tx *store.Tx) error { i := intents[n]; return step(tx, &i) })
		var want []string
		for _, i := range intents[n+1:] {
			want = append(want, fmt.Sprint(i.Seq))
		}
		if got := column(t, db, `SELECT seq FROM intent_vector ORDER BY seq`); !slices.Equal(got, want) {
			t.Errorf("step %d: the intents with vectors are %q, want %q", n, got, want)
		}
	}
}

// What is done with a claim counts while it holds, of its intent alone: another process
// may have taken it. Of an account that wants its intents compared again, those that are
// claimed stay so.
func TestClaimsHold(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	intents := wanted(t, db, p.Ada, p.Ada, p.Ben, p.Ada)
	var now store.Time
	write(t, db, func(tx *store.Tx) error {
		now = tx.Reader.Now()
		claims, err := tx.ClaimVectors("m", 9, now+9)
		if len(claims) != 4 {
			t.Errorf("%d claims", len(claims))
		}
		return err
	})
	claim := func(n int, until store.Time) store.VectorClaim {
		return store.VectorClaim{Intent: intents[n].Seq, Until: until}
	}
	held := func(held bool, err error) string { return fmt.Sprint(held, err) }
	const untouched = "9 0 "
	for _, tc := range []struct {
		name string
		f    func(tx *store.Tx) string
		says string
		want []string // due, tries and model of each
	}{
		{"nothing", func(tx *store.Tx) string { return "" }, "", []string{untouched, untouched, untouched, untouched}},
		{"set by another", func(tx *store.Tx) string { return held(tx.SetVectors(claim(0, now+8), "m", []byte("v"))) }, "false <nil>", []string{untouched, untouched, untouched, untouched}},
		{"tried by another", func(tx *store.Tx) string { return held(true, tx.RetryVectors(claim(0, now+8), now+50)) }, "true <nil>", []string{untouched, untouched, untouched, untouched}},
		{"finished without vectors", func(tx *store.Tx) string { return held(tx.FinishVectors(claim(0, now+9))) }, "false <nil>", []string{untouched, untouched, untouched, untouched}},
		{"tried", func(tx *store.Tx) string { return held(true, tx.RetryVectors(claim(1, now+9), now+50)) }, "true <nil>", []string{untouched, "50 1 ", untouched, untouched}},
		{"set", func(tx *store.Tx) string { return held(tx.SetVectors(claim(0, now+9), "m", []byte("v"))) }, "true <nil>", []string{"9 0 m", "50 1 ", untouched, untouched}},
		{"finished by another", func(tx *store.Tx) string { return held(tx.FinishVectors(claim(0, now+8))) }, "false <nil>", []string{"9 0 m", "50 1 ", untouched, untouched}},
		{"finished", func(tx *store.Tx) string { return held(tx.FinishVectors(claim(0, now+9))) }, "true <nil>", []string{"- 0 m", "50 1 ", untouched, untouched}},
		{"another model", func(tx *store.Tx) string { return held(tx.SetVectors(claim(3, now+9), "other", []byte("w"))) }, "true <nil>", []string{"- 0 m", "50 1 ", untouched, "9 0 other"}},
		{"Ben's", func(tx *store.Tx) string {
			return held(tx.SetVectors(claim(2, now+9), "m", []byte("b"))) + held(tx.FinishVectors(claim(2, now+9)))
		}, "true <nil>true <nil>", []string{"- 0 m", "50 1 ", "- 0 m", "9 0 other"}},
		{"again", func(tx *store.Tx) string { return held(true, tx.CompareVectorsAgain(p.Ada.ID)) }, "true <nil>", []string{"0 0 m", "50 1 ", "- 0 m", "9 0 other"}},
	} {
		said := ""
		write(t, db, func(tx *store.Tx) error { said = tc.f(tx); return nil })
		var got []string
		for _, i := range intents {
			got = append(got, column(t, db, `SELECT coalesce(due_at - ?2, '-') || ' ' || tries || ' ' || model FROM intent_vector WHERE seq = ?1`, i.Seq, int64(now))...)
		}
		if said != tc.says || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %s, want %s; %q, want %q", tc.name, said, tc.says, got, tc.want)
		}
	}
	for limit, want := range []string{"", "b", "bv", "bv"} {
		got := ""
		if err := db.Read(t.Context(), func(r *store.Reader) error {
			return r.EachVectors("m", limit, func(_ int64, vectors []byte) { got += string(vectors) })
		}); err != nil || got != want {
			t.Errorf("up to %d vectors of the model: %q, want %q: %v", limit, got, want, err)
		}
	}
}
