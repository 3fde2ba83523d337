package match

import "testing"

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
	if u := unitOf("piano teacher for adults, two slots free", "adults"); u.number != "" {
		t.Errorf("the number %q of another clause is that of the adults", u.number)
	}
	if u := unitOf("piano teacher for adults, two slots free", "slots"); u.number != "2" {
		t.Errorf("the slots have the number %q", u.number)
	}
	if u := unitOf("Gitarrenunterricht für Kinder", "gitarrenunterricht"); u.frame != teach {
		t.Errorf("what is done by guitar lessons is %d", u.frame)
	}
}
