package chat

import (
	"hearth/app/match"
	"hearth/store"
)

// prepared is an answer that is ready to be compared with messages.
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

// margin is by how much the best answer must be better than one that says
// something else.
const margin = 0.06

// pick returns the index of the answer to a message, or -1 if none is close
// enough or two that differ are nearly as close. Of a message of several
// sentences one may be the question.
func pick(message string, answers []prepared) int {
	scores := make([]float64, len(answers))
	for _, t := range match.Sentences(message) {
		for i := range answers {
			scores[i] = max(scores[i], t.Similarity(answers[i].text))
		}
	}
	return choose(scores, answers)
}

// choose is pick for the similarity of each of the answers to the message.
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
