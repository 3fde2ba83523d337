package store

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Marks returns where text has the terms: the offsets in code points of the
// beginning and the end of each place, in order and apart from each other. Words
// are marked as a whole, also where only their beginning was searched for.
func Marks(text string, terms []Term) [][]int {
	m := newMarker(text)
	for _, t := range terms {
		if t.Phrase {
			m.mark(t.phrase())
			continue
		}
		for word := range strings.FieldsSeq(t.Words) {
			m.mark(sought(word))
		}
	}
	return m.merged()
}

// marker finds words in a text and where they are in it.
type marker struct {
	words string
	from  []int // for each byte of words, which code points of the text it is of
	to    []int
	found [][]int
}

func newMarker(text string) *marker {
	m := &marker{}
	w := wordWriter{}
	at := 0
	for rest := text; rest != ""; {
		n := 1
		if rest[0] >= utf8.RuneSelf || len(rest) > 1 && rest[1] >= utf8.RuneSelf { // else nothing is combined with it
			n = max(1, norm.NFKC.NextBoundaryInString(rest, true))
		}
		end := at + utf8.RuneCountInString(rest[:n])
		for _, r := range foldWords(rest[:n]) {
			w.add(r)
			for len(m.from) < len(w.b) {
				m.from, m.to = append(m.from, at), append(m.to, end)
			}
		}
		at, rest = end, rest[n:]
	}
	m.words = string(w.end())
	return m
}

// mark marks each place of words that contains s.
func (m *marker) mark(s string) {
	word := strings.Trim(s, " ")
	if word == "" {
		return
	}
	for at := 0; ; {
		i := strings.Index(m.words[at:], s)
		if i < 0 {
			return
		}
		at += i
		first := at + strings.Index(s, word)
		end := first + len(word)
		if !endsSpaceless(word) {
			end += strings.IndexByte(m.words[end:], ' ')
		}
		m.found = append(m.found, []int{m.from[first], m.to[end-1]})
		at = end
	}
}

func endsSpaceless(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return isSpaceless(last)
}

func (m *marker) merged() [][]int {
	slices.SortFunc(m.found, func(a, b []int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	out := [][]int{}
	for _, f := range m.found {
		if last := len(out) - 1; last >= 0 && f[0] <= out[last][1] {
			out[last][1] = max(out[last][1], f[1])
			continue
		}
		out = append(out, f)
	}
	return out
}
