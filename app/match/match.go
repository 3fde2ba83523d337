// Package match compares short texts by what they are about. It is pure: no I/O, no state, and nothing of this server.
//
// A text is folded (case, accents, compatibility forms) and divided into units: words, names of several words, or
// characters of a script that does not separate words. Each has a weight, and what it means in English. Two units agree
// if they are equal, have one stem or one meaning, or differ by a typo; related meanings agree in part.
package match

import (
	"math"
	"slices"
	"strings"
)

// Text is a question prepared for comparison. The zero Text has no words.
type Text struct {
	units    []unit
	concepts []string // the question words among the units
	numbers  []string
	negated  bool
	total    float64 // sum of the weights
	key      string  // the units as text: equal for texts that are compared as equal
}

// Prepare prepares a text that is compared with several others. Only its first 2,000 characters and 200 words count.
func Prepare(text string) Text { return prepare(split(fold(text))) }

// Sentences prepares a text as a whole, and each of its first sentences by itself if there are several.
func Sentences(text string) []Text {
	pieces := split(fold(text))
	out := []Text{prepare(pieces)}
	start := 0
	for i, p := range pieces {
		if p.end || i == len(pieces)-1 {
			if start > 0 || i < len(pieces)-1 {
				out = append(out, prepare(pieces[start:i+1]))
			}
			start = i + 1
		}
		if len(out) > maxSentences {
			break
		}
	}
	return out
}

const maxSentences = 8

// Empty reports whether t has nothing that could agree with another text.
func (t Text) Empty() bool { return len(t.units) == 0 }

func prepare(pieces []piece) Text {
	r := questionReader(pieces)
	var t Text
	var stopped []unit
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		value, joins := concepts().at(pieces, i)
		concept := concepts().names[value]
		u := unit{text: p.text, stem: p.text, kind: p.kind, pos: i, runes: []rune(p.text)}
		switch {
		case concept == "" && r.v.negators[p.text]:
			t.negated = true
			u.weight = 0.3
			stopped = append(stopped, u)
			continue
		case concept == "" && p.kind == word && (r.v.stop[r.lang][p.text] || len(p.text) == 1):
			u.weight = 0.5 * weighWord(p)
			stopped = append(stopped, u)
			continue
		case concept == "" && p.kind == word:
			concept = r.meansConcept(&u)
		case p.kind == number:
			t.numbers = append(t.numbers, p.text)
		}
		u.weight = weighWord(p)
		if concept != "" {
			u = unit{text: concept, kind: symbol, pos: i, weight: weighConcept(concept)}
		}
		if isQuestion(concept) {
			t.concepts = append(t.concepts, concept)
		}
		t.units = append(t.units, u)
		i += max(joins-1, 0)
	}
	if len(t.units) == 0 {
		t.units = stopped // such as "what is it"
	}
	slices.Sort(t.numbers)
	for _, u := range t.units {
		t.key += u.text + " "
		t.total += u.weight
	}
	return t
}

// questionReader returns a reader of pieces that knows their language.
func questionReader(pieces []piece) *reader {
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.text + " ")
	}
	r := &reader{v: lists(), t: knowledge(), s: &statement{}, pieces: pieces, used: make([]bool, len(pieces))}
	r.lang = r.detect(text.String())
	return r
}

// meansConcept finds what a word means, and returns the concept of its spelling
// without a slip or of its meaning; "" without. Question words must be as they are.
func (r *reader) meansConcept(u *unit) string {
	concept := ""
	if r.lookUp(u); u.n == 0 {
		concept = concepts().names[concepts().exact[r.correct(u)]]
	}
	if concept == "" && u.sure > 0 {
		concept = concepts().means[u.words[0]]
	}
	if isQuestion(concept) {
		return ""
	}
	return concept
}

func isQuestion(concept string) bool {
	return concept == "@when" || concept == "@where" || concept == "@who" || concept == "@why"
}

func weighConcept(concept string) float64 {
	if isQuestion(concept) || concept == "@today" || concept == "@tomorrow" {
		return 0.6
	}
	return 1.1
}

// weighWord returns how much a piece counts.
func weighWord(p piece) float64 {
	switch p.kind {
	case number:
		return 1
	case symbol:
		return 0.5
	case gram:
		return weighGram(p.text)
	}
	return min(0.7+0.06*float64(len([]rune(p.text))), 1.2)
}

// weighGram returns how much some characters count: little if there is grammar
// among them, which are kana, and frequent Chinese characters.
func weighGram(s string) float64 {
	all := true
	common := false
	for _, r := range s {
		c := r >= 'ぁ' && r <= 'ゟ' || strings.ContainsRune("的是吗你们我您在了有什么怎请问可以吧呢能要会这那哪里个和不想用何時点到", r)
		all, common = all && c, common || c
	}
	switch {
	case all:
		return 0.05
	case common:
		return 0.2
	}
	return 0.6
}

// Similarity returns how much two texts are about the same, from 0 to 1. It is symmetric, 1 for texts with the same
// words, and 0 if one has no words or nothing agrees.
func Similarity(a, b string) float64 { return Prepare(a).Similarity(Prepare(b)) }

// Similarity is the function of the same name for prepared texts.
func (t Text) Similarity(o Text) float64 {
	if t.Empty() || o.Empty() {
		return 0
	}
	if t.key == o.key && t.negated == o.negated {
		return 1
	}
	if t.key > o.key { // one order, so that the result is symmetric
		t, o = o, t
	}
	score := (t.agreement(o) + o.agreement(t)) / (t.total + o.total)
	if conflict(t.concepts, o.concepts) {
		score *= 0.6
	}
	if len(t.numbers) > 0 && len(o.numbers) > 0 && !slices.Equal(t.numbers, o.numbers) {
		score *= 0.6
	}
	if t.negated != o.negated {
		score *= 0.7
	}
	return math.Min(math.Max(score, 0), 1)
}

// agreement returns the weight of the units of t that agree with one of o.
func (t Text) agreement(o Text) (sum float64) {
	const least = 0.8
	for i := range t.units {
		best := 0.0
		for j := range o.units {
			best = max(best, relate(&t.units[i], &o.units[j]).sim)
		}
		if best >= least {
			sum += best * t.units[i].weight
		}
	}
	return sum
}

// conflict reports whether both have question words and none in common.
func conflict(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return !slices.ContainsFunc(a, func(c string) bool { return slices.Contains(b, c) })
}

// Sure is the similarity from which two questions are taken for the same. The
// test with labelled pairs shows how often that is right.
const Sure = 0.6
