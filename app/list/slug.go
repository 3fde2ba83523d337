package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

const slugMax = 60

// Slug returns the words of title for an address, joined by hyphens. Letters lose their accents; characters
// without a plain form are left out. Without a word it is "list".
func Slug(title string) string {
	plain := strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ı", "i", "'",
		"", "’", "")
	text := runes.Remove(runes.In(unicode.Mn)).String(plain.Replace(cases.Fold().String(norm.NFKD.String(title))))
	slug := ""
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !slugRune(r) }) {
		if slug != "" && len(slug)+1+len(word) > slugMax {
			break
		}
		slug = strings.TrimPrefix(slug+"-"+word, "-")
	}
	slug = cmp.Or(slug[:min(len(slug), slugMax)], "list")
	if slices.Contains([]string{"delete", "edit", "items", "leave", "people", "queue"}, slug) { // other pages of a list
		slug += "-list"
	}
	return slug
}

func slugRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
