package chat

import (
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// A snippet is of the first text with a match, and of the first one without any.
func TestSnippetOf(t *testing.T) {
	const files = `[{"name":"bee.png"},{"name":"wasp.png"}]`
	for _, c := range []struct {
		m           store.Message
		words, want string
		found       int
	}{
		{store.Message{Content: "a bee"}, "", "a bee", 0},
		{store.Message{Content: "a bee", Transcript: "bee"}, "bee", "a bee", 1},
		{store.Message{Content: "a bee", Attachments: files}, "wasp", "wasp.png", 1},
		{store.Message{Content: "a bee", Attachments: files}, "hornet", "a bee", 0},
		{store.Message{Transcript: "a bee", Attachments: files}, "", "a bee", 0},
		{store.Message{Attachments: files}, "", "bee.png", 0},
		{store.Message{Attachments: files}, "wasp", "wasp.png", 1},
		{store.Message{Attachments: files, Content: "png"}, "png", "png", 1},
		{store.Message{Attachments: "[", Content: "a"}, "b", "a", 0},
		{store.Message{}, "a", "", 0},
	} {
		got := snippetOf(&c.m, []store.Term{{Words: c.words}})
		if got.Text != c.want || len(got.Highlights) != c.found || got.Highlights == nil {
			t.Errorf("%+v, %q: got %+v", c.m, c.words, got)
		}
	}
}

// A long text is cut at the beginning of a word near the first mark, and to its
// length; marks are where they are in what is shown.
func TestCutSnippet(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		text  string
		marks [][]int
		want  string
		shown [][]int
	}{
		"a short one":             {"a\tb\nc\x00d", [][]int{{2, 3}}, "a b c d", [][]int{{2, 3}}},
		"the longest short one":   {x(160), [][]int{{159, 160}}, x(160), [][]int{{159, 160}}},
		"one more":                {x(160) + "y", nil, x(160) + "…", nil},
		"a mark at the beginning": {x(160) + "y", [][]int{{40, 41}}, x(160) + "…", [][]int{{40, 41}}},
		"a mark further on":       {x(170), [][]int{{41, 42}}, "…" + x(160) + "…", [][]int{{41, 42}}},
		"a mark at the end":       {"y" + x(160), [][]int{{160, 161}}, "…" + x(160), [][]int{{160, 161}}},
		"marks at both ends":      {x(170), [][]int{{1, 2}, {159, 161}, {160, 162}}, x(160) + "…", [][]int{{1, 2}, {159, 160}}},
		"the beginning of a word": {x(59) + " " + x(200), [][]int{{100, 101}}, "…" + x(160) + "…", [][]int{{41, 42}}},
		"a word a bit further on": {x(73) + " " + x(200), [][]int{{100, 101}}, "…" + x(160) + "…", [][]int{{27, 28}}},
		"a word too far":          {x(74) + " " + x(200), [][]int{{100, 101}}, "…" + x(14) + " " + x(145) + "…", [][]int{{41, 42}}},
	} {
		got, shown := cutSnippet(c.text, c.marks)
		if got != c.want || !slices.EqualFunc(shown, c.shown, slices.Equal) {
			t.Errorf("%s: got %q %v, want %q %v", name, got, shown, c.want, c.shown)
		}
	}
}
