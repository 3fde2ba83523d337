package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/store"
)

// In code points.
const (
	snippetLength = 160
	snippetBefore = 40 // shown before the first match
)

// The terms are in the message's text, or else in its transcript or the names of its files.
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

// Most texts have the terms near the beginning, so the rest is not compared.
func firstMarks(text string, terms []store.Term) [][]int {
	for n := 4 * snippetLength; ; n *= 4 {
		head := core.FirstRunes(text, n)
		marks := store.Marks(head, terms)
		if len(head) == len(text) || len(marks) > 0 && marks[0][0]+snippetLength < n {
			return marks
		}
	}
}

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

func wordStart(r []rune, at int) int {
	for i := at; at > 0 && i < at+15; i++ {
		if r[i-1] == ' ' {
			return i
		}
	}
	return at
}
