package store

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// aroundRanges yields the characters at the ends of the ranges for which words are folded, or
// told apart, without tables, all of the first and some of the others.
func aroundRanges(yield func(rune) bool) {
	for r := range rune(0x600) {
		if !yield(r) {
			return
		}
	}
	for r := rune(0x600); r < tabled; r += 7 {
		if utf8.ValidRune(r) && !yield(r) {
			return
		}
	}
	for _, end := range []rune{0xe00, 0x200b, 0x3041, 0x3096, 0x30a1, 0x30fa, 'ー', '々', '一', 0x9fff, '가', '힣', 0xfe00, 0xfffd, 0x1f300, 0x1faff, 0x20000, 0x2a6df, 0xe0100} {
		for r := end - 40; r < end+40; r++ {
			if utf8.ValidRune(r) && !yield(r) {
				return
			}
		}
	}
}

// What is found without tables, or in pieces, is what the tables say of the whole.
func TestWordsWithoutTables(t *testing.T) {
	t.Parallel()
	kind := func(r rune) wordKind {
		inRun := r >= 0xe00 && (r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
		ascii := 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
		switch {
		case r < utf8.RuneSelf && !ascii:
			return apart
		case inRun:
			return spaceless
		case unicode.IsLetter(r), unicode.IsNumber(r):
			return letter
		case unicode.Is(unicode.Variation_Selector, r):
			return ignored
		case unicode.IsMark(r):
			return mark
		case unicode.Is(unicode.So, r) && r != utf8.RuneError:
			return symbol
		case unicode.Is(unicode.Cf, r) && r != '\u200b':
			return ignored
		}
		return apart
	}
	wrong := 0
	for r := range aroundRanges {
		if got, want := kindOf(r), kind(r); got != want {
			t.Errorf("%U is %d, want %d", r, got, want)
			wrong++
		}
		for _, s := range []string{string(r), "A" + string(r), string(r) + "B", "一" + string(r) + "é", "ɔ" + string(r) + "\u0301"} {
			if got, want := foldWords(s), foldPiece(s); got != want {
				t.Errorf("%+q is %+q, want %+q", s, got, want)
				wrong++
			}
		}
		if wrong > 20 {
			t.Fatal("and others")
		}
	}
}

// A word is found under tokens of its first characters, and what is sought asks for
// the longest of them that all words have which begin with it.
func TestTokensOfWords(t *testing.T) {
	collect := func(f func(string, func(string)), s string) string {
		var all []string
		f(s, func(token string) { all = append(all, token) })
		return strings.Join(all, " ")
	}
	for _, tc := range []struct{ word, tokens, sought string }{
		{"a", "a", "a"}, {"ab", "ab", "ab"}, {"abc", "abc", "abc"}, {"abcd", "abc abcd", "abcd"}, {"abcde", "abc abcd", "abcd"},
		{"abcdef", "abc abcd abcdef", "abcdef"}, {"abcdefg", "abc abcd abcdef", "abcdef"}, {"abcdefgh", "abc abcd abcdef", "abcdef"},
		{"äöüß", "äöü äöüß", "äöüß"}, {"東", "東", "東"}, {"東京", "東 京 東京", "東京"}, {"東京都", "東 京 東京 都 京都", "東京 京都"},
		{"a 東京", "a 東 京 東京", "a 東京"},
	} {
		if got := collect(tokens, tc.word); !slices.Equal(slices.Sorted(strings.FieldsSeq(got)), slices.Sorted(strings.FieldsSeq(tc.tokens))) {
			t.Errorf("tokens of %s: %s, want %s", tc.word, got, tc.tokens)
		}
		if got := collect(queryTokens, tc.word); got != tc.sought {
			t.Errorf("%s asks for %s, want %s", tc.word, got, tc.sought)
		}
	}
}
