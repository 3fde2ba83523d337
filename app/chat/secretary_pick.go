package chat

import (
	"hearth/app/match"
	"hearth/store"
)

type prepared struct {
	store.SecretaryAnswer
	text match.Text
}

func prepare(rows []store.SecretaryAnswer) []prepared {
	out := make([]prepared, len(rows))
	for i, a := range rows {
		out[i] = prepared{a, match.Prepare(a.Question)}
	}
	return out
}

// margin is the least difference to the next best answer with another text.
const margin = 0.06

// In a message of several sentences, one of them may be the question.
func pick(message string, answers []prepared) int {
	scores := make([]float64, len(answers))
	for _, t := range match.Sentences(message) {
		for i := range answers {
			scores[i] = max(scores[i], t.Similarity(answers[i].text))
		}
	}
	return choose(scores, answers)
}

func choose(scores []float64, answers []prepared) int {
	best := -1
	for i, s := range scores {
		if s >= match.Sure && (best < 0 || s > scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return -1
	}
	for i, s := range scores {
		if answers[i].Answer != answers[best].Answer && s > scores[best]-margin {
			return -1
		}
	}
	return best
}
