package store

import (
	"strings"
	"testing"
)

// The index is asked for each of some senders once, and for none of too many.
func TestSendersOfAQuery(t *testing.T) {
	for ids, want := range map[int]int{0: 0, 1: 1, maxSenders: maxSenders, maxSenders + 1: 0, 600: 0} {
		q := Search{Terms: []Term{{Words: " word "}}}
		for range ids {
			q.Senders = append(q.Senders, NewID())
		}
		q.Senders = append(q.Senders, q.Senders...)
		if got := strings.Count(strings.Join(q.match(), " "), `"`+senderToken); got != want {
			t.Errorf("of %d senders %d are asked for, want %d", ids, got, want)
		}
	}
}
