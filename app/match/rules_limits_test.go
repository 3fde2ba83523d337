package match

import "testing"

// What limits a text and what does not.
func TestLimits(t *testing.T) {
	compared := func(ask, offer string) alignment {
		a, b := readSide(false, ask, maxUnits), readSide(true, offer, maxUnits)
		return compare(&a, &b)
	}
	if compared("babysitter for friday", "babysitting, evenings and weekends").times {
		t.Error("a Friday is excluded by evenings and weekends")
	}
	if !compared("babysitter for friday mornings", "babysitting, evenings and weekends").times {
		t.Error("Friday mornings are not excluded by evenings and weekends")
	}
	if compared("6 folding chairs", "ten folding chairs").numbers {
		t.Error("ten are not enough for six")
	}
	if !compared("four football tickets", "one ticket").fewer {
		t.Error("one ticket is enough for four")
	}
	if !compared("yoga for women", "yoga for men").ages || compared("yoga for women", "yoga for everyone").ages {
		t.Error("women and men")
	}
	if !compared("cours de guitare pour adulte", "cours de guitare, enfants uniquement").ages {
		t.Error("adults and children, in French")
	}
}

// The words of a phrase that it is about.
func TestHeadsOfPhrases(t *testing.T) {
	for _, c := range []struct {
		text  string
		heads int
	}{
		{"casque de vélo", 1},           // no bicycle
		{"carton de livres anciens", 2}, // books in a box
		{"sign language interpreter", 1},
	} {
		s := readStatement(c.text, maxUnits)
		heads := 0
		for _, u := range s.units {
			if u.head {
				heads++
			}
		}
		if heads != c.heads {
			t.Errorf("%q has %d heads: %+v", c.text, heads, s.units)
		}
	}
	if s := readStatement("sign language interpreter", maxUnits); len(s.units) != 3 {
		t.Errorf("%d units of a name of three words", len(s.units))
	}
}
