package match

import "testing"

func ask(terms string) Intent   { return Intent{Kind: "ask", Terms: terms} }
func offer(terms string) Intent { return Intent{Kind: "offer", Terms: terms} }

func typeOf(a, b Intent) Type { return Compare(PrepareIntent(a), PrepareIntent(b)).Type }

func TestCompareTypes(t *testing.T) {
	swap := func(mode string, seeks, brings string) Intent {
		return Intent{Kind: "ask", Terms: "swap", Seeks: []string{seeks}, Brings: []string{brings}, Mode: mode}
	}
	goal := func(text string, open bool) Intent {
		return Intent{Kind: "ask", Terms: "join me", Seeks: []string{"company"}, Goal: text, Mode: "shared_goal", OpenToCollaborators: open}
	}
	for _, c := range []struct {
		name string
		a, b Intent
		want Type
	}{
		{"ask and offer", ask("looking for a sofa"), offer("sofa to give away"), Complementary},
		{"synonyms", ask("looking for a couch"), offer("sofa to give away"), Complementary},
		{"two languages", ask("suche eine Nähmaschine"), offer("sewing machine"), Complementary},
		{"two asks", ask("looking for a sofa"), ask("looking for a sofa"), None},
		{"two offers", offer("sofa to give away"), offer("sofa to give away"), None},
		{"other places", ask("room in Berlin"), offer("room in Hamburg"), None},
		{"other times", ask("babysitter on Saturday evening"), offer("babysitter on Sunday evening"), None},
		{"other languages", ask("Spanish lessons"), offer("French lessons"), None},
		{"negation", ask("piano lessons for a beginner"), offer("piano lessons, no beginners"), None},
		{"each way", swap("", "guitar lessons", "bike repair"), swap("", "bike repair", "guitar lessons"), Reciprocal},
		{"one way", swap("", "guitar lessons", "bike repair"), swap("", "firewood", "guitar lessons"), Complementary},
		{"one way is too little", swap("reciprocal", "guitar lessons", "bike repair"), swap("", "firewood", "guitar lessons"), None},
		{"goals", goal("plant trees along the ring road", true), goal("more trees along the ring road", true), SharedGoal},
		{"alone", goal("plant trees along the ring road", true), goal("plant trees along the ring road", false), None},
		{"nothing said", ask(""), offer(""), None},
	} {
		if got := typeOf(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := typeOf(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way round: %v, want %v", c.name, got, c.want)
		}
	}
}

// The table is read in place: it has the words that the lists stand for.
func TestTable(t *testing.T) {
	known := knowledge()
	for _, w := range []string{"sofa", "bicycle", "washing_machine", "spanish"} {
		if _, ok := known.english(w); !ok {
			t.Errorf("the table has no %q", w)
		}
	}
	if _, ok := known.english("qwxzzk"); ok {
		t.Error("the table has a word that is none")
	}
}

// A match that is not sure is made only with the best, and only if the other
// intent has no better one.
func TestIntroduces(t *testing.T) {
	for _, c := range []struct {
		result Result
		first  bool
		had    float64
		want   bool
	}{
		{Result{}, true, 0, false},
		{Result{Complementary, 0.4}, true, 0, true},
		{Result{Complementary, 0.4}, false, 0, false},
		{Result{Complementary, 0.4}, true, 0.3, true},
		{Result{Complementary, 0.4}, true, 0.4, true},
		{Result{Complementary, 0.4}, true, 0.41, false},
		{Result{Reciprocal, 0.4}, true, 0.9, false},
		{Result{Complementary, tuning.surely}, false, 0.9, true},
	} {
		if got := c.result.Introduces(c.first, c.had); got != c.want {
			t.Errorf("%+v, first %v, had %.2f: %v, want %v", c.result, c.first, c.had, got, c.want)
		}
	}
}

// The words that a text has tell its language.
func TestLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Kinderwagen für Zwillinge":                   "deu",
		"bus i dwie osoby do noszenia mebli":          "pol",
		"montador de móveis, armários e camas":        "por",
		"auxiliar de geriatría, cuido a mayores":      "spa",
		"grand stroller wanted for our small village": "eng",
		"ремонт компьютеров и ноутбуков":              "rus",
		"маю бус, перевезу меблі":                     "ukr",
	} {
		s := readStatement(text, maxUnits)
		if got := Languages[s.lang].Code; got != want {
			t.Errorf("%q is taken for %s, want %s", text, got, want)
		}
	}
}
