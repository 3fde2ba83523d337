package chat

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"hearth/store"
)

// A search is bounded, and its words are as the index has them.
func FuzzParseSearch(f *testing.F) {
	for _, q := range []string{`a "b c" from:"d e" in:x`, "before:2026-05 after:2026-05-01T00:00:00+02:00 on:2026",
		"„a“ “b” 「c」 «d", "has:links from:", "\x00\xff:\"", strings.Repeat("a ", 300)} {
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

// What the parts of a search are.
func TestParseSearch(t *testing.T) {
	words := func(words string) store.Term { return store.Term{Words: store.Words(words)} }
	phrase := func(words string) store.Term { return store.Term{Words: store.Words(words), Phrase: true} }
	many := strings.Repeat("a ", maxTerms-1)
	for text, want := range map[string]searchQuery{
		"":           {},
		" \t,":       {},
		"Ab  cd":     {Search: store.Search{Terms: []store.Term{words("ab"), words("cd")}}},
		`"ab cd" ef`: {Search: store.Search{Terms: []store.Term{phrase("ab cd"), words("ef")}}},
		`"ab cd`:     {Search: store.Search{Terms: []store.Term{phrase("ab cd")}}},
		"„ab“ »cd« “ef” „gh”": {Search: store.Search{Terms: []store.Term{phrase("ab"), phrase("cd"), phrase("ef"),
			phrase("gh")}}},
		"from":                          {Search: store.Search{Terms: []store.Term{words("from")}}},
		"from:":                         {Search: store.Search{Terms: []store.Term{words("from")}}},
		`from:"`:                        {from: []string{""}},
		`x:"ab cd"`:                     {Search: store.Search{Terms: []store.Term{words("x ab"), words("cd")}}},
		`From:@ben from:"B C" x`:        {Search: store.Search{Terms: []store.Term{words("x")}}, from: []string{"ben", "B C"}},
		`in:#@a in:«b c»`:               {in: []string{"a", "b c"}},
		"has:Links has:photo":           {Search: store.Search{Has: []string{store.HasLink, store.HasImage}}},
		"has:reaction":                  {Search: store.Search{Reacted: true}},
		"has:reactions":                 {Search: store.Search{Reacted: true}},
		`has:"x y" on:soon`:             {Search: store.Search{Terms: []store.Term{words("has x y"), words("on soon")}}},
		many + "b c":                    {Search: store.Search{Terms: []store.Term{words("a"), words("b")}}},
		strings.Repeat("x", 199) + "yz": {Search: store.Search{Terms: []store.Term{words(strings.Repeat("x", 199) + "y")}}},
	} {
		if got := parseSearch(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"": true, ".": true, "a": false, "from:a": false, "in:a": false, "has:file": false, "has:reaction": false, "before:2026": false,
		"after:2026": false,
	} {
		if q := parseSearch(text); q.empty() != want {
			t.Errorf("%q: empty %v", text, !want)
		}
	}
}
