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

// languageInfo is a language that the table has words of.
type languageInfo struct {
	code   string // ISO 639-3
	stop   string // its name in the list of stop words, if it is there
	script *unicode.RangeTable
	stem   func(*snowballstem.Env) bool
	ends   []string // endings to strip, for languages without a stemmer, the longer first
	runs   bool     // words are not separated, or compounds are written as one
}

// The order of the languages is part of the table; English is 0.
var languageInfos = []languageInfo{
	{code: "eng", stop: "english", script: unicode.Latin, stem: english.Stem},
	{code: "deu", stop: "german", script: unicode.Latin, stem: german.Stem, runs: true},
	{code: "fra", stop: "french", script: unicode.Latin, stem: french.Stem},
	{code: "spa", stop: "spanish", script: unicode.Latin, stem: spanish.Stem},
	{code: "ita", stop: "italian", script: unicode.Latin, stem: italian.Stem},
	{code: "por", stop: "portuguese", script: unicode.Latin, stem: portuguese.Stem},
	{code: "nld", stop: "dutch", script: unicode.Latin, stem: dutch.Stem, runs: true},
	{code: "pol", stop: "polish", script: unicode.Latin, ends: slavicEnds},
	{code: "rus", stop: "russian", script: unicode.Cyrillic, stem: russian.Stem},
	{code: "tur", stop: "turkish", script: unicode.Latin, stem: turkish.Stem},
	{code: "swe", stop: "swedish", script: unicode.Latin, stem: swedish.Stem, runs: true},
	{code: "cmn", script: unicode.Han, runs: true},
	{code: "jpn", script: unicode.Han, runs: true},
	{code: "kor", script: unicode.Hangul, runs: true},
	{code: "arb", stop: "arabic", script: unicode.Arabic, stem: arabic.Stem},
	{code: "hin", stop: "hindi", script: unicode.Devanagari, ends: hindiEnds},
	{code: "ukr", script: unicode.Cyrillic, ends: cyrillicEnds},
	{code: "ces", script: unicode.Latin, ends: slavicEnds},
	{code: "hun", script: unicode.Latin, stem: hungarian.Stem, runs: true},
	{code: "fin", script: unicode.Latin, stem: finnish.Stem, runs: true},
	{code: "dan", script: unicode.Latin, stem: danish.Stem, runs: true},
	{code: "nob", script: unicode.Latin, stem: norwegian.Stem, runs: true},
	{code: "ell", script: unicode.Greek, ends: greekEnds},
	{code: "heb", stop: "hebrew", script: unicode.Hebrew, ends: hebrewEnds},
	{code: "vie", script: unicode.Latin},
	{code: "tha", script: unicode.Thai, runs: true},
	{code: "ron", script: unicode.Latin, stem: romanian.Stem},
	{code: "bul", script: unicode.Cyrillic, ends: cyrillicEnds},
	{code: "hbs", script: unicode.Latin, ends: slavicEnds},
	{code: "cat", script: unicode.Latin, ends: []string{"es", "s", "a"}},
	{code: "fas", script: unicode.Arabic, ends: []string{"هاي", "ها", "ي"}},
	{code: "ind", script: unicode.Latin, ends: []string{"nya", "kan", "an"}},
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

// LanguageTags has the tag of each language by its code.
var LanguageTags = map[string]string{
	"deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl", "pol": "pl", "rus": "ru", "tur": "tr",
	"swe": "sv", "cmn": "zh", "jpn": "ja", "kor": "ko", "arb": "ar", "hin": "hi", "ukr": "uk", "ces": "cs", "hun": "hu",
	"fin": "fi", "dan": "da", "nob": "no", "ell": "el", "heb": "he", "vie": "vi", "tha": "th", "ron": "ro", "bul": "bg",
	"hbs": "hr", "cat": "ca", "fas": "fa", "ind": "id",
}

// Languages returns the ISO 639-3 codes of the languages, by their numbers in the
// table.
func Languages() []string {
	out := make([]string, len(languageInfos))
	for i, l := range languageInfos {
		out[i] = l.code
	}
	return out
}

// Forms returns the forms of a lemma of a language under which the table has it:
// the folded lemma, and its stem if that is another.
func Forms(lang int, lemma string) []string {
	form := phrase(fold(strings.ReplaceAll(lemma, "_", " ")))
	if languageInfos[lang].script == unicode.Han || languageInfos[lang].script == unicode.Thai {
		form = strings.ReplaceAll(fold(lemma), " ", "")
	}
	if lang == 3 || lang == 2 || lang == 5 { // reflexive verbs
		form = strings.TrimPrefix(form, "se ")
	}
	if strings.Contains(form, " ") || form == "" {
		if form == "" {
			return nil
		}
		return []string{form}
	}
	if stem := stemOf(lang, form); stem != form {
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

// stemOf returns the stem of a folded word of a language, of at least three
// letters.
func stemOf(lang int, w string) string {
	l := &languageInfos[lang]
	switch {
	case l.stem != nil:
		env := snowballstem.NewEnv(w)
		l.stem(env)
		if s := env.Current(); len(s) >= 3 {
			return s
		}
	case l.code == "kor":
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

// FoldSymbol returns the first character of an emoji that says what it shows, or
// "" if it has none.
func FoldSymbol(s string) string {
	for _, r := range s {
		if classOf(r) == pictures {
			return string(r)
		}
	}
	return ""
}
