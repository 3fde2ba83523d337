package social

import (
	"fmt"
	"strings"
	"testing"

	"hearth/app/match"
	"hearth/store"
)

// Comparisons end with the one that has used up the work that is left.
func TestWorkOfComparisons(t *testing.T) {
	t.Parallel()
	var others []store.Intent
	for range 20 {
		var texts []string
		for n := range 20 {
			texts = append(texts, strings.TrimSpace(strings.Repeat(fmt.Sprintf("unicycle%d violin%d ", n, n), 7)))
		}
		others = append(others, store.Intent{Kind: "offer", Terms: "x", Seeks: texts, Brings: texts})
	}
	p := prepare(&others[0])
	each := p.Work(p)
	for _, tc := range [][3]int{{0, 0, 0}, {1, 1, 1 - each}, {each, 1, 0}, {each + 1, 2, 1 - each}, {1000 * each, 20, 980 * each}} {
		e := effort{work: tc[0]}
		if got, _ := compare(p, others, &e); len(got) != tc[1] || e.work != tc[2] || len(got) > 0 && got[0].result.Type != match.Reciprocal {
			t.Errorf("with %d: %d agree, %d is left; want %v", tc[0], len(got), e.work, tc[1:])
		}
	}
}
