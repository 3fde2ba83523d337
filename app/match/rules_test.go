package match

import (
	"testing"
)

// What excludes is read in the forms in which people write it.
func TestWhatExcludes(t *testing.T) {
	for _, c := range []struct {
		seek, bring string
		of          func(alignment) bool
	}{
		{"flat, dogs welcome", "flat, no dogs", func(f alignment) bool { return f.negated }},
		{"周日从北京去天津", "周六北京去天津", func(f alignment) bool { return f.times }},
	} {
		a, b := readSide(false, c.seek, maxUnits), readSide(true, c.bring, maxUnits)
		if !c.of(compare(&a, &b)) {
			t.Errorf("%q and %q do not exclude each other", c.seek, c.bring)
		}
		if c.of(compare(&a, &a)) {
			t.Errorf("%q excludes itself", c.seek)
		}
	}
}

// What limits a text and what does not.
func TestLimits(t *testing.T) {
	compared := func(ask, offer string) alignment {
		a, b := readSide(false, ask, maxUnits), readSide(true, offer, maxUnits)
		return compare(&a, &b)
	}
	if compared("6 folding chairs", "ten folding chairs").numbers {
		t.Error("ten are not enough for six")
	}
	if !compared("four tickets", "two tickets").fewer {
		t.Error("two tickets are enough for four")
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

// What a text is about, and which numbers and activities belong to it.
func TestUnitsOfPhrases(t *testing.T) {
	unitOf := func(text, word string) unit {
		t.Helper()
		s := readStatement(text, maxUnits)
		for _, u := range s.units {
			if u.text == word {
				return u
			}
		}
		t.Fatalf("%q has no %q: %+v", text, word, s.units)
		return unit{}
	}
	// A form of a verb that no dictionary has is not what a Turkish text is about.
	if !unitOf("bisikletim bozuldu", "bisikletim").head || unitOf("bisikletim bozuldu", "bozuldu").head {
		t.Error("the bicycle is not what the text is about")
	}
	if u := unitOf("piano teacher for adults, two slots free", "adults"); u.number != 0 {
		t.Errorf("the number %d of another clause is that of the adults", u.number)
	}
	if u := unitOf("piano teacher for adults, two slots free", "slots"); u.number != 2 {
		t.Errorf("the slots have the number %d", u.number)
	}
	if u := unitOf("Gitarrenunterricht für Erwachsene", "gitarrenunterricht"); u.frame != teach {
		t.Errorf("what is done by guitar lessons is %d", u.frame)
	}
}
