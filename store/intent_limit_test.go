package store_test

import (
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A search for candidates returns 400 of those that agree as much, and then those after
// them, and one for what was listed since a moment looks at 256: in both cases the newest.
func TestCandidatesAreSoMany(t *testing.T) {
	t.Parallel()
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	key := []store.IntentKey{{Key: 1, Weight: 1}}
	var all []int64
	write(t, db, func(tx *store.Tx) error {
		all = nil
		for range 402 {
			tx.Now = tx.Tick()
			i := store.Intent{OwnerID: p.Ben.ID, Kind: "ask", Terms: "x", MatchingMode: "fulfillment", Status: "active"}
			if err := tx.InsertIntent(&i, key); err != nil {
				return err
			}
			all = append(all, i.Seq)
		}
		return nil
	})
	reading(t, db, func(r *store.Reader) error {
		q := store.CandidateQuery{Intent: &store.Intent{OwnerID: p.Ada.ID}, Keys: key, Limit: 1000}
		for skip, want := range map[int][]int64{0: all[2:], 400: all[:2], 402: nil} {
			chosen, more, err := r.Candidates(q, skip)
			if slices.Sort(chosen); err != nil || !slices.Equal(chosen, want) || more != (skip == 0) {
				t.Errorf("after %d: %d candidates, more %v, %v", skip, len(chosen), more, err)
			}
		}
		newer, err := r.NewerCandidates(q, 0)
		var seqs []int64
		for _, i := range newer {
			seqs = append(seqs, i.Seq)
		}
		if slices.Sort(seqs); !slices.Equal(seqs, all[402-256:]) {
			t.Errorf("%d candidates that were listed since", len(seqs))
		}
		return err
	})
}
