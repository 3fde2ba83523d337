package match

import (
	"strings"
	"sync"
)

// lexicon has the concepts of questions, such as @price, by words and phrases, and by
// English words of the table. A phrase stands for the number of its concept.
type lexicon struct {
	phrases
	names []string // of the concepts, "" for 0
	means map[uint16]string
}

var concepts = sync.OnceValue(func() *lexicon {
	l := &lexicon{names: []string{""}, means: map[uint16]string{}}
	for name, list := range sections("concept.txt") {
		l.add(list, len(l.names))
		l.names = append(l.names, name)
		for w := range strings.FieldsSeq(list) {
			if n, ok := knowledge().english(fold(w)); ok && l.means[n] == "" && !strings.Contains(w, "_") {
				l.means[n] = name
			}
		}
	}
	return l
})

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
