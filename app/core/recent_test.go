package core

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Of more values than may be, those whose time comes first are forgotten, also when it
// changed.
func TestRecentForgetsWhatSaysLeast(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := Recent[int, int]{Max: 10}
	at := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	for _, i := range rand.Perm(10) {
		r.Set(i, "", i, at(i+1), now)
	}
	r.Set(0, "", 100, at(100), now)
	for i := range 5 {
		r.Set(100+i, "", 0, at(50), now)
	}
	if r.Len() != 10 {
		t.Errorf("%d values, want 10", r.Len())
	}
	for i := range 10 {
		if v, until := r.Get(i); until.IsZero() != (i >= 1 && i <= 5) || i == 0 && v != 100 {
			t.Errorf("%d: %d until %v", i, v, until)
		}
	}
	now = at(60)
	for i := range 9 {
		r.Set(200+i, "", 0, at(10), now)
	}
	if _, until := r.Get(0); r.Len() != 10 || until.IsZero() {
		t.Errorf("%d values are left; what says something is kept: %v", r.Len(), !until.IsZero())
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"2001:db8:1:2::/64": "2001:db8:1::/48", "192.0.2.1": "192.0.2.1", "unknown": "unknown", "": "", "ada": "ada",
	} {
		if got := Network(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// The networks of forgotten values are forgotten.
func TestRecentForgetsNetworks(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := Recent[int, int]{Max: 4}
	for i := range 100 {
		r.Set(i, "2001:db8:1:2::/64", i, now.Add(time.Second), now)
	}
	r.Set(100, "", 0, now.Add(time.Hour), now.Add(time.Minute))
	r.Set(101, "", 0, now.Add(time.Hour), now.Add(time.Minute))
	if r.Len() != 2 || len(r.networks) != 0 {
		t.Errorf("%d values of %d networks", r.Len(), len(r.networks))
	}
}
