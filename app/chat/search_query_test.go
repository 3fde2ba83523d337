package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hearth/store"
)

// A search is bounded, and its words are as the index has them.
func FuzzParseSearch(f *testing.F) {
	for _, q := range []string{`a "b c" from:"d e" in:x`, "before:2026-05 after:2026-05-01T00:00:00+02:00 on:2026", "„a“ “b” 「c」 «d", "has:links from:", "\x00\xff:\"", strings.Repeat("a ", 300)} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := parseSearch(text)
		if n := len(q.Terms) + len(q.from) + len(q.in) + len(q.Has); n > maxTerms {
			t.Errorf("%d parts of %q", n, text)
		}
		for _, term := range q.Terms {
			if store.Words(term.Words) != term.Words || utf8.RuneCountInString(term.Words) > 20*maxSearch {
				t.Errorf("the words %q of %q", term.Words, text)
			}
		}
		if q.From < 0 || q.Until < 0 {
			t.Errorf("from %d until %d in %q", q.From, q.Until, text)
		}
		m := store.Message{Content: text, Type: "text"}
		s := snippetOf(&m, q.Terms)
		n := utf8.RuneCountInString(s.Text)
		for _, h := range s.Highlights {
			if h[0] < 0 || h[0] >= h[1] || h[1] > n {
				t.Errorf("%v in %q of %q", h, s.Text, text)
			}
		}
	})
}
