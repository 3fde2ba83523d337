package store

import (
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
	words, from, to := located(text)
	reach := make([]int, utf8.RuneCountInString(text)) // for each code point, where the longest place ends that begins there
	for _, t := range terms {
		for _, part := range t.parts() {
			word := strings.TrimSpace(part)
			for at := 0; word != ""; {
				i := strings.Index(words[at:], part)
				if i < 0 {
					break
				}
				first := at + i + strings.Index(part, word)
				at = first + len(word)
				if last, _ := utf8.DecodeLastRuneInString(word); !isSpaceless(last) {
					at += strings.IndexByte(words[at:], ' ')
				}
				reach[from[first]] = max(reach[from[first]], to[at-1])
			}
		}
	}
	return merged(reach)
}

// located returns the words of a text, and for each of their bytes between which code
// points of the text it is.
func located(text string) (words string, from, to []int) {
	w, at := wordWriter{}, 0
	for n := 0; text != ""; text = text[n:] {
		n = 1
		if text[0] >= utf8.RuneSelf || len(text) > 1 && text[1] >= utf8.RuneSelf { // else nothing is combined with it
			n = max(1, norm.NFKC.NextBoundaryInString(text, true))
		}
		end := at + utf8.RuneCountInString(text[:n])
		for _, r := range foldWords(text[:n]) {
			w.add(r)
		}
		for len(from) < len(w.b) {
			from, to = append(from, at), append(to, end)
		}
		at = end
	}
	return string(w.end()), from, to
}

// merged returns the first places, those that overlap or touch as one.
func merged(reach []int) [][]int {
	out := [][]int{}
	for from, to := range reach {
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
