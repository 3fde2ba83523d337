package lane

import (
	"fmt"
	"testing"

	"hearth/app/core"
	"hearth/store"
)

// Of one person with their bots, and of one address, so many agents wait at once; another
// request of a key takes the place of its oldest. The last quarter of the places is for
// people of whom none waits.
func TestWhoMayWait(t *testing.T) {
	b := newInbox()
	type held struct {
		by store.Viewer
		w  *waiter
	}
	var all []held
	wait := func(person, key, address string, want core.Kind) *waiter {
		t.Helper()
		by := store.Viewer{Kind: store.Agent, UserID: person, KeyID: key, IP: address}
		w, err := b.wait(by)
		if (err == nil) != (want == 0) || err != nil && (core.As(err).Kind != want || core.As(err).Code != "too_many_waiting") {
			t.Fatalf("%s with %s from %q, beside %d: %v, want %v", person, key, address, b.total, err, want)
		}
		if err == nil {
			all = append(all, held{by, w})
		}
		return w
	}
	const none = core.Kind(0)
	oldest := wait("ada", "key 0", "0", none)
	for n := 1; n < maxOwnWaits; n++ {
		wait("ada", fmt.Sprint("key ", n/2), fmt.Sprint(n), none)
	}
	wait("ada", "key x", "x", core.TooMany)
	bot := store.Viewer{Kind: store.Agent, UserID: "bot", OwnerID: "ada", KeyID: "key of the bot", IP: "x"}
	if _, err := b.wait(bot); !core.IsKind(err, core.TooMany) {
		t.Errorf("a bot of ada: %v", err)
	}
	wait("ada", "key 0", "x", none)
	if !oldest.stopped {
		t.Error("the oldest of the key goes on waiting")
	}
	for n := range maxOwnWaits {
		wait(fmt.Sprint("neighbour ", n), fmt.Sprint("neighbour ", n), "one address", none)
	}
	wait("ben", "ben", "one address", core.TooMany)
	wait("ben", "ben", "another", none)
	for n := 0; b.total < maxWaiting-reservedWaits; n++ {
		wait(fmt.Sprint("crowd ", n/maxOwnWaits), fmt.Sprint("crowd ", n), fmt.Sprint("crowd ", n), none)
	}
	wait("ben", "another of ben", "another", core.Unavailable)
	for n := 0; b.total < maxWaiting; n++ {
		wait(fmt.Sprint("single ", n), fmt.Sprint("single ", n), fmt.Sprint("single ", n), none)
	}
	wait("late", "late", "late", core.Unavailable)
	for _, h := range all {
		b.leave(h.by, h.w)
	}
	if b.total != 0 || len(b.users) != 0 || len(b.own) != 0 {
		t.Errorf("%d wait after all have left, of %v and %v", b.total, b.users, b.own)
	}
}
