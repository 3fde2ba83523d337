package social_test

import (
	"fmt"
	"strings"
	"testing"

	"hearth/app/social"
	"hearth/store"
)

// offers adds n offers of as few people as the limit allows, without matching them.
func (w *world) offers(n int, who, terms string, audience store.Audience) {
	w.Helper()
	prepared := store.Intent{Kind: "offer", Terms: terms, MatchingMode: "fulfillment", Status: "active", Audience: audience}
	for from := 0; from < n; from += 50 {
		owner := w.person(fmt.Sprint(who, from))
		w.write(func(tx *store.Tx) error {
			for range min(50, n-from) {
				o := prepared
				o.OwnerID, tx.Now = owner.ID, tx.Tick()
				if err := tx.InsertIntent(&o); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// An offer is found behind any number of newer ones that are not eligible, and beside
// more of the same than a search reads.
func TestMatchAmongMany(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n          int
		restricted bool
	}{"not eligible": {450, true}, "the same": {2100, false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, ben, other := w.person("ann"), w.person("max"), w.person("other")
			w.intent(ann, "offer", "I lend a unicycle")
			audience := store.Audience{}
			if c.restricted {
				audience.UserIDs = []string{other.ID}
			}
			w.offers(c.n, "x", "I lend a unicycle", audience)
			w.intent(ben, "ask", "who lends a unicycle?")
			got, of := len(w.matches(ben)), len(w.matches(ann))
			if c.restricted && (got != 1 || of != 1) || got == 0 {
				t.Errorf("%d matches, %d of them with the first", got, of)
			}
		})
	}
}

// The offers of one account do not take all places of a comparison.
func TestOffersOfOneAccount(t *testing.T) {
	w := newWorld(t)
	ann, ben := w.person("ann"), w.person("max")
	w.intent(ann, "offer", policyTexts["offer"])
	w.offers(50, "x", policyTexts["offer"], store.Audience{})
	w.intent(ben, "ask", policyTexts["sure"])
	if first, all := len(w.matches(ann)), len(w.matches(ben)); first != 1 || all != 6 {
		t.Errorf("%d matches with the first, %d in all", first, all)
	}
}

// What is asked for is found behind any number of offers that agree but for their days, of
// the same account or of others.
func TestMatchAmongOtherDays(t *testing.T) {
	t.Parallel()
	days := []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday evening", "Monday morning", "Tuesday morning",
		"Wednesday evening", "Thursday morning", "Friday evening"}
	for name, c := range map[string]struct{ same, people, each, unlike int }{
		"one account":                      {same: 12},
		"one account and others' things":   {same: 12, unlike: 60},
		"others":                           {people: 22, each: 8},
		"one account among others":         {same: 12, people: 10, each: 8},
		"one account, and of others a few": {same: 9, people: 3, each: 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, ben := w.person("ann"), w.person("max")
			offer := func(u store.User, terms string) {
				o := store.Intent{OwnerID: u.ID, Kind: "offer", Terms: terms, MatchingMode: "fulfillment", Status: "active"}
				w.write(func(tx *store.Tx) error { return tx.InsertIntent(&o) })
			}
			for n := range c.unlike {
				offer(w.person(fmt.Sprint("u", n)), "I sell a passenger seat of a car in Galway")
			}
			offer(ann, "I drive to Galway on Saturday and take a passenger")
			for n := range c.same {
				offer(ann, "I drive to Galway on "+days[n]+" and take a passenger")
			}
			for n := range c.people {
				u := w.person(fmt.Sprint("x", n))
				for d := range c.each {
					offer(u, "I drive to Galway on "+days[d]+" and take a passenger")
				}
			}
			w.intent(ben, "ask", "Who drives to Galway on Saturday? I need a lift")
			if ms := w.matches(ben); len(ms) != 1 || !strings.Contains(ms[0].OtherTerms, "Saturday") {
				t.Errorf("got %+v", ms)
			}
		})
	}
}

// An offer that has no match is found behind any that agree as much and have better ones.
func TestMatchAmongThoseWithBetterOnes(t *testing.T) {
	w := newWorld(t)
	ann, ben, other := w.person("ann"), w.person("max"), w.person("other")
	w.intent(ann, "offer", "I lend a harmonium")
	better := store.Intent{Kind: "ask", OwnerID: other.ID, Terms: "x", MatchingMode: "fulfillment", Status: "paused"}
	w.write(func(tx *store.Tx) error { return tx.InsertIntent(&better) })
	for n := range 8 {
		u := w.person(fmt.Sprint("x", n))
		w.write(func(tx *store.Tx) error {
			for range 8 {
				o := store.Intent{OwnerID: u.ID, Kind: "offer", Terms: "I lend a harmonium", MatchingMode: "fulfillment", Status: "active"}
				tx.Now = tx.Tick()
				if err := tx.InsertIntent(&o); err != nil {
					return err
				}
				if _, err := tx.InsertMatch(&better, &o, "complementary", 99); err != nil {
					return err
				}
			}
			return nil
		})
	}
	w.intent(ben, "ask", "Need a harmonium for my daughter this weekend")
	if ms := w.matches(ben); len(ms) != 1 || ms[0].Score >= 0.6 || len(w.matches(ann)) != 1 {
		t.Errorf("got %+v", ms)
	}
}

// Somebody who publishes again and again has five matches with an intent.
func TestMatchesWithOneAccount(t *testing.T) {
	w := newWorld(t)
	ann, ben, cid := w.person("ann"), w.person("max"), w.person("cid")
	w.intent(ann, "offer", "I lend a unicycle")
	ask := func(u store.User) {
		i := w.intent(u, "ask", "I lend a unicycle")
		if _, err := w.s.UpdateIntent.Call(w.ctx, as(u), social.WithdrawIntentIn{ID: i.ID, Status: "withdrawn"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 7 {
		ask(ben)
	}
	if n := len(w.matches(ann)); n != 5 {
		t.Errorf("%d matches", n)
	}
	ask(cid)
	if n := len(w.matches(ann)); n != 6 {
		t.Errorf("%d matches after another asked", n)
	}
	w.intent(ben, "ask", "I lend a unicycle")
	w.intent(cid, "offer", "I lend a unicycle")
	if n := len(w.matches(cid)); n != 2 {
		t.Errorf("a new offer has %d matches", n)
	}
}

// Matching that is not paused is not resumed: a request that says so finds no more matches.
func TestResumedWithoutAPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	zoe := w.person("zoe")
	w.offers(700, "x", policyTexts["offer"], store.Audience{})
	w.intent(zoe, "ask", policyTexts["sure"])
	before := len(w.matches(zoe))
	for range 2 {
		w.pause(zoe, false)
	}
	if n := len(w.matches(zoe)); before == 0 || n != before {
		t.Errorf("%d matches, then %d", before, n)
	}
	w.pause(zoe, true)
	w.pause(zoe, false)
	if n := len(w.matches(zoe)); n <= before {
		t.Errorf("after a pause: %d matches, before %d", n, before)
	}
}
