package match

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxRunes is how much of a text is compared. Scoring grows with the product of
// two lengths, and what a text is about stands at its beginning.
const maxRunes = 2000

// fold returns text in the form in which it is compared: compatibility forms and cases are equal, and marks that people
// leave out when they type are removed. Marks are kept where they are vowels or other letters, as in Devanagari, Thai
// and kana.
func fold(text string) string {
	text = cases.Fold().String(norm.NFKC.String(firstRunes(text, maxRunes)))
	var b strings.Builder
	b.Grow(len(text))
	var base rune // the last rune that is not a mark
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
			if droppedMark(base, r) {
				continue
			}
		case unicode.Is(unicode.Cf, r) && r != zeroWidthNonJoiner:
			continue
		default:
			base = r
		}
		b.WriteRune(hiragana(r))
	}
	return norm.NFC.String(foldLetter.Replace(b.String()))
}

const (
	zeroWidthNonJoiner = '\u200c' // separates parts of Persian words
	tatweel            = "\u0640" // only makes an Arabic word longer
)

// droppedMark reports whether the mark r on base is left out: accents on
// alphabets, vowel points of Arabic and Hebrew, and variation selectors.
func droppedMark(base, r rune) bool {
	return unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew) || r >= 0xFE00 && r <= 0xFE0F
}

// foldLetter replaces letters that have no decomposition and forms of one letter, and removes what is left out: whats
// and what's are one word.
var foldLetter = strings.NewReplacer("ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"ى", "ي", "ة", "ه", "ک", "ك", "ی", "ي", "ך", "כ", "ם", "מ", "ן", "נ", "ף", "פ", "ץ", "צ", "ς", "σ",
	tatweel, "", "'", "", "’", "", "‘", "", "ʼ", "", "`", "", "´", "", "״", "", "׳", "")

// hiragana returns a katakana as the hiragana of its sound, and any other rune as it is.
func hiragana(r rune) rune {
	if r >= 'ァ' && r <= 'ヶ' {
		return r - 'ァ' + 'ぁ'
	}
	return r
}

// firstRunes returns the first n runes of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
