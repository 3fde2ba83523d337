package match

import "testing"

// What excludes is read in the forms in which people write it.
func TestWhatExcludes(t *testing.T) {
	for _, c := range []struct {
		seek, bring string
		of          func(alignment) bool
	}{
		{"a tent for four", "tent for one person", func(f alignment) bool { return f.fewer }},
		{"Tische für 60 Leute", "ein Tisch für 8 Personen", func(f alignment) bool { return f.fewer }},
		{"4 football tickets", "one football ticket", func(f alignment) bool { return f.fewer }},
		{"dog friendly flat", "flat, no animals", func(f alignment) bool { return f.negated }},
		{"Babysitter für Freitagabend", "Babysitter, nur vormittags", func(f alignment) bool { return f.times }},
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
