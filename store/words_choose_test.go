package store

import (
	"errors"
	"math"
	"testing"
)

// A search reads the entries of the rarest token, and counts what it reads to find that.
func TestRarestTokenLeads(t *testing.T) {
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		for token, n := range map[string]int{"many": 200, "most": 400, "some": sample, "few": sample - 1} {
			if _, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
				INSERT INTO message_word (rowid, words) SELECT 1000000 - n * (1000 / ?2) * 1000 + ?3, ?1 FROM n /* server: a test */ /* scan: a test */`, token, n, len(token)*100+int(token[0])+int(token[1])); err != nil {
				return err
			}
		}
		for _, tc := range []struct {
			match []string
			lead  string
			cost  int
		}{
			{[]string{"most"}, "most", 0},
			{[]string{"most", "many"}, "many", 2 * sample},
			{[]string{"many", "some", "most"}, "some", 3 * sample},
			{[]string{"most", "few", "many"}, "few", 2*sample - 1},
		} {
			s := searching{r: &tx.Reader}
			if err := s.choose(tc.match, 0, math.MaxInt64); s.lead != tc.lead || -s.budget != tc.cost || err != nil {
				t.Errorf("of %q %s leads, for %d, want %s for %d: %v", tc.match, s.lead, -s.budget, tc.lead, tc.cost, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}
