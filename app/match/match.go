// Package match compares short texts by what they are about. It is pure: no I/O,
// no state, and nothing of this server.
//
// A text is folded (case, accents, compatibility forms), split into words, or
// into pairs or triples of characters where a script does not separate words,
// and each part gets a weight: common words of its language count nothing, and
// long and rare ones most. Two parts agree if they are equal, have one stem, name
// one concept of a small multilingual list, or differ by a typo; longer
// agreements of the beginning count in part.
package match

import (
	"math"
	"slices"
	"strings"
)

// Text is a text prepared for comparison. The zero Text has no words.
type Text struct {
	parts    []part
	concepts []string // the question words among the parts
	numbers  []string
	negated  bool
	key      string // the parts as text: equal for texts that are compared as equal
}

// part is a word, or some characters of one, with its weight.
type part struct {
	text    string
	stem    string
	concept string
	kind    kind
	weight  float64
	word    int // which word of the text it begins
	joins   int // how many words of the text it is
}

// Prepare prepares a text that is compared with several others. Only its first
// 2,000 characters and 200 words count.
func Prepare(text string) Text { return prepare(split(fold(text))) }

// Sentences prepares a text as a whole, and each of its first sentences by
// itself if there are several.
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
func (t Text) Empty() bool { return len(t.parts) == 0 }

func prepare(pieces []piece) Text {
	l := words()
	lang := l.languageOf(pieces)
	var t Text
	var stopped []part
	for i := 0; i < len(pieces); i++ {
		p := part{text: pieces[i].text, kind: pieces[i].kind, word: i, joins: 1}
		p.concept, p.joins = l.conceptAt(lang, pieces, i)
		p.stem = p.text
		switch {
		case p.kind == word:
			p.stem = lang.stem(bare(p.text))
		case p.kind == number:
			t.numbers = append(t.numbers, p.text)
		}
		if l.negations[p.text] && p.concept == "" {
			t.negated = true
			p.weight = 0.3
			stopped = append(stopped, p)
			continue
		}
		p.weight = weigh(p)
		i += p.joins - 1
		if p.concept == "" && p.kind == word && (lang != nil && lang.stop[p.text] || len(p.text) == 1) {
			p.weight *= 0.5
			stopped = append(stopped, p)
			continue
		}
		if isQuestion(p.concept) {
			t.concepts = append(t.concepts, p.concept)
		}
		t.parts = append(t.parts, p)
	}
	if len(t.parts) == 0 {
		t.parts = stopped // such as "what is it"
	}
	slices.Sort(t.numbers)
	for _, p := range t.parts {
		t.key += p.text + " "
	}
	return t
}

// conceptAt returns the concept that a piece names, if need be together with the
// one or two after it, and how many pieces that are.
func (l *lexicon) conceptAt(lang *language, pieces []piece, i int) (concept string, joins int) {
	for n := min(3, len(pieces)-i); n > 0; n-- {
		texts := make([]string, n)
		for j := range n {
			texts[j] = pieces[i+j].text
		}
		if c := l.concepts[strings.Join(texts, " ")]; c != "" {
			return c, n
		}
	}
	if name := lang.stemmer(); pieces[i].kind == word && name != "" {
		return l.concepts[name+":"+lang.stem(pieces[i].text)], 1
	}
	return "", 1
}

func isQuestion(concept string) bool {
	return concept == "@when" || concept == "@where" || concept == "@who" || concept == "@why"
}

// weigh returns how much a part counts.
func weigh(p part) float64 {
	switch {
	case isQuestion(p.concept):
		return 0.6
	case p.concept == "@today" || p.concept == "@tomorrow":
		return 0.6
	case p.concept != "":
		return 1.1
	case p.kind == number:
		return 1
	case p.kind == symbol:
		return 0.5
	case p.kind == gram:
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

// Similarity returns how much two texts are about the same, from 0 to 1. It is
// symmetric, 1 for texts with the same words, and 0 if one has no words or
// nothing agrees.
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
	total := 0.0
	for _, p := range t.parts {
		total += p.weight
	}
	for _, p := range o.parts {
		total += p.weight
	}
	score := agreement(t.parts, o.parts) / total
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

// conflict reports whether both have question words and none in common.
func conflict(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	return !slices.ContainsFunc(a, func(c string) bool { return slices.Contains(b, c) })
}

// Sure is the similarity from which two questions are taken for the same. The
// test with labelled pairs shows how often that is right.
const Sure = 0.62
