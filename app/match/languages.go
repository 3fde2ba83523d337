package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is a language that the table has words of.
type Language struct {
	Code   string // ISO 639-3
	Tag    string // ISO 639-1
	script *unicode.RangeTable
	stem   func(*snowballstem.Env) bool
	ends   []string // endings to strip, for languages without a stemmer, the longer first
	runs   bool     // words are not separated, or compounds are written as one
}

// Languages has the languages by their numbers in the table; English is 0.
var Languages = []Language{
	{Code: "eng", Tag: "en", script: unicode.Latin, stem: english.Stem},
	{Code: "deu", Tag: "de", script: unicode.Latin, stem: german.Stem, runs: true},
	{Code: "fra", Tag: "fr", script: unicode.Latin, stem: french.Stem},
	{Code: "spa", Tag: "es", script: unicode.Latin, stem: spanish.Stem},
	{Code: "ita", Tag: "it", script: unicode.Latin, stem: italian.Stem},
	{Code: "por", Tag: "pt", script: unicode.Latin, stem: portuguese.Stem},
	{Code: "nld", Tag: "nl", script: unicode.Latin, stem: dutch.Stem, runs: true},
	{Code: "pol", Tag: "pl", script: unicode.Latin, ends: slavicEnds},
	{Code: "rus", Tag: "ru", script: unicode.Cyrillic, stem: russian.Stem},
	{Code: "tur", Tag: "tr", script: unicode.Latin, stem: turkish.Stem},
	{Code: "swe", Tag: "sv", script: unicode.Latin, stem: swedish.Stem, runs: true},
	{Code: "cmn", Tag: "zh", script: unicode.Han, runs: true},
	{Code: "jpn", Tag: "ja", script: unicode.Han, runs: true},
	{Code: "kor", Tag: "ko", script: unicode.Hangul, runs: true},
	{Code: "arb", Tag: "ar", script: unicode.Arabic, stem: arabic.Stem},
	{Code: "hin", Tag: "hi", script: unicode.Devanagari, ends: hindiEnds},
	{Code: "ukr", Tag: "uk", script: unicode.Cyrillic, ends: cyrillicEnds},
	{Code: "ces", Tag: "cs", script: unicode.Latin, ends: slavicEnds},
	{Code: "hun", Tag: "hu", script: unicode.Latin, stem: hungarian.Stem, runs: true},
	{Code: "fin", Tag: "fi", script: unicode.Latin, stem: finnish.Stem, runs: true},
	{Code: "dan", Tag: "da", script: unicode.Latin, stem: danish.Stem, runs: true},
	{Code: "nob", Tag: "no", script: unicode.Latin, stem: norwegian.Stem, runs: true},
	{Code: "ell", Tag: "el", script: unicode.Greek, ends: greekEnds},
	{Code: "heb", Tag: "he", script: unicode.Hebrew, ends: hebrewEnds},
	{Code: "vie", Tag: "vi", script: unicode.Latin},
	{Code: "tha", Tag: "th", script: unicode.Thai, runs: true},
	{Code: "ron", Tag: "ro", script: unicode.Latin, stem: romanian.Stem},
	{Code: "bul", Tag: "bg", script: unicode.Cyrillic, ends: cyrillicEnds},
	{Code: "hbs", Tag: "hr", script: unicode.Latin, ends: slavicEnds},
	{Code: "cat", Tag: "ca", script: unicode.Latin, ends: []string{"es", "s", "a"}},
	{Code: "fas", Tag: "fa", script: unicode.Arabic, ends: []string{"هاي", "ها", "ي"}},
	{Code: "ind", Tag: "id", script: unicode.Latin, ends: []string{"nya", "kan", "an"}},
}

var (
	slavicEnds = strings.Fields("iego owie owego ovych ami ach ych ego emu imi owi ymi iem ich mi om ow em ie ej ia iu ii " +
		"ou um um a e i o u y")
	cyrillicEnds = strings.Fields("ого ому ими ами ями ах ях ий ой ом ем ам ям ов ев ою ею ть ти " +
		"та то те а е и і о у ю я ь й")
	greekEnds  = strings.Fields("ματα ους ων ος ες ας ου οι ης α ε η ι ο ς υ")
	hindiEnds  = strings.Fields("ाओं ियों ियाँ ाएँ ों ें ी ा े ो ि")
	hebrewEnds = strings.Fields("ימ ות יות י ה ת")
)

// EmojiCode is the code of emoji in the table, after the codes of the languages.
const EmojiCode = 200

// Forms returns the forms of a lemma of a language under which the table has it:
// the folded lemma, and its stem if that is another.
func Forms(lang int, lemma string) []string {
	form := phrase(fold(strings.ReplaceAll(lemma, "_", " ")))
	if Languages[lang].script == unicode.Han || Languages[lang].script == unicode.Thai {
		form = strings.ReplaceAll(fold(lemma), " ", "")
	}
	if lang == 3 || lang == 2 || lang == 5 { // reflexive verbs
		form = strings.TrimPrefix(form, "se ")
	}
	if form == "" {
		return nil
	}
	if stem := stemOf(lang, form); stem != form && !strings.Contains(form, " ") {
		return []string{form, "~" + stem}
	}
	return []string{form}
}

// StemForm returns the form of the stem of a folded word of a language.
func StemForm(lang int, form string) string { return "~" + stemOf(lang, form) }

// FormOf returns the form of a word that holds in every language.
func FormOf(word string) string {
	folded := fold(word)
	for _, r := range folded {
		switch {
		case classOf(r) == pairs || classOf(r) == triples:
			return strings.ReplaceAll(folded, " ", "")
		case classOf(r) == pictures:
			return FoldSymbol(folded)
		}
	}
	return phrase(folded)
}

// stemOf returns the stem of a folded word of a language, of at least three letters.
func stemOf(lang int, w string) string {
	l := &Languages[lang]
	switch {
	case l.stem != nil:
		env := snowballstem.NewEnv(w)
		l.stem(env)
		if s := env.Current(); len(s) >= 3 {
			return s
		}
	case l.Code == "kor":
		return bare(w)
	default:
		for _, end := range l.ends {
			if s, ok := strings.CutSuffix(w, end); ok && len([]rune(s)) >= 3 {
				return s
			}
		}
	}
	return w
}

// HashForm returns the 32-bit FNV-1a hash of a form in a language.
func HashForm(lang int, form string) uint32 {
	h := hashByte(fnvBasis, byte(lang))
	for i := range len(form) {
		h = hashByte(h, form[i])
	}
	return h
}

const fnvBasis = 2166136261

func hashByte(h uint32, b byte) uint32 { return (h ^ uint32(b)) * 16777619 }

// hashRune hashes the bytes of a letter.
func hashRune(h uint32, c rune) uint32 {
	if c < utf8.RuneSelf {
		return hashByte(h, byte(c))
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], c)] {
		h = hashByte(h, b)
	}
	return h
}

// EnglishBases returns what a word may be a form of, by the rules of WordNet's
// morphy, the likeliest first. It does not include the word.
func EnglishBases(w string) []string {
	var out []string
	add := func(end, with string, least int) {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= least {
			out = append(out, s+with)
		}
	}
	if base := irregular[w]; base != "" {
		return []string{base}
	}
	add("ies", "y", 2)
	add("ves", "f", 2)
	add("ves", "fe", 2)
	add("sses", "ss", 2)
	add("shes", "sh", 1)
	add("ches", "ch", 1)
	add("xes", "x", 1)
	add("zes", "z", 1)
	add("men", "man", 1)
	if !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") {
		add("s", "", 2)
		if base := irregular[strings.TrimSuffix(w, "s")]; base != "" {
			out = append(out, base)
		}
	}
	add("es", "", 2)
	for _, end := range []string{"ing", "ed", "er", "ers", "est"} {
		s, ok := strings.CutSuffix(w, end)
		if !ok || len(s) < 3 {
			continue
		}
		if n := len(s); s[n-1] == s[n-2] && !strings.ContainsRune("lsz", rune(s[n-1])) {
			out = append(out, s[:n-1], s)
			continue
		}
		if strings.HasSuffix(s, "i") {
			out = append(out, s[:len(s)-1]+"y")
		}
		out = append(out, s+"e", s)
		if n := len(s); s[n-1] == s[n-2] {
			out = append(out, s[:n-1])
		}
	}
	return slices.DeleteFunc(out, func(b string) bool { return b == w })
}

var irregular = map[string]string{
	"children": "child", "kids": "kid", "people": "person", "feet": "foot", "teeth": "tooth", "mice": "mouse",
	"geese": "goose", "knives": "knife", "lives": "life", "shelves": "shelf", "taught": "teach", "bought": "buy",
	"sold": "sell", "built": "build", "drove": "drive", "driven": "drive", "gave": "give", "given": "give",
	"grown": "grow", "grew": "grow", "broke": "break", "broken": "break", "lent": "lend", "moved": "move", "swam": "swim",
	"ran": "run", "wrote": "write", "written": "write", "sang": "sing", "made": "make", "baked": "bake", "sewn": "sew",
	"spoke": "speak", "spoken": "speak", "caught": "catch", "lost": "lose", "found": "find", "left": "leave",
	"kept": "keep", "slept": "sleep", "rode": "ride", "ridden": "ride", "wives": "wife", "loaves": "loaf",
	"leaves": "leaf", "halves": "half", "calves": "calf",
}

// FoldSymbol returns the first character of an emoji that says what it shows, or "" if it has none.
func FoldSymbol(s string) string {
	for _, r := range s {
		if classOf(r) == pictures {
			return string(r)
		}
	}
	return ""
}
