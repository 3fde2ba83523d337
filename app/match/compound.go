package match

import (
	"strings"
	"unicode"
)

// compound adds the two parts of a compound word that the table does not have as
// one, and reports whether there are such parts.
func (r *reader) compound(u unit, i int) bool {
	w := u.text
	if len(w) < 7 || len(w) > 40 || r.proper[w] && r.lang != 1 { // German nouns all have capitals
		return false
	}
	if r.lang != 0 && !Languages[r.lang].runs {
		return false
	}
	a, b, ok := r.parts(w, r.lang)
	if ok {
		a.pos, b.pos, a.clause, b.clause, a.kind, b.kind = i, i, u.clause, u.clause, word, word
		r.addUnit(a)
		b.head = true
		r.addUnit(b)
	}
	return ok
}

// parts divides a compound into two words of a language, the second as long as
// can be, with or without a letter or two between them.
func (r *reader) parts(w string, lang int) (a, b unit, ok bool) {
	least := 3
	if lang == languageKorean {
		least = 1
	}
	for at := range w {
		if len([]rune(w[:at])) < least || len([]rune(w[at:])) < least && lang != languageKorean {
			continue
		}
		b = unit{text: w[at:]}
		if len(b.text) == 3 && lang != languageKorean && !r.t.isAnyLanguage(b.text) {
			continue
		}
		if r.partMeaning(&b, lang, false); b.n == 0 {
			continue
		}
		for _, joint := range joints {
			first, found := strings.CutSuffix(w[:at], joint)
			if !found || len([]rune(first)) < least {
				continue
			}
			a = unit{text: first}
			if r.partMeaning(&a, lang, true); a.n > 0 {
				return a, b, true
			}
		}
	}
	return a, b, false
}

var (
	joints         = []string{"", "s", "n", "en", "es", "er", "e"}
	languageKorean = 13
)

func (r *reader) partMeaning(u *unit, lang int, begins bool) {
	u.stem = stemOf(lang, u.text)
	if r.translate(u, AnyLanguage, u.text); u.n > 0 {
		return
	}
	if lang == 0 {
		for _, form := range []string{u.text, strings.TrimSuffix(u.text, "s")} {
			if n, ok := r.t.english(form); ok && len(form) >= 3 && (len(form) >= 4 || begins) && u.n == 0 {
				u.add(n)
			}
		}
		if u.n > 0 && (r.t.sensesOf(u.words[0]) == "" || r.v.plain[u.text]) {
			u.n = 0
		}
		return
	}
	r.firstOf(u, lang, u.text, "~"+u.stem)
}

// readRun divides a run of a script without spaces into the longest words that
// the table has (maximum matching), and what is left into pairs of characters.
func (r *reader) readRun(u unit) {
	run := []rune(u.text)
	langs := []int{r.lang}
	if Languages[r.lang].Code == "cmn" {
		langs = append(langs, r.lang+1)
	}
	var rest []rune
	flush := func() {
		r.addRest(u, rest)
		rest = rest[:0]
	}
	for i := 0; i < len(run) && len(r.s.units) < r.most; {
		n := 0
		for k := min(8, len(run)-i); k > 0 && n == 0; k-- {
			w := unit{text: string(run[i : i+k]), kind: word, pos: u.pos, clause: u.clause}
			r.translate(&w, AnyLanguage, w.text)
			for _, lang := range langs {
				if w.n == 0 && (k > 1 || unicode.Is(unicode.Han, run[i]) && !commonHan(run[i])) {
					r.translate(&w, lang, w.text)
				}
			}
			if k <= 4 && w.n == 0 && r.t.stops(langs[0], w.text) && !(k == 1 && onlyKana(run[i:i+1])) {
				flush()
				n = k
				continue
			}
			if w.n > 0 && !(k < 3 && onlyKana(run[i:i+k])) {
				flush()
				r.addUnit(w)
				n = k
			}
		}
		if n == 0 {
			rest = append(rest, run[i])
			n = 1
		}
		i += n
	}
	flush()
}

func (r *reader) addRest(u unit, rest []rune) {
	if len(rest) == 0 || onlyKana(rest) && len(rest) < 4 {
		return
	}
	if len(rest) == 1 {
		if !commonHan(rest[0]) {
			u.text, u.kind = string(rest), gram
			r.addUnit(u)
		}
		return
	}
	for i := 0; i+2 <= len(rest); i++ {
		if onlyKana(rest[i : i+2]) {
			continue
		}
		u.text, u.kind = string(rest[i:i+2]), gram
		r.addUnit(u)
	}
}

func onlyKana(rs []rune) bool {
	for _, c := range rs {
		if c < 'ぁ' || c > 'ゟ' {
			return false
		}
	}
	return true
}

func commonHan(c rune) bool {
	return strings.ContainsRune("的是吗你们我您在了有什么怎请问可以吧呢能要会这那哪里个和不想用何時点到人一二三四五六七八九十大小上下中来去出生年月日子方本国家做买卖新老好多少", c)
}
