package store

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldWords returns the form of s in which words are compared: that of Fold,
// without accents, vowel points and the like in the scripts whose readers leave
// them out.
func foldWords(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, " ")))))
	var b strings.Builder
	bare := false // the last character was of a script whose marks are dropped
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
			if bare && unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic) {
				continue
			}
		case r == 'ـ', kindOf(r) == ignored: // the first stretches Arabic words
			continue
		default:
			bare = r < 0x80 || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
		}
		if plain := plainLetter(r); plain != "" {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainLetter returns what is typed for a letter by those who do not have it;
// "" for all letters that Unicode takes apart itself.
func plainLetter(r rune) string {
	switch r {
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'ħ':
		return "h"
	case 'ı':
		return "i"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'þ':
		return "th"
	case 'ى', 'ی':
		return "ي"
	case 'ک':
		return "ك"
	}
	return ""
}
