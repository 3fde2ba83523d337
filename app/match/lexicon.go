package match

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kljensen/snowball"
)

//go:embed stop.txt
var stopText string

//go:embed concept.txt
var conceptText string

//go:embed negation.txt
var negationText string

// lexicon is what is known about words of common languages. Texts in other
// languages are compared without it.
type lexicon struct {
	languages []language
	concepts  map[string]string // by word, by words joined with spaces, or by stem as language:stem
	negations map[string]bool
}

type language struct {
	name string
	stop map[string]bool
}

var words = sync.OnceValue(func() *lexicon {
	l := &lexicon{concepts: map[string]string{}, negations: map[string]bool{}}
	for line := range strings.Lines(stopText) {
		if name, list, ok := strings.Cut(line, ":"); ok && line[0] != '#' {
			l.languages = append(l.languages, language{name, set(list)})
		}
	}
	for line := range strings.Lines(conceptText) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			l.addConcept(name, phrase(fold(strings.ReplaceAll(w, "_", " "))))
		}
	}
	for line := range strings.Lines(negationText) {
		if line[0] != '#' {
			for w := range set(line) {
				l.negations[w] = true
			}
		}
	}
	return l
})

// addConcept adds a word or phrase of a concept, and the stems that the word has
// in each language. The first concept of a word is kept.
func (l *lexicon) addConcept(name, key string) {
	keys := []string{key}
	if !strings.Contains(key, " ") && len(key) >= 5 {
		for i := range l.languages {
			if lang := &l.languages[i]; lang.stemmer() != "" {
				keys = append(keys, lang.name+":"+lang.stem(key))
			}
		}
	}
	for _, k := range keys {
		if l.concepts[k] == "" {
			l.concepts[k] = name
		}
	}
}

// phrase returns the tokens of a folded text, joined with spaces.
func phrase(text string) string {
	var parts []string
	for _, p := range split(text) {
		parts = append(parts, p.text)
	}
	return strings.Join(parts, " ")
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[fold(w)] = true
	}
	return out
}

// languageOf returns the language whose stop words the pieces have most of, or
// nil.
func (l *lexicon) languageOf(pieces []piece) *language {
	var best *language
	most := 0
	for i := range l.languages {
		n := 0
		for _, p := range pieces {
			if l.languages[i].stop[p.text] {
				n++
			}
		}
		if n > most {
			best, most = &l.languages[i], n
		}
	}
	return best
}

// stemmer returns the language whose stems are used, or "" without one. It is
// English for a text whose language is unknown.
func (l *language) stemmer() string {
	if l == nil {
		return "english"
	}
	switch l.name {
	case "english", "spanish", "french", "russian", "swedish":
		return l.name
	}
	return ""
}

// stem returns the stem of a word of the language, or the word.
func (l *language) stem(w string) string {
	if name := l.stemmer(); name != "" {
		if s, err := snowball.Stem(w, name, true); err == nil && s != "" {
			return s
		}
	}
	return w
}

// particles end Korean words, the longer ones first.
var particles = []string{"에서는", "으로는", "에서", "으로", "까지", "부터", "에게", "한테", "인가요", "입니까", "있나요", "되나요", "하나요", "예요", "이에요", "은", "는", "이", "가", "을", "를", "에", "의", "도", "로", "와", "과", "요", "만"}

// bare returns a Korean word without its particle, or the word.
func bare(w string) string {
	for _, p := range particles {
		if s, ok := strings.CutSuffix(w, p); ok && len(s) >= len("가") {
			return s
		}
	}
	return w
}
