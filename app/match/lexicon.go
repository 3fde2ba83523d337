package match

import (
	"strings"
	"sync"
)

// lexicon has the concepts of questions, such as @price, by words, by phrases, by stems
// (see StemForm) and by English words of the table.
type lexicon struct {
	words map[string]string
	means map[uint16]string
}

var concepts = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]string{}, means: map[uint16]string{}}
	for name, list := range sections("concept.txt") {
		for w := range strings.FieldsSeq(list) {
			l.add(name, phrase(fold(strings.ReplaceAll(w, "_", " "))))
		}
	}
	return l
})

// add adds a word or phrase of a concept, and the stems that the word has in some
// languages. The first concept of a word is kept.
func (l *lexicon) add(name, key string) {
	if n, ok := knowledge().english(key); ok && l.means[n] == "" {
		l.means[n] = name
	}
	keys := []string{key}
	if !strings.Contains(key, " ") && len(key) >= 5 {
		for i := range Languages {
			if Languages[i].stem != nil {
				keys = append(keys, StemForm(i, key))
			}
		}
	}
	for _, k := range keys {
		if l.words[k] == "" {
			l.words[k] = name
		}
	}
}

// at returns the concept that a piece names, if need be together with the one or two
// after it, and how many pieces that are.
func (l *lexicon) at(lang int, pieces []piece, i int) (concept string, joins int) {
	for n := min(3, len(pieces)-i); n > 0; n-- {
		texts := make([]string, n)
		for j := range n {
			texts[j] = pieces[i+j].text
		}
		if c := l.words[strings.Join(texts, " ")]; c != "" {
			return c, n
		}
	}
	if pieces[i].kind == word {
		return l.words[StemForm(lang, pieces[i].text)], 1
	}
	return "", 1
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

// particles end Korean words, the longer ones first.
var particles = []string{
	"에서는", "으로는", "에서", "으로", "까지", "부터", "에게", "한테", "인가요", "입니까", "있나요", "되나요",
	"하나요", "예요", "이에요", "은", "는", "이", "가",
	"을", "를", "에", "의", "도", "로", "와", "과", "요", "만",
}

// bare returns a Korean word without its particle, or the word.
func bare(w string) string {
	for _, p := range particles {
		if s, ok := strings.CutSuffix(w, p); ok && len(s) >= len("가") {
			return s
		}
	}
	return w
}
