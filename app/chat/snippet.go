package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/store"
)

// Lengths of snippets, in code points.
const (
	snippetLength = 160
	snippetBefore = 40 // of what is shown before the first match
)

// snippetOf returns the part of a message in which the terms are: of its text,
// or else of its transcript or the names of its files.
func snippetOf(m *store.Message, terms []store.Term) Snippet {
	s := Snippet{MessageID: m.ID, Highlights: [][]int{}}
	for _, text := range append([]string{m.Content, m.Transcript}, m.FileNames()...) {
		marks := firstMarks(text, terms)
		if s.Text == "" || len(s.Highlights) == 0 && len(marks) > 0 {
			s.Text, s.Highlights = cutSnippet(text, marks)
		}
	}
	return s
}

// firstMarks returns the marks of the terms in the part of text that a snippet
// shows, at least. Most texts have them near the beginning, so that the rest need
// not be compared.
func firstMarks(text string, terms []store.Term) [][]int {
	for n := 4 * snippetLength; ; n *= 4 {
		head := core.FirstRunes(text, n)
		marks := store.Marks(head, terms)
		if len(head) == len(text) || len(marks) > 0 && marks[0][0]+snippetLength < n {
			return marks
		}
	}
}

// cutSnippet returns the part of text with the first of the marks, on one line,
// and the marks in it.
func cutSnippet(text string, marks [][]int) (string, [][]int) {
	r := []rune(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
	from := 0
	if len(marks) > 0 {
		from = wordStart(r, max(0, min(marks[0][0]-snippetBefore, len(r)-snippetLength)))
	}
	to := min(len(r), from+snippetLength)
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(r) {
		tail = "…"
	}
	shift := utf8.RuneCountInString(head) - from
	shown := [][]int{}
	for _, m := range marks {
		if m[0] < to {
			shown = append(shown, []int{m[0] + shift, min(m[1], to) + shift})
		}
	}
	return head + string(r[from:to]) + tail, shown
}

// wordStart returns where the next word begins within a few characters after
// at, or at.
func wordStart(r []rune, at int) int {
	for i := at; at > 0 && i < at+15; i++ {
		if r[i-1] == ' ' {
			return i
		}
	}
	return at
}
