package match

import "testing"

// Whatever is typed: no panic, and a symmetric result in range.
func FuzzCompareIntents(f *testing.F) {
	f.Add("Suche Umzugshilfe am Samstag in Hamburg", "two strong hands and a van, not on weekends", "read together", "")
	f.Add("想找人练习法语口语", "French conversation, size 38 bike for rent", "read together", "")
	f.Add("\xff\xfe no 12 不要 except", "🛋🏽👩‍👩‍👧 (((", "\u200d", "X-ing 12 may")
	f.Fuzz(func(t *testing.T, a, b, goal, more string) {
		p := PrepareIntent(Intent{Kind: "ask", Terms: a, Goal: goal, Mode: "shared_goal", OpenToCollaborators: true})
		q := PrepareIntent(Intent{Kind: "offer", Terms: a, Goal: more, Seeks: []string{a, more}, Brings: []string{b, more}, Mode: "shared_goal",
			OpenToCollaborators: true})
		one, other := Compare(p, q), Compare(q, p)
		if one != other {
			t.Fatalf("%v, and %v the other way round", one, other)
		}
		if one.Score < 0 || one.Score > 1 || (one.Type == None) != (one.Score == 0) {
			t.Fatalf("%v", one)
		}
	})
}
