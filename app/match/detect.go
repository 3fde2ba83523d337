package match

import (
	"slices"
	"strings"
	"unicode"
)

const languageUkrainian = 16

// detect returns the language of the text: the one whose stop words and words it
// has most of. A text that shows none is taken for English.
func (r *reader) detect(text string) int {
	var candidates []int
	script := scriptOf(text)
	kana := strings.ContainsFunc(text, func(c rune) bool { return c >= 'ぁ' && c <= 'ゟ' })
	for i := range Languages {
		l := &Languages[i]
		if l.script == script && !(l.Code == "cmn" && kana) {
			candidates = append(candidates, i)
		}
	}
	switch {
	case len(candidates) == 0:
		return 0
	case len(candidates) == 1 || script == unicode.Han:
		return candidates[0]
	}
	if script == unicode.Cyrillic && strings.ContainsAny(text, "іїєґ") {
		return languageUkrainian
	}
	scores := make([]float64, len(Languages))
	scores[0] = englishFirst
	words := 0
	for i, p := range r.pieces {
		if p.kind != word || words == 20 {
			continue
		}
		words++
		for _, lang := range candidates {
			switch {
			case r.v.stop[lang][p.text]:
				scores[lang] += stopWordBits
			case lang == 0:
				if len(p.text) > 2 && !r.used[i] && r.knownEnglish(p.text) {
					scores[lang] += knownBits
				}
			default:
				scores[lang] += knownBits / 0.8 * r.t.belongs(lang, p.text, len(p.text) > 2 && !r.used[i])
			}
		}
	}
	best := candidates[0]
	for _, lang := range candidates {
		if scores[lang] > scores[best] {
			best = lang
		}
	}
	return best
}

// Evidence for a language in bits: a word of its grammar, a word that it has, and that most texts are English.
const (
	stopWordBits = 9.0
	knownBits    = 6.0
	englishFirst = 3.0
)

func (r *reader) knownEnglish(w string) bool {
	if n, ok := r.t.english(w); ok {
		return r.t.sensesOf(n) != ""
	}
	_, ok := r.t.firstEnglish(EnglishBases(w))
	return ok
}

var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Arabic, unicode.Devanagari, unicode.Greek, unicode.Hebrew, unicode.Hangul, unicode.Thai,
}

// scriptOf returns the script of most of the letters of a text.
func scriptOf(text string) *unicode.RangeTable {
	counts := map[*unicode.RangeTable]int{}
	var best *unicode.RangeTable
	for _, c := range text {
		switch {
		case classOf(c) == pairs:
			counts[unicode.Han] += 3
		case unicode.IsLetter(c):
			if s := slices.IndexFunc(scripts, func(s *unicode.RangeTable) bool { return unicode.Is(s, c) }); s >= 0 {
				counts[scripts[s]]++
			}
		}
	}
	for _, l := range Languages {
		if counts[l.script] > counts[best] {
			best = l.script
		}
	}
	return best
}
