package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// lookUp finds what a word means: in any language, in the language of the text, or in English.
func (r *reader) lookUp(u *unit) {
	w := u.text
	u.stem = stemOf(r.lang, w)
	if r.translate(u, AnyLanguage, w); u.n > 0 {
		return
	}
	if r.lang == 0 {
		r.american(u, w)
	} else if r.inLanguage(u, r.lang, w); u.n > 0 {
		return
	}
	if w[0] < utf8.RuneSelf {
		r.inEnglish(u, w)
	}
}

// inLanguage adds the meanings of a word in a language, as it stands, by its stem, and without particles.
func (r *reader) inLanguage(u *unit, lang int, w string) {
	stem := stemOf(lang, w)
	if r.firstOf(u, lang, w, "~"+stem, stem) {
		return
	}
	for _, prefix := range prefixes[Languages[lang].Code] {
		if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) >= 4 && r.firstOf(u, lang, rest, StemForm(lang, rest)) {
			return
		}
	}
	r.truncated(u, lang, w)
}

// firstOf adds the meanings of the first form that has any, and reports whether one has.
func (r *reader) firstOf(u *unit, lang int, forms ...string) bool {
	return slices.ContainsFunc(forms, func(form string) bool {
		r.translate(u, lang, form)
		return u.n > 0
	})
}

// truncated adds the meanings of the longest word that w begins with, for the endings that a stemmer does not know.
func (r *reader) truncated(u *unit, lang int, w string) {
	runes := []rune(w)
	most := 2
	if slices.Contains([]string{"tur", "fin", "hun", "kor"}, Languages[lang].Code) {
		most = 7
	}
	for n := len(runes) - 1; n >= max(4, len(runes)-most); n-- {
		if begin := string(runes[:n]); r.firstOf(u, lang, begin, "~"+begin) {
			return
		}
	}
}

// american adds the meaning of the American spelling of a British word.
func (r *reader) american(u *unit, w string) {
	if len(w) < 4 {
		return
	}
	for _, rule := range spellings {
		if !strings.Contains(w, rule.british) || rule.atEnd && !strings.HasSuffix(strings.TrimSuffix(w, "s"), rule.british) {
			continue
		}
		form := strings.Replace(w, rule.british, rule.american, 1)
		if n, ok := r.t.firstEnglish(append([]string{form}, EnglishBases(form)...)); ok {
			u.add(n)
			return
		}
	}
}

// firstEnglish returns the number of the first of some words that is an English one with senses.
func (t *table) firstEnglish(words []string) (n uint16, ok bool) {
	for _, w := range words {
		if n, ok = t.english(w); ok && t.sensesOf(n) != "" {
			return n, true
		}
	}
	return 0, false
}

// spellings are the regular differences of British and American spelling.
var spellings = []struct {
	british, american string
	atEnd             bool
}{
	{"our", "or", false}, {"tre", "ter", true}, {"bre", "ber", true}, {"ise", "ize", false}, {"ising", "izing", false},
	{"isation", "ization", false}, {"yse", "yze", false}, {"ogue", "og", true}, {"lling", "ling", false},
	{"lled", "led", false}, {"ller", "ler", false}, {"llery", "lry", false}, {"mould", "mold", false},
	{"tyre", "tire", false}, {"grey", "gray", false}, {"aes", "es", false}, {"programme", "program", false},
	{"cheque", "check", false}, {"kerb", "curb", false}, {"plough", "plow", false}, {"moust", "must", false},
	{"doughnut", "donut", false}, {"pyjama", "pajama", false}, {"alumini", "alumin", false}, {"sceptic", "skeptic", false},
	{"ence", "ense", true},
}

// prefixes are particles that are written as one with the next word.
var prefixes = map[string][]string{
	"fra": {"l", "d", "j", "n", "s", "m", "qu", "t"}, "ita": {"l", "d", "dell", "all", "nell", "un", "dall", "sull"},
	"cat": {"l", "d"}, "heb": {"ה", "ב", "ל", "מ", "ו", "ש", "כ"}, "arb": {"ال", "لل", "بال", "وال", "ب", "ل", "و"},
}

func (r *reader) inEnglish(u *unit, w string) {
	if n, ok := r.t.english(w); ok {
		u.add(n)
		if r.t.sensesOf(n) != "" && !strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ing") && !strings.HasSuffix(w, "ed") {
			return
		}
	}
	bases := EnglishBases(w)
	if n, ok := r.t.firstEnglish(bases); ok {
		u.add(n)
		return
	}
	r.firstOf(u, 0, append([]string{w}, bases...)...)
}
