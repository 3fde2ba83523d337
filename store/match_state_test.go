package store_test

import (
	"errors"
	"fmt"
	"testing"

	"hearth/store"
)

// Only a match that is open is closed or connects its accounts. One that is closed or
// connected already stays as it is, and so does any other match.
func TestOnlyOpenMatchesAreAnswered(t *testing.T) {
	for what, answer := range map[string]func(tx *store.Tx, id string) error{
		"closed":    func(tx *store.Tx, id string) error { return tx.CloseMatch(id) },
		"connected": func(tx *store.Tx, id string) error { return tx.ConnectMatch(id, "place") },
	} {
		discarded(t, func(tx *store.Tx) error {
			for n, m := range everySide() {
				other := m
				other.id, other.aIntent, other.bIntent = fmt.Sprint("other", n), m.aIntent+1000, m.bIntent+1000
				if err := errors.Join(m.insert(tx), other.insert(tx)); err != nil {
					return err
				}
				before, others := seen(t, tx, m), seen(t, tx, other)
				err := answer(tx, m.id)
				if after := seen(t, tx, other); after != others {
					t.Errorf("%s, another match: %+v, was %+v", what, after, others)
				}
				after := seen(t, tx, m)
				if m.state != "open" {
					if !errors.Is(err, store.ErrNoRow) || after != before {
						t.Errorf("%s, which was %s: %v, %+v, was %+v", what, m.state, err, after, before)
					}
				} else if err != nil || after[0].State != what || after[1].State != what || (after[0].ConversationID == "place") != (what == "connected") {
					t.Errorf("%s: %v, %+v", what, err, after)
				}
			}
			return nil
		})
	}
}
