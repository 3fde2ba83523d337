package store

import (
	"errors"
	"math"
	"strings"
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

// To ask the index for another token as well costs, for each entry of the lead, one and half
// of the entries that the token has up to the next one, but no more than a page. The costs
// of several tokens are added.
func TestCostOfOtherTokens(t *testing.T) {
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		const newest = 1 << 20
		for token, low := range map[string]int64{"dense": sample, "almost": 2*sample - 1, "twice": 2 * sample, "eight": 8 * sample, "sparse": 1000 * sample} {
			// sample entries, of which the last is the first of low ids
			if _, err := tx.exec(`WITH n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ?2 - 2)
				INSERT INTO message_word (rowid, words) SELECT ?3 - n, ?1 FROM n UNION ALL SELECT ?3 - ?4 + 1, ?1 /* server: a test */ /* scan: a test */`, token, sample, newest, low); err != nil {
				return err
			}
		}
		for _, tc := range []struct {
			match []string
			lead  string
			cost  int
		}{
			{[]string{"almost", "dense"}, "almost", 1},
			{[]string{"dense", "twice"}, "twice", 2},
			{[]string{"eight", "dense"}, "eight", 5},
			{[]string{"dense", "eight", "twice"}, "eight", 5 + 3},
			{[]string{"dense", "sparse"}, "sparse", pageCost},
			{[]string{"dense", "sparse", "twice", "eight"}, "sparse", pageCost + pageCost + 63},
		} {
			s := searching{r: &tx.Reader}
			if err := s.choose(tc.match, 0, math.MaxInt64); s.lead != tc.lead || s.allCost != tc.cost || s.all != strings.Join(tc.match, " AND ") || err != nil {
				t.Errorf("of %q %s leads, and each entry with %q costs %d, want %s and %d: %v", tc.match, s.lead, s.all, s.allCost, tc.lead, tc.cost, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}

// The index is asked for the entries with all tokens where that costs less than to read
// the messages of the viewer's conversations that have the lead; those of others do not
// count.
func TestWhenAllTokensAreAsked(t *testing.T) {
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		// 40 entries have the lead: every fourth is of a conversation of the viewer, and
		// of these every second has the other token.
		if _, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40)
			INSERT INTO message_word (rowid, words) SELECT (n << 12) | (n % 4 <> 0), iif(n % 8 = 0, 'lead other', 'lead') FROM n /* server: a test */ /* scan: a test */`); err != nil {
			return err
		}
		for _, tc := range []struct{ cost, found, budget int }{
			{0, 5, 40},
			{messageCost/4 - 1, 5, 40 + 40*(messageCost/4-1)},
			{messageCost / 4, 10, 40},
			{messageCost/2 - 1, 10, 40},
		} {
			s := searching{r: &tx.Reader, slots: make([][]string, 1<<slotBits), lead: "lead", all: "lead AND other", allCost: tc.cost}
			s.slots[0] = []string{"one"}
			ids, low, err := s.block(0, math.MaxInt64, firstBlock)
			if len(ids) != tc.found || -s.budget != tc.budget || low != 0 || err != nil {
				t.Errorf("at %d for each entry: %d messages down to %d, for %d, want %d for %d: %v", tc.cost, len(ids), low, -s.budget, tc.found, tc.budget, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}
