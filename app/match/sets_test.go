package match

import "testing"

// The figures of the parts of the labelled set, so that no change makes them
// worse unseen. The bars are a little under what is measured.
func TestLabelledSets(t *testing.T) {
	for _, want := range []struct {
		part                 string
		precision, recall, f float64
	}{
		{"develop", 0.83, 0.83, 0.12},
		{"heldout", 0.70, 0.70, 0.08},
		{"unseen", 0.63, 0.63, 0.10},
		{"fresh", 0.65, 0.62, 0.13},
	} {
		t.Run(want.part, func(t *testing.T) {
			t.Parallel()
			e := labelledSet(t, want.part).Evaluate()
			t.Logf("%+v", e.All)
			if e.All.PrecisionAt1 < want.precision || e.All.RecallAt5 < want.recall || e.All.False > want.f {
				t.Errorf("precision@1 %.3f, recall@5 %.3f, false matches %.3f; want at least %.2f, %.2f and at most %.2f",
					e.All.PrecisionAt1, e.All.RecallAt5, e.All.False, want.precision, want.recall, want.f)
			}
		})
	}
}
