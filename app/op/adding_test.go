package op

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/app/core"
	"hearth/store"
	"hearth/store/storetest"
)

// Within an hour an account adds 1,000 others, and is added 100 times, to each kind of
// thing; unless the limits are lifted.
func TestAdding(t *testing.T) {
	db := storetest.Open(t)
	limits := NewLimits(db.Clock.Now, true)
	groups, lists := Adding{To: "groups", Msg: "Invite them."}, Adding{To: "lists"}
	use := func(a Adding, l *Limits, by string, ids ...string) error {
		return db.Write(t.Context(), func(tx *store.Tx) error { return a.Use(tx, l, human(by), ids...) })
	}
	full := func(err error) bool {
		e := core.As(err)
		return err != nil && e.Kind == core.TooMany && e.Code == "too_many_additions" && strings.HasPrefix(e.Msg, groups.Msg+" Try again in ") && e.RetryAfter > time.Minute && e.RetryAfter <= time.Hour
	}
	for i := range 10 {
		ids := make([]string, 100)
		for j := range ids {
			ids[j] = fmt.Sprint("user", i, " ", j)
		}
		ids[0] = "popular"
		if err := use(groups, limits, "ada", ids...); err != nil {
			t.Fatal(err)
		}
	}
	if err := use(groups, limits, "ada", "one more"); !full(err) {
		t.Errorf("the 1,001st: %v", err)
	}
	for i := range 90 {
		if err := use(groups, limits, fmt.Sprint("other", i), "popular"); err != nil {
			t.Fatal(err)
		}
	}
	if err := use(groups, limits, "ben", "somebody", "popular", "another"); !full(err) {
		t.Errorf("for the 101st time: %v", err)
	}
	for what, err := range map[string]error{
		"to something else":   use(lists, limits, "ada", "popular"),
		"by somebody else":    use(groups, limits, "ben", "somebody"),
		"with the limits off": use(groups, NewLimits(db.Clock.Now, false), "ada", "popular"),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	db.Clock.Advance(time.Hour + time.Second)
	if err := use(groups, limits, "ada", "popular"); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// A person and their bots share a quota, and what they add others to.
func TestBotsShareTheQuotasOfTheirOwner(t *testing.T) {
	db := storetest.Open(t)
	q := Quota{Name: "test", Max: 2, Window: time.Hour, Code: "too_many_tests"}
	bot := func(id string) store.Viewer {
		return store.Viewer{Kind: store.Agent, UserID: id, OwnerID: "ada", CanWrite: true}
	}
	groups := Adding{To: "groups"}
	all := make([]string, maxAdding)
	for i := range all {
		all[i] = fmt.Sprint("user", i)
	}
	for n, by := range []store.Viewer{bot("one"), human("ada"), bot("two"), human("ben")} {
		var used, added error
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			ids := all[:1]
			if n == 0 {
				ids = all
			}
			used = q.Use(tx, by)
			if n != 1 {
				added = groups.Use(tx, NewLimits(db.Clock.Now, true), by, ids...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if full := n == 2; full != (used != nil) || full != (added != nil) {
			t.Errorf("%s: %v, %v", by.UserID, used, added)
		}
	}
}
