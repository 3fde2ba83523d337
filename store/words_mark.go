package store

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many places of a text are marked: what is read of a page of
// results shows no more.
const maxMarks = 100

// Marks returns where text has the terms: the offsets in code points of the
// beginning and the end of each of the first 100 places, in order and apart from
// each other. Words are marked as a whole, also where only their beginning was
// searched for.
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
	words  string
	pieces []piece
	reach  []int // for each code point of the text, where the longest place ends that begins there
}

// piece is a part of the text that became a part of the words.
type piece struct {
	at       int // where it begins in the words, in bytes
	from, to int // where it is in the text, in code points
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
		p := piece{len(w.b), at, at + utf8.RuneCountInString(rest[:n])}
		for _, r := range foldWords(rest[:n]) {
			w.add(r)
		}
		if len(w.b) > p.at {
			m.pieces = append(m.pieces, p)
		}
		at, rest = p.to, rest[n:]
	}
	m.words, m.reach = string(w.end()), make([]int, at)
	return m
}

// mark marks each place of words that contains s.
func (m *marker) mark(s string) {
	word := strings.Trim(s, " ")
	if word == "" {
		return
	}
	before := strings.Index(s, word)
	for at := 0; ; {
		i := strings.Index(m.words[at:], s)
		if i < 0 {
			return
		}
		first := at + i + before
		end := first + len(word)
		if !endsSpaceless(word) {
			end += strings.IndexByte(m.words[end:], ' ')
		}
		from := m.pieceOf(first).from
		m.reach[from] = max(m.reach[from], m.pieceOf(end-1).to)
		at = end
	}
}

// pieceOf returns the piece of the text that a byte of words is of.
func (m *marker) pieceOf(at int) piece {
	i, found := slices.BinarySearchFunc(m.pieces, at, func(p piece, at int) int { return cmp.Compare(p.at, at) })
	if !found {
		i--
	}
	return m.pieces[i]
}

func endsSpaceless(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return isSpaceless(last)
}

// merged returns the first places, those that overlap or touch as one.
func (m *marker) merged() [][]int {
	out := [][]int{}
	for from, to := range m.reach {
		last := len(out) - 1
		switch {
		case to == 0:
		case last >= 0 && from <= out[last][1]:
			out[last][1] = max(out[last][1], to)
		case len(out) == maxMarks:
			return out
		default:
			out = append(out, []int{from, to})
		}
	}
	return out
}
