package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Intents are searched by their rarest keys, in that order and with weights that grow
// with it: by those that together have no more entries than a search reads; and by the two of the
// most weight of the others, for the newest 1,000 intents of each.
func TestRarestKeys(t *testing.T) {
	schema, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "h.db"), Options{Schema: string(schema)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	undo := errors.New("undo")
	for _, tc := range []struct {
		counts []int // of the keys 0, 1 and so on
		want   []IntentKey
	}{
		{[]int{2000, 1, 0, 1996, 3}, []IntentKey{{Key: 1, Weight: 119}, {Key: 4, Weight: 103}, {Key: 3, Weight: 10}, {Key: 0, Weight: 10}}},
		{[]int{2000, 1, 0, 1997, 3}, []IntentKey{{Key: 1, Weight: 119}, {Key: 4, Weight: 103}, {Key: 3, Weight: 10}, {Key: 0, Weight: 10, since: 1001}}},
		{[]int{2001, 2000}, []IntentKey{{Key: 1, Weight: 10}, {Key: 0, Weight: 10, since: 1002}}},
		{[]int{2001, 2500, 0, 2700}, []IntentKey{{Key: 3, Weight: 14, since: 1701}, {Key: 1, Weight: 11, since: 1501}}},
		{[]int{0}, nil},
	} {
		err := db.Write(context.Background(), func(tx *Tx) error {
			if _, err := tx.exec(`PRAGMA defer_foreign_keys = ON`); err != nil {
				return err
			}
			var keys []IntentKey
			for key, n := range tc.counts {
				keys = append(keys, IntentKey{Key: int64(key), Weight: 10 + max(0, key*(n-2000)/500)})
				if _, err := tx.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO intent_key SELECT ?1, i, 1 FROM n LIMIT ?2`, key, n); err != nil {
					return err
				}
			}
			got, err := tx.rarest(keys)
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("of %v: %v, want %v, %v", tc.counts, got, tc.want, err)
			}
			return undo // the keys have no intents
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
}
