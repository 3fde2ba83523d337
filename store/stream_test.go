package store_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// In pages of any size, the log has the same events for a user as one query of the
// whole log, whether they are many or few, close together or far apart.
func TestFeedEventsArePagesOfUserEvents(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	p := storetest.People(t, db)
	rnd := rand.New(rand.NewPCG(1, 2))
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "")
		if err != nil {
			return err
		}
		for i := range 6000 {
			topic := "elsewhere"
			switch {
			case i < 1000, i > 5000 && rnd.IntN(3) == 0, rnd.IntN(500) == 0:
				topic = []string{id, p.Ben.ID, p.Ada.ID}[rnd.IntN(3)]
			}
			if err := tx.Emit(store.Event{Topic: topic, Kind: "k", ObjectID: strconv.Itoa(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{p.Ada.ID, p.Ben.ID, p.Cleo.ID} {
		for _, limit := range []int{1, 2, 7, 100, 500} {
			err := db.Read(t.Context(), func(r *store.Reader) error {
				_, newest, err := r.EventRange()
				if err != nil {
					return err
				}
				upTo := newest - 10
				want, err := r.UserEvents(store.Viewer{Kind: store.Human, UserID: user}, 5, upTo, 1<<30)
				if err != nil {
					return err
				}
				var got []store.Event
				for after := int64(5); after < upTo; {
					page, next, err := r.FeedEvents(store.Viewer{Kind: store.Human, UserID: user}, after, upTo, limit)
					if err != nil {
						return err
					}
					if len(page) > limit || next <= after {
						t.Fatalf("after %d: %d events of at most %d, complete up to %d", after, len(page), limit, next)
					}
					got, after = append(got, page...), next
				}
				if !slices.Equal(got, want) {
					t.Errorf("in pages of %d there are %d events, want %d", limit, len(got), len(want))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
