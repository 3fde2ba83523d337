package match

import (
	"slices"
	"strconv"
)

// markHeads marks what the phrases are about: in each clause the last noun of the
// words before a preposition. The head of a sofa cover is the cover.
func (r *reader) markHeads() {
	units := r.s.units
	for i := 0; i < len(units); {
		j := i + 1
		for j < len(units) && units[j].clause == units[i].clause && !r.brokenBetween(units[j-1].pos, units[j].pos) {
			j++
		}
		r.markPhrase(units[i:j])
		clause := units[i].clause
		for i = j; i < len(units) && units[i].clause == clause; {
			i++
		}
	}
	for i := range units {
		units[i].first = units[i].head && units[i].clause == units[0].clause
	}
}

func (r *reader) markPhrase(units []unit) {
	first, last := -1, -1
	for i := range units {
		if units[i].kind == number {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if last < 0 {
		return
	}
	last = r.lastNoun(units[:last+1], first)
	units[last].head = true
	if last > first && r.generic(&units[last]) && r.t.nounLike(&units[last-1]) && units[last-1].kind != number { // "soap bars"
		units[last-1].head = true
	}
	for i := range last { // "knives and scissors"
		if r.andBetween(units[i].pos, units[i+1].pos) {
			units[i].head = true
		}
	}
}

// generic reports whether a word says little of what it names.
func (r *reader) generic(u *unit) bool {
	for _, w := range u.meanings() {
		if r.v.generic[w] && r.v.frames[w] == noFrame {
			return true
		}
	}
	return false
}

// lastNoun returns the last unit that names a thing, the first one without any: a noun before a verb, which in some
// languages stands behind it. A word that no dictionary has names a thing in English; in other languages it is more
// often a form of a verb or an adjective, so a known noun goes first.
func (r *reader) lastNoun(units []unit, first int) int {
	noun := -1
	for i := len(units) - 1; i >= first; i-- {
		u := &units[i]
		if u.kind == number || !r.t.nounLike(u) {
			continue
		}
		if u.n == 0 && r.lang != 0 {
			noun = max(noun, i)
			continue
		}
		if u.n == 0 || r.t.pos[u.words[0]] <= posNoun || r.v.frames[u.words[0]] != noFrame {
			return i
		}
		noun = max(noun, i)
	}
	return max(noun, first)
}

// nounLike reports whether a unit may name a thing.
func (t *table) nounLike(u *unit) bool {
	return u.n == 0 || t.pos[u.words[0]] <= posNoun || t.pos[u.words[0]] == posVerb
}

// brokenBetween reports whether a preposition stands between two pieces.
func (r *reader) brokenBetween(i, j int) bool {
	return slices.ContainsFunc(r.pieces[i+1:max(j, i+1)], func(p piece) bool { return r.v.prepositions[p.text] && !r.v.of[p.text] })
}

func (r *reader) andBetween(i, j int) bool {
	return slices.ContainsFunc(r.pieces[i+1:max(j, i+1)], func(p piece) bool { return r.v.and[p.text] })
}

// weigh gives the units their weights and classes. Rare words say more than frequent ones, the first clause more than
// the others, and heads more than what describes them.
func (r *reader) weigh() {
	s, t := r.s, r.t
	for i := range s.units {
		u := &s.units[i]
		t.classify(u, r.v)
		r.addFrame(u)
		u.place = u.class == classCity || r.isPlace(u)
		u.weight = weightOf(u, t)
		if u.head {
			u.weight *= tuning.head
		}
		if u.clause > 0 {
			u.weight *= tuning.aside
		}
		if i > 0 && s.units[i-1].clause == u.clause {
			u.beside(&s.units[i-1])
		}
		if u.place {
			s.places = append(s.places, u.name())
			u.weight *= tuning.place
		}
		s.total += u.weight
	}
	for i := range s.negated {
		t.classify(&s.negated[i], r.v)
	}
	for i := range s.plain {
		t.classify(&s.plain[i], r.v)
	}
}

// beside notes the number that one of two units is, which stand side by side, at the other.
func (u *unit) beside(before *unit) {
	if u.kind == number && before.kind != number {
		before.number, _ = strconv.Atoi(u.text)
	}
	if u.kind != number && before.kind == number && u.number == 0 {
		u.number, _ = strconv.Atoi(before.text)
	}
}

// compounding are German, Dutch and Swedish.
var compounding = []int{1, 6, 10}

// addFrame notes what is done with a thing by the end of a compound that the
// dictionaries have as one word, as in Gitarrenunterricht.
func (r *reader) addFrame(u *unit) {
	if u.kind != word || u.frame != noFrame || !slices.Contains(compounding, r.lang) {
		return
	}
	const leastStart, leastEnd = 3, 5
	for i := range u.text {
		if i < leastStart || i+leastEnd > len(u.text) {
			continue
		}
		var buf [4]uint16
		for _, w := range r.t.translate(buf[:0], r.lang, u.text[i:]) {
			if f := r.v.frames[w]; f != noFrame {
				u.frame = f
				return
			}
		}
	}
}

// name returns what tells a place from others, in any language.
func (u *unit) name() string {
	if u.n > 0 && u.sure > 0 {
		return string([]byte{byte(u.words[0]), byte(u.words[0] >> 8)})
	}
	return u.stem
}

// isPlace reports whether a unit is a name that follows a word such as "in" or
// "from", or another such name. German nouns all have capitals.
func (r *reader) isPlace(u *unit) bool {
	if !r.proper[u.text] || u.class == classLanguage || r.lang == 1 && u.n > 0 {
		return false
	}
	if last := len(r.pieces) - 1; u.pos > 0 && r.pieces[u.pos-1].pause && u.pos == last {
		return true // "…, Cork"
	}
	for i := u.pos - 1; i >= 0; i-- {
		switch w := r.pieces[i].text; {
		case r.v.where[w]:
			return true
		case !r.proper[w] || r.pieces[i].pause || r.pieces[i].end:
			return false
		}
	}
	return false
}

// weightOf returns how much a unit says by itself.
func weightOf(u *unit, t *table) float64 {
	switch {
	case u.kind == number:
		return tuning.number
	case u.kind == gram:
		return tuning.gram
	case u.n == 0:
		return tuning.unknown
	case u.class == classLanguage:
		return 1
	case u.frame != noFrame:
		return tuning.frame
	case u.generic:
		return tuning.generic
	}
	w := tuning.least + (1-tuning.least)*t.rarity(u.words[0])
	switch t.pos[u.words[0]] {
	case posVerb:
		w *= tuning.verb
	case posAdjective:
		w *= tuning.adjective
	case posAdverb:
		w *= tuning.adverb
	}
	return w
}

// The classes of the table that matching treats apart; see package tables.
const (
	classLanguage = 1
	classCity     = 5
	ClassPerson   = 100 // of people, who do not exclude each other
)

// classify sets what kind of thing a unit is.
func (t *table) classify(u *unit, v *vocabulary) {
	for _, w := range u.meanings() {
		if f := v.frames[w]; f != noFrame {
			u.frame = f
			break
		}
	}
	if u.n == 0 {
		return
	}
	if senses := t.sensesOf(u.words[0]); senses != "" {
		u.class = t.classes[u16(senses, 0)]
		u.person = u.class == ClassPerson
	}
	u.verb = t.pos[u.words[0]] > posNoun && !(t.pos[u.words[0]] == posVerb && t.isNoun(u.words[0]))
	for _, w := range u.meanings() {
		u.age |= v.ages[w]
	}
	if u.age&(young|grown) == young|grown {
		u.age = v.ages[u.words[0]]
	}
	if t.isLanguage(u.words[0]) {
		u.class = classLanguage
	}
	u.generic = u.frame != noFrame && u.frame != care || v.generic[u.words[0]] || u.n == 2 && v.generic[u.words[1]]
}
