package match

// AnyLanguage is the code of words of the table that mean the same in every
// language that has them.
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

// readUnit makes the units that begin at a piece, and returns how many pieces
// they are.
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
		r.addUnit(u)
		return n
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
		if r.lang == 0 {
			r.correct(&u)
		}
		if u.n == 0 && r.compound(u, i) {
			return 1
		}
		if r.lang != 0 {
			r.correct(&u)
		}
	}
	r.addUnit(u)
	return 1
}

func (r *reader) isGrammar(w string) bool {
	return r.v.plain[w] || r.lang != 0 && r.t.stops(r.lang, w) || r.v.stop[r.lang][w] || r.lang != 0 && r.v.stop[0][w] && !r.t.has(r.lang, w) || len(w) == 1 || r.v.prepositions[w] && len(w) < 4
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
		if r.translate(u, AnyLanguage, text); u.n == 0 && r.lang != 0 {
			r.translate(u, r.lang, text)
		}
		if u.n == 0 && n == 2 && r.lang == 0 {
			r.joinedEnglish(u, i, text)
		}
		if u.n > 0 {
			u.text = text
			r.keepParts(u, i, n)
			return n
		}
	}
	return 1
}

// keepParts notes what the words of a name mean by themselves.
func (r *reader) keepParts(u *unit, i, n int) {
	for j := i; j < i+n && u.nParts < 2; j++ {
		p := unit{text: r.pieces[j].text}
		if r.isGrammar(p.text) {
			continue
		}
		if r.lookUp(&p); p.n > 0 {
			u.parts[u.nParts] = p.words[0]
			u.nParts++
		}
	}
}

func (r *reader) joinedEnglish(u *unit, i int, text string) {
	a, b := r.pieces[i].text, r.pieces[i+1].text
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
	}
}

// add adds a meaning, if there is room for it.
func (u *unit) add(w uint16) {
	if int(u.n) < len(u.words) && !contains16(u.meanings(), w) {
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

// addUnit adds a unit to those of the text, or to those that it is not about.
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
