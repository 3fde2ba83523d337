package match

import (
	"slices"
	"unicode/utf8"
)

// AnyLanguage is the code of words of the table that mean the same in every language that has them.
const AnyLanguage = 201

// readUnits makes the units of the pieces that say what the text is about.
func (r *reader) readUnits() {
	clause := 0
	for i := 0; i < len(r.pieces); i++ {
		n := 1
		if !r.used[i] {
			n = r.readUnit(i, clause)
		}
		for j := range n {
			if p := r.pieces[i+j]; p.end || p.pause {
				clause++
			}
		}
		i += n - 1
		if len(r.s.units) >= r.most {
			break
		}
	}
}

// readUnit makes the units that begin at a piece, and returns how many pieces they are.
func (r *reader) readUnit(i, clause int) int {
	p := r.pieces[i]
	u := unit{text: p.text, kind: p.kind, pos: i, clause: clause}
	switch p.kind {
	case gram:
		r.readRun(u)
		return 1
	case symbol:
		if r.translate(&u, AnyLanguage, p.text); u.n == 0 {
			r.translate(&u, EmojiCode, p.text)
		}
		r.addUnit(u)
		return 1
	case number:
		r.addUnit(u)
		return 1
	}
	if n := r.joined(&u, i); n > 1 {
		if r.composed(&u, i, n) {
			r.addComposed(u, i, n)
		} else {
			r.addUnit(u)
		}
		return n
	}
	if n := r.v.numbers[p.text]; n != "" && (r.lang != 0 || r.v.plain[p.text]) {
		u.text, u.kind = n, number
		r.addUnit(u)
		return 1
	}
	if r.isGrammar(p.text) {
		if r.v.plain[p.text] {
			r.lookUp(&u)
			if r.negated[i] {
				r.addUnit(u)
			} else {
				u.runes = []rune(u.text)
				r.s.plain = append(r.s.plain, u)
			}
		}
		return 1
	}
	if r.lookUp(&u); u.n == 0 {
		r.readUnknown(u, i)
	} else {
		r.addUnit(u)
	}
	return 1
}

// readUnknown makes the units of a word that nobody knows.
func (r *reader) readUnknown(u unit, i int) {
	if r.lang == 0 {
		if r.slipOfPlain(u.text) {
			return
		}
		r.correct(&u)
	}
	if u.n == 0 && r.compound(u, i) {
		return
	}
	if r.lang != 0 {
		r.correct(&u)
	}
	r.addUnit(u)
}

func (r *reader) isGrammar(w string) bool {
	switch {
	case r.v.plain[w], r.v.stop[r.lang][w], len(w) == 1, r.v.prepositions[w] && utf8.RuneCountInString(w) < 4:
		return true
	case r.lang == 0:
		return false
	}
	return r.t.stops(r.lang, w) || r.v.stop[0][w] && !r.t.has(r.lang, w)
}

// joined makes a unit of two or three pieces that are one name, such as "washing
// machine", or one word written apart, such as "lap top".
func (r *reader) joined(u *unit, i int) int {
	for n := min(3, len(r.pieces)-i); n > 1; n-- {
		text := r.pieces[i].text
		whole := true
		for j := i + 1; j < i+n; j++ {
			whole = whole && r.pieces[j].kind == word && !r.pieces[j-1].pause && !r.pieces[j-1].end && !r.used[j]
			text += " " + r.pieces[j].text
		}
		if !whole {
			continue
		}
		if r.translate(u, AnyLanguage, text); u.n == 0 && (r.lang != 0 || n == 3) {
			r.translate(u, r.lang, text)
		}
		if u.n == 0 && n == 2 && r.lang == 0 {
			r.joinedEnglish(u, i, text)
		}
		if u.n > 0 {
			u.text = text
			return n
		}
	}
	return 1
}

// composed reports whether a name of n English words is a kind of what its last word means: a living room is a room, but
// a hot dog is no dog.
func (r *reader) composed(u *unit, i, n int) bool {
	if r.lang != 0 || r.t.isAnyLanguage(u.text) {
		return false
	}
	var parts []uint16 // what the words mean by themselves
	for _, p := range r.pieces[i : i+n] {
		if part := (unit{text: p.text}); !r.isGrammar(p.text) {
			r.lookUp(&part)
			parts = append(parts, part.words[:min(part.n, 1)]...)
		}
	}
	if len(parts) < 2 || n == 3 {
		return len(parts) >= 2
	}
	senses := r.t.sensesOf(u.words[0])
	return senses == "" || r.t.anySense(parts[1], func(s uint16) bool { return r.t.under(u16(senses, 0), s, anySteps) })
}

// addComposed adds the n words of a name apart. The last one also has the meaning of the name.
func (r *reader) addComposed(u unit, i, n int) {
	for j := i; j < i+n; j++ {
		part := unit{text: r.pieces[j].text, kind: word, pos: j, clause: u.clause}
		if r.isGrammar(part.text) && j < i+n-1 {
			continue
		}
		r.lookUp(&part)
		if j == i+n-1 {
			part.add(u.words[0])
		}
		r.addUnit(part)
	}
}

func (r *reader) joinedEnglish(u *unit, i int, text string) {
	a, b := r.pieces[i].text, r.pieces[i+1].text
	if r.v.numbers[a] != "" {
		return // two weeks
	}
	if r.isGrammar(a) && !r.v.plain[a] || r.isGrammar(b) && !r.v.plain[b] {
		return
	}
	last := append([]string{b}, EnglishBases(b)...)
	for _, b := range last {
		if w, ok := r.t.english(a + "_" + b); ok {
			u.add(w)
			return
		}
	}
	if r.v.plain[a] || r.v.plain[b] || len(a) < 3 || len(b) < 3 {
		return
	}
	for _, b := range last {
		if w, ok := r.t.english(a + b); ok && r.t.sensesOf(w) != "" {
			u.add(w)
			return
		}
		if r.translate(u, 0, a+b); u.n > 0 {
			return
		}
	}
}

// add adds a meaning, if there is room for it.
func (u *unit) add(w uint16) {
	if int(u.n) < len(u.words) && !slices.Contains(u.meanings(), w) {
		u.words[u.n] = w
		u.n++
		u.sure = u.n
	}
}

func (r *reader) translate(u *unit, lang int, form string) {
	var buf [8]uint16
	for _, w := range r.t.translate(buf[:0], lang, form) {
		u.add(w)
	}
}

// addUnit adds a unit to the units of the text, or to the units that it is not about.
func (r *reader) addUnit(u unit) {
	if u.stem == "" {
		u.stem = u.text
	}
	u.runes = []rune(u.text)
	if r.negated[u.pos] {
		r.s.negated = append(r.s.negated, u)
		return
	}
	if len(r.s.units) < r.most {
		r.s.units = append(r.s.units, u)
	}
}
