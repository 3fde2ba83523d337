package account

import (
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// Somebody is found by their own address alone, not by another mailbox whose letters
// are folded to the same.
func TestFindByTheAddressAlone(t *testing.T) {
	h := open(t)
	h.token("quiet@strasse.example")
	h.change("quiet@strasse.example", func(u *store.User, _ store.Time) { u.Name, u.DiscoveryMode = "Quiet", "email_only" })
	ada := storetest.Human(h.cast.Ada)
	for q, want := range map[string][]string{
		"quiet@strasse.example": {"Quiet"}, "Quiet@Strasse.Example": {"Quiet"}, "quiet@straße.example": {}, "nobody@strasse.example": {},
	} {
		if got, _ := h.find(ada, FindPeopleIn{Q: q}); !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// The last page of the directory has no cursor, also if it is full.
func TestDirectoryEndsWithAFullPage(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	all, next := h.find(ada, FindPeopleIn{Limit: 50})
	if len(all) < 2 || next != "" {
		t.Fatalf("%q, %q", all, next)
	}
	for limit, more := range map[int]bool{len(all) - 1: true, len(all): false, len(all) + 1: false} {
		got, next := h.find(ada, FindPeopleIn{Limit: limit})
		if !slices.Equal(got, all[:min(limit, len(all))]) || (next != "") != more {
			t.Errorf("a page of %d of %d has %d and the cursor %q", limit, len(all), len(got), next)
		}
	}
}

// A search that finds nobody by an address for the first time writes nothing: it does
// not wait for writes.
func TestSearchDoesNotWaitForWrites(t *testing.T) {
	h := open(t)
	ada := storetest.Human(h.cast.Ada)
	h.find(ada, FindPeopleIn{Q: "ben@example.org"})
	began, goOn, written := make(chan struct{}, 2), make(chan struct{}), make(chan error, 1)
	go func() {
		written <- h.db.Write(t.Context(), func(*store.Tx) error { began <- struct{}{}; <-goOn; return nil })
	}()
	<-began
	found := make(chan struct{})
	go func() {
		defer close(found)
		for _, q := range []string{"ben", "ben@example.org", "nobody@example.org", ""} {
			h.find(ada, FindPeopleIn{Q: q})
		}
	}()
	select {
	case <-found:
	case <-time.After(5 * time.Second):
		t.Error("a search waits for a write")
	}
	close(goOn)
	<-found
	if err := <-written; err != nil {
		t.Error(err)
	}
}
