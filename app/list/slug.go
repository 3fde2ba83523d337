package list

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const slugMax = 60

// Slug returns the words of title for an address, joined by hyphens. Letters lose their accents; characters
// without a plain form are left out. Without a word it is "list".
func Slug(title string) string {
	plain := strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ı", "i", "'",
		"", "’", "")
	var words []string
	size := 0
	text := plain.Replace(cases.Fold().String(norm.NFKD.String(title)))
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !slugRune(r) && !unicode.Is(unicode.Mn, r) }) {
		word = strings.Map(func(r rune) rune {
			if slugRune(r) {
				return r
			}
			return -1
		}, word)
		if word == "" {
			continue
		}
		if size+len(word) > slugMax {
			if size == 0 {
				words = append(words, word[:slugMax])
			}
			break
		}
		words = append(words, word)
		size += len(word) + 1
	}
	if len(words) == 0 {
		return "list"
	}
	return strings.Join(words, "-")
}

func slugRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
