package match

// correct gives a word that nobody knows the meaning of the most frequent word
// that it is one slip away from: a letter too few, too many, wrong, or swapped
// with the next (Damerau 1964; Norvig's spelling corrector). At most three words
// of a text are corrected.
func (r *reader) correct(u *unit) {
	w := []rune(u.text)
	if len(w) < 4 || len(w) > 16 || r.unknown >= 3 {
		return
	}
	letters := alphabetOf(w[0])
	if letters == nil {
		return
	}
	r.unknown++
	best := unit{}
	var bestText string
	try := func(form []rune) {
		c := unit{text: string(form)}
		if r.lang == 0 {
			if n, ok := r.t.english(c.text); ok && r.t.sensesOf(n) != "" {
				c.add(n)
			}
		} else if r.translate(&c, r.lang, c.text); c.n == 0 {
			return
		}
		if c.n == 0 || r.t.sensesOf(c.words[0]) == "" {
			return
		}
		if best.n == 0 || r.t.ranks[c.words[0]] < r.t.ranks[best.words[0]] {
			best, bestText = c, c.text
		}
	}
	edits(w, letters, try)
	if best.n > 0 {
		u.words, u.n, u.sure = best.words, best.n, 0
		u.stem = stemOf(r.lang, bestText)
	}
}

// edits calls try for every form that is one slip away, except a wrong first
// letter.
func edits(w []rune, letters []rune, try func([]rune)) {
	buf := make([]rune, 0, len(w)+1)
	for i := 1; i <= len(w); i++ {
		if i < len(w) && len(w) > 4 {
			try(append(append(buf[:0], w[:i]...), w[i+1:]...))
			if i+1 < len(w) && w[i] != w[i+1] {
				buf = append(buf[:0], w...)
				buf[i], buf[i+1] = buf[i+1], buf[i]
				try(buf)
			}
		}
		for _, c := range letters {
			try(append(append(append(buf[:0], w[:i]...), c), w[i:]...))
			if len(w) > 4 && i < len(w) && w[i] != c {
				buf = append(buf[:0], w...)
				buf[i] = c
				try(buf)
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
