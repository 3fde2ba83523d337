package core_test

import (
	"strings"
	"testing"

	"hearth/app/core"
)

// A plain text may be in any script, with emoji and marks. It has no characters that
// make it look like a different text.
func TestPlainText(t *testing.T) {
	type input struct {
		Text  string           `json:"text" plain:"true"`
		Line  core.Opt[string] `json:"line,omitzero" line:"true" plain:"true"`
		Items []string         `json:"items" line:"true" plain:"true"`
		Inner *struct {
			Text string `json:"text" plain:"true"`
		} `json:"inner"`
		Other string `json:"other"`
	}
	check := func(in *input) string {
		if err := core.Check(in); err != nil {
			return core.As(err).Field + ": " + core.As(err).Msg
		}
		return ""
	}
	for _, s := range []string{
		"a ladder\n\ton Saturday\r\n", "سلم طويل\u200f!", "hi \u200e\u200f", "👩\u200d👩\u200d👧 ❤\ufe0f ☎\ufe0e",
		"من\u200cخواهم", "\u2067اسم\u2069 (3)", "\u202aabc \u2067x\u2069\u202c", "e\u0301 zero\u200bwidth",
	} {
		line := strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, s)
		if got := check(&input{Text: s, Line: core.Some(line), Items: []string{line}}); got != "" {
			t.Errorf("%q: %s", s, got)
		}
		if got := core.Plain(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	for s, want := range map[string]string{
		"a\u202eb":       "must not contain the character U+202E, which reverses text; remove it.",
		"a\u202db\u202c": "must not contain the character U+202D, which reverses text; remove it.",
		"a\u2067b": "begins a direction of writing and does not end it with the character U+2069; add that, or remove the character " +
			"that begins it.",
		"\u2066\u202ab\u2069": "has the character U+2069, which ends a direction of writing, without the character that begins it; remove it.",
		"a\u202bb": "begins a direction of writing and does not end it with the character U+202C; add that, or remove the character " +
			"that begins it.",
		"a\u2068b\u202c": "has the character U+202C, which ends a direction of writing, without the character that begins it; remove it.",
		"b\u2069":        "has the character U+2069, which ends a direction of writing, without the character that begins it; remove it.",
	} {
		for field, in := range map[string]*input{"text": {Text: s}, "line": {Line: core.Some(s)}, "items[1]": {Items: []string{"x", s}},
			"inner.text": {Inner: &struct {
				Text string `json:"text" plain:"true"`
			}{s}}} {
			if got := check(in); got != field+": "+field+" "+want {
				t.Errorf("%q: got %q, want %s", s, got, want)
			}
		}
		if got := check(&input{Other: s}); got != "" {
			t.Errorf("%q where everything is permitted: %s", s, got)
		}
	}
	for s, want := range map[string]string{"a\x07b": "U+0007", "a\x7fb": "U+007F", "a\u0092b": "U+0092", "a\x1b[31mb": "U+001B"} {
		if got := check(&input{Text: s}); got != "text: text must not contain the character "+want+", a control character; remove it." {
			t.Errorf("%q: %s", s, got)
		}
		in := input{Line: core.Some(s)}
		if got := check(&in); got != "" || strings.ContainsAny(in.Line.V, "\x07\x7f\u0092\x1b") {
			t.Errorf("%q in one line: %q %s", s, in.Line.V, got)
		}
	}
}

// A name that others have accepted loses what a text that is to be plain does not have.
func TestPlain(t *testing.T) {
	for s, want := range map[string]string{"a\u202eb": "ab", "\u202aa": "a", "a\u2069": "a", "a\x1b[31m b": "a[31m b",
		"\u2067اسم\u2069\u202e": "اسم", "a\u009bb\tc": "ab\tc"} {
		if got := core.Plain(s); got != want || core.Plain(got) != got {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
