package chat

import (
	"strconv"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// The answer is the one whose question is nearest; of equal ones, the oldest; and none
// if another answer is nearly as near.
func TestPick(t *testing.T) {
	const wifi = "What is the wifi password?"
	answers := func(pairs ...string) []prepared {
		var rows []store.SecretaryAnswer
		for i := 0; i < len(pairs); i += 2 {
			rows = append(rows, store.SecretaryAnswer{Question: pairs[i], Answer: pairs[i+1]})
		}
		return prepare(rows)
	}
	for name, c := range map[string]struct {
		answers []prepared
		want    int
	}{
		"none":                          {nil, -1},
		"nothing like it":               {answers("When is the harvest?", "In June."), -1},
		"the first is nearest":          {answers(wifi, "A", "Where is the wifi password written?", "B"), 0},
		"the second is nearest":         {answers("Where is the wifi password written?", "B", wifi, "A"), 1},
		"two that say the same":         {answers("When is the harvest?", "In June.", wifi, "A", wifi, "A"), 1},
		"two that say different things": {answers(wifi, "A", wifi, "B"), -1},
	} {
		if got := pick(wifi, c.answers); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// The answers of 200 accounts at most are kept prepared.
func TestPreparedAnswersAreBounded(t *testing.T) {
	db := storetest.Open(t)
	s := &Secretary{db: db.DB, prepared: map[string]preparedAnswers{}}
	for n := range 250 {
		if _, err := s.answers(t.Context(), "account "+strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		if want := n%200 + 1; len(s.prepared) != want {
			t.Fatalf("after %d accounts, those of %d are kept, want %d", n+1, len(s.prepared), want)
		}
	}
}
