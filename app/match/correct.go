package match

import "unicode/utf8"

// correct gives a word that nobody knows the meaning of the most frequent word that it is one slip away from: a letter
// too few, too many, wrong, or swapped with the next (Damerau 1964; Norvig's spelling corrector). At most three words
// of a text are corrected. It returns that word, "" without.
func (r *reader) correct(u *unit) (corrected string) {
	w := []rune(u.text)
	if len(w) < 4 || len(w) > 16 || r.unknown >= 3 {
		return ""
	}
	letters := alphabetOf(w[0])
	if letters == nil {
		return ""
	}
	r.unknown++
	best := unit{}
	var bestText string
	prefixes := make([]uint32, len(w)+1) // hashes of what w begins with
	prefixes[0] = hashByte(fnvBasis, byte(r.lang))
	for i, c := range w {
		prefixes[i+1] = hashRune(prefixes[i], c)
	}
	edits(w, letters, func(e edit) {
		h := prefixes[e.from]
		for _, c := range e.with[:e.n] {
			h = hashRune(h, c)
		}
		for _, c := range w[e.to:] {
			h = hashRune(h, c)
		}
		if !r.t.hasHash(r.lang, h) {
			return
		}
		c := unit{text: string(w[:e.from]) + string(e.with[:e.n]) + string(w[e.to:])}
		if r.lang == 0 {
			if n, ok := r.t.english(c.text); ok {
				c.add(n)
			}
		} else {
			r.translate(&c, r.lang, c.text)
		}
		if c.n == 0 || r.t.sensesOf(c.words[0]) == "" {
			return
		}
		if best.n == 0 || r.t.ranks[c.words[0]] < r.t.ranks[best.words[0]] {
			best, bestText = c, c.text
		}
	})
	if best.n > 0 {
		u.words, u.n, u.sure = best.words, best.n, 0
		u.stem = stemOf(r.lang, bestText)
	}
	return bestText
}

// slipOfPlain reports whether a word that nobody knows is one slip away from a word
// of requests or of grammar. At most three words of a text are tried.
func (r *reader) slipOfPlain(w string) (found bool) {
	runes := []rune(w)
	if len(runes) < 4 || len(runes) > 12 || alphabetOf(runes[0]) == nil || r.slips == 3 {
		return false
	}
	r.slips++
	form := make([]byte, 0, 64)
	edits(runes, latinLetters, func(e edit) {
		if found {
			return
		}
		form = form[:0]
		for _, part := range [][]rune{runes[:e.from], e.with[:e.n], runes[e.to:]} {
			for _, c := range part {
				form = utf8.AppendRune(form, c)
			}
		}
		found = r.v.plain[string(form)] || r.v.stop[0][string(form)]
	})
	return found
}

// edit puts up to two letters in place of the letters of a word between two positions.
type edit struct {
	from, to int
	with     [2]rune
	n        int
}

// edits calls try for every form of a word that is one slip away, except a wrong first letter.
func edits(w []rune, letters []rune, try func(edit)) {
	for i := 1; i <= len(w); i++ {
		inside := i < len(w) && len(w) > 4
		if inside {
			try(edit{from: i, to: i + 1})
			if i+1 < len(w) && w[i] != w[i+1] {
				try(edit{from: i, to: i + 2, with: [2]rune{w[i+1], w[i]}, n: 2})
			}
		}
		for _, c := range letters {
			try(edit{from: i, to: i, with: [2]rune{c}, n: 1})
			if inside && w[i] != c {
				try(edit{from: i, to: i + 1, with: [2]rune{c}, n: 1})
			}
		}
	}
}

var (
	latinLetters    = []rune("abcdefghijklmnopqrstuvwxyz")
	cyrillicLetters = []rune("абвгдежзиклмнопрстуфхцчшщъыьэюя")
)

func alphabetOf(c rune) []rune {
	switch {
	case c >= 'a' && c <= 'z':
		return latinLetters
	case c >= 'а' && c <= 'я':
		return cyrillicLetters
	}
	return nil
}
