package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s under which texts are compared without regard
// to case, in any script: NFKC, case-folded, white space collapsed. SQLite
// itself folds ASCII only.
func Fold(s string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))), " ")
}

// plainLetters replaces letters by what those type who do not have them; Unicode takes
// apart all others itself.
var plainLetters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "æ", "ae", "œ", "oe", "þ", "th",
	"ى", "ي", "ی", "ي", "ک", "ك")

// foldWords returns the form of s in which words are compared: that of Fold,
// without accents, vowel points and the like in the scripts whose readers leave
// them out.
func foldWords(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	s = norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, " ")))))
	bare := false // the last character was of a script whose marks are dropped
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			if bare && unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic) {
				return -1
			}
		case r == 'ـ', kindOf(r) == ignored: // the first stretches Arabic words
			return -1
		default:
			bare = r < 0x80 || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
		}
		return r
	}, s)
	return norm.NFC.String(plainLetters.Replace(s))
}
