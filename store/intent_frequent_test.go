package store

import (
	"math/rand/v2"
	"testing"
)

// A key that is taken for frequent without being counted is, whatever intents
// have come and gone since it was counted.
func TestFrequentKeys(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	f := newFrequentKeys()
	have := map[int64]int{} // how many intents a key has
	for k := range int64(20) {
		have[k] = maxPerKey + 20*int(k)
	}
	skipped := 0
	for range 200_000 {
		key := int64(rng.IntN(20))
		switch n := rng.IntN(10); {
		case n < 5 && have[key] > 0: // an intent that has the key, and others
			f.Remove()
			for k := range have {
				if have[k] > 0 && (k == key || rng.IntN(3) == 0) {
					have[k]--
				}
			}
		case n < 9:
			have[key] += rng.IntN(20)
		}
		if f.Has(key) {
			skipped++
			if have[key] <= maxPerKey {
				t.Fatalf("a key of %d intents is taken for frequent", have[key])
			}
		} else {
			f.Put(key, min(have[key], counted), f.Removed())
		}
	}
	if skipped < 1000 {
		t.Errorf("%d keys were not counted", skipped)
	}
	f.Put(99, counted, f.Removed())
	if f.Clear(); f.Has(99) {
		t.Error("a key is known after everything was forgotten")
	}
}

// What is known of frequent keys is bounded.
func TestFrequentKeysAreBounded(t *testing.T) {
	f := newFrequentKeys()
	for k := range int64(maxFrequent + 100) {
		f.Put(k, counted, 0)
	}
	if n := len(f.until); n != maxFrequent {
		t.Errorf("%d keys", n)
	}
}

// A key that is counted while intents lose theirs is not taken for frequent after that:
// neither one of too few intents nor, after everything was forgotten, any.
func TestKeysCountedMeanwhile(t *testing.T) {
	w := newRankWorld(t, 0)
	i := Intent{OwnerID: w.by.UserID, Kind: "ask", Terms: "x", MatchingMode: "fulfillment", Status: "active"}
	w.write(func(tx *Tx) error { return tx.InsertIntent(&i, nil) })
	w.write(func(tx *Tx) error {
		if err := tx.UnlistIntent(i.Seq); err != nil {
			return err
		}
		return w.db.Read(t.Context(), func(r *Reader) error {
			r.frequent.Put(7, maxPerKey+1, r.removed)
			return nil
		})
	})
	if w.db.frequent.Has(7) {
		t.Error("a key of few intents is taken for frequent")
	}
	err := w.db.Read(t.Context(), func(r *Reader) error {
		w.db.frequent.Clear()
		r.frequent.Put(8, counted, r.removed)
		return nil
	})
	if err != nil || w.db.frequent.Has(8) {
		t.Errorf("a key is taken for frequent that was counted before, %v", err)
	}
}

// Each intent that loses its keys is counted, so that no key is taken for frequent for
// too long.
func TestLostKeysAreCounted(t *testing.T) {
	w := newRankWorld(t, 0)
	i := Intent{OwnerID: w.by.UserID, Kind: "ask", Terms: "x", MatchingMode: "fulfillment", Status: "active"}
	for _, write := range []func(tx *Tx) error{
		func(tx *Tx) error { return tx.InsertIntent(&i, nil) },
		func(tx *Tx) error { return tx.ReplaceKeys(i.Seq, nil, nil) },
		func(tx *Tx) error { return tx.UnlistIntent(i.Seq) },
	} {
		before := w.db.frequent.Removed()
		w.write(write)
		if w.db.frequent.Removed() == before {
			t.Error("not counted")
		}
	}
}

// Nothing is known of frequent keys once the intents of a deleted account are gone, which
// are not counted one by one.
func TestKeysOfDeletedAccounts(t *testing.T) {
	w := newRankWorld(t, 0)
	w.db.frequent.Put(7, counted, w.db.frequent.Removed())
	w.write(func(tx *Tx) error { _, err := tx.EraseUser(w.by.UserID); return err })
	if w.db.frequent.Has(7) {
		t.Error("a key is taken for frequent that was counted before")
	}
}
