package account

import (
	"fmt"
	"maps"
	"testing"

	"hearth/store"
)

// Those have left who have no stream and were last here before a moment, up to a
// number of people; who comes back in between is not gone.
func TestOnline(t *testing.T) {
	o := &online{people: map[string]*visit{}}
	for _, c := range []struct {
		user    string
		streams int
		at      store.Time
		came    bool
	}{
		{"early", 0, 5, true}, {"early", 0, 9, false}, {"early", 0, 7, false}, {"late", 0, 10, true}, {"watches", 1, 2, true}, {"watched", 1, 2, true}, {"watched", -1, 8, false},
	} {
		if came := o.note(c.user, c.streams, c.at); came != c.came {
			t.Errorf("%+v: came %v", c, came)
		}
	}
	left := o.left(10, 9)
	if want := map[string]store.Time{"early": 9, "watched": 8}; !maps.Equal(left, want) {
		t.Errorf("left: %v, want %v", left, want)
	}
	o.note("watched", 0, 11)
	if gone := o.leave(left); !maps.Equal(gone, map[string]store.Time{"early": 9}) {
		t.Errorf("gone: %v", gone)
	}
	o.forget(left)
	for user, want := range map[string]bool{"early": true, "late": false, "watches": false, "watched": false} {
		if came := o.note(user, 0, 12); came != want {
			t.Errorf("%s came: %v", user, came)
		}
	}
	for n := range 5 {
		o.note(fmt.Sprint(n), 0, 1)
	}
	for limit, want := range map[int]int{0: 0, 1: 1, 4: 4, 5: 5, 6: 5} {
		if got := o.left(2, limit); len(got) != want {
			t.Errorf("%d of at most %d people left, want %d", len(got), limit, want)
		}
	}
}

// The ranges of an export begin as long before it as they are named.
func TestExportRange(t *testing.T) {
	const hour = store.Time(3600_000_000)
	for key, want := range map[string]struct {
		label string
		hours store.Time
	}{
		"last_hour": {"Last hour", 1}, "last_day": {"Last day", 24}, "last_week": {"Last week", 7 * 24}, "last_month": {"Last month", 30 * 24}, "": {"All time", 0}, "all": {"All time", 0},
	} {
		got := exportRange(key, 1000*hour)
		if got.Key != key || got.Label != want.label || (got.Since == nil) != (want.hours == 0) || got.Since != nil && *got.Since != (1000-want.hours)*hour {
			t.Errorf("%q: got %+v", key, got)
		}
	}
}
