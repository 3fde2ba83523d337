package account

import "testing"

// Two addresses are the same mailbox if they differ in case alone, and in how their
// domain is written that is looked up as the same.
func TestSameAddress(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"ada@example.org", "Ada@Example.ORG", true},
		{"ada@example.org", "ada@example.com", false},
		{"ärger@example.org", "A\u0308rger@example.org", true},
		{"ada@fish.example", "ada@\uFB01sh.example", true},
		{"fish@example.org", "\uFB01sh@example.org", false},
		{"ada@bücher.example", "ada@xn--bcher-kva.example", true},
		{"ada@strasse.example", "ada@straße.example", false},
		{"strasse@example.org", "straße@example.org", false},
		{"ida@example.org", "\u0130da@example.org", false}, // whose small letter is that of I
		{"ada@a_b.example", "ada@a_b.example", true},
		{"ada@a_b.example", "ada@a_c.example", false}, // no domain that can be looked up
	} {
		if sameAddress(tc.a, tc.b) != tc.same || sameAddress(tc.b, tc.a) != tc.same {
			t.Errorf("%q and %q are the same: %v", tc.a, tc.b, !tc.same)
		}
	}
}
