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

// What a text plainly excludes decides, however much else agrees.
func TestExclusionsDecide(t *testing.T) {
	a, b := readSide(false, "pottery course on Monday evenings", maxUnits), readSide(true, "pottery course, Monday evenings", maxUnits)
	for name, exclude := range map[string]func(f *alignment){
		"times":    func(f *alignment) { f.times = true },
		"places":   func(f *alignment) { f.places = true },
		"negation": func(f *alignment) { f.negated = true },
		"ways":     func(f *alignment) { f.ways = true },
		"sizes":    func(f *alignment) { f.fit = true },
	} {
		f := compare(&a, &b)
		if f.score() < tuning.surely {
			t.Errorf("one text has a score of %.2f", f.score())
		}
		if exclude(&f); f.score() != 0 {
			t.Errorf("%s: the score is %.2f", name, f.score())
		}
	}
	for ask, offer := range map[string]string{
		"pottery course on Monday evenings":  "pottery courses, Monday mornings only",
		"shared office desk in Leeds, cheap": "shared office desk in Bristol, cheap",
	} {
		if r := Compare(PrepareIntent(Intent{Kind: "ask", Terms: ask}), PrepareIntent(Intent{Kind: "offer", Terms: offer})); r.Type != None {
			t.Errorf("%q and %q: %+v", ask, offer, r)
		}
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
