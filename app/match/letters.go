package match

import (
	"iter"
	"sync"
	"unicode"
)

// LetterGroups is how many hashes of groups of three letters are told apart.
const LetterGroups = 8192

// LettersOf yields the hashes of the groups of three letters of a text in small
// letters, with the spaces around its words.
func LettersOf(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		var a, b rune = ' ', ' '
		for _, c := range text + " " {
			if !unicode.IsLetter(c) && !unicode.IsMark(c) {
				c = ' '
			}
			if b == ' ' && c == ' ' {
				continue
			}
			if a != ' ' || b != ' ' {
				h := uint32(a)*0x9E3779B1 ^ uint32(b)*0x85EBCA6B ^ uint32(c)*0xC2B2AE35
				if !yield(int((h ^ h>>15) * 0x2C1B3C6D >> 19)) {
					return
				}
			}
			if a, b = b, c; c == ' ' {
				a = ' '
			}
		}
	}
}

// Spelt returns the numbers of the languages that letters tell apart: of a script that
// others have, too.
var Spelt = sync.OnceValue(func() (out []int) {
	count := map[*unicode.RangeTable]int{unicode.Han: -len(languageInfos)}
	for _, l := range languageInfos {
		count[l.script]++
	}
	for i, l := range languageInfos {
		if count[l.script] > 1 {
			out = append(out, i)
		}
	}
	return out
})

// spelt returns how many bits the letters of a text speak against each language.
func (t *table) spelt(text string) (bits [maxLanguages]float64) {
	spelt := Spelt()
	for group := range LettersOf(text) {
		for i, lang := range spelt {
			bits[lang] += float64(t.letters[group*len(spelt)+i]) / 8
		}
	}
	return bits
}

const maxLanguages = 64
