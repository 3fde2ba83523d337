package store

import (
	"bytes"
	"testing"
)

// Parts of the index are merged when nothing was written since they were looked at last,
// one write after another until few are left, and not where that changes nothing.
func TestPartsAreMergedInQuietMoments(t *testing.T) {
	w := newRankWorld(t, 0)
	for n := range 20 {
		w.write(func(tx *Tx) error {
			_, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
				INSERT INTO message_word (rowid, words) SELECT 1000 * ?1 + n, 'word' || ?1 || 'of' || n FROM n /* server: a test */ /* scan: a test */`, n+1)
			return err
		})
	}
	merge := func(k *wordKeeper) (done, changed bool, parts int) {
		t.Helper()
		before, _, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done, err = k.merge(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, parts, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done, !bytes.Equal(before, after), parts
	}
	state, parts, err := (&wordKeeper{db: w.db}).look(t.Context())
	if parts <= fewParts || parts > manyParts || err != nil {
		t.Fatalf("%d parts, %v", parts, err)
	}
	if done, changed, _ := merge(&wordKeeper{db: w.db, pages: minPages, state: state, idle: state}); !done || changed {
		t.Errorf("where there was nothing to merge: done %v, changed %v", done, changed)
	}
	k := &wordKeeper{db: w.db, pages: minPages}
	if done, changed, _ := merge(k); !done || changed {
		t.Errorf("beside writes: done %v, changed %v", done, changed)
	}
	for n := 0; ; n++ {
		k.pages = 1
		done, changed, left := merge(k)
		if done && !changed {
			if n < 2 || left >= parts {
				t.Errorf("after %d writes %d of %d parts are left", n, left, parts)
			}
			break
		}
		if done || n == 100 {
			t.Fatalf("write %d: done %v, changed %v, %d parts", n, done, changed, left)
		}
	}
}
