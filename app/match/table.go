package match

import (
	_ "embed"
	"math"
	"strings"
	"sync"
)

//go:generate go run ./tables -vectors $GLOVE -wordnet $WORDNET -cldr $CLDR -stop $STOP -dictionaries $DICTIONARIES -out words.bin

// words.bin is searched in place: nothing of it is parsed or copied at the start.
// Package tables makes it, and says what it is made from.
//
//go:embed words.bin
var tableData string

// What the table is made with; see package tables.
const (
	TableMagic      = "hearth words 3\n"
	Dimensions      = 64
	VectorScale     = 220
	ClustersPerWord = 3
)

// table is the sections of words.bin, in their order. Words are numbered in the
// order of their hashes.
type table struct {
	hashes     string // of English words, ascending, 4 bytes each
	ranks      string // 16 times the binary logarithm of the frequency rank, 1 byte
	pos        string // most frequent part of speech, 1 byte
	vectors    string // Dimensions signed bytes
	clusters   string // ClustersPerWord numbers of 2 bytes
	senseStart string // where the senses of a word begin, 4 bytes, one more than words
	senses     string // numbers of synsets, 2 bytes
	parents    string // hypernym by synset, 2 bytes, noParent without
	classes    string // group of siblings by synset, 1 byte, 0 without
	topicStart string // where the topics of a word begin, 2 bytes, one more than words
	topics     string // numbers of topics, 2 bytes, with TopicThing for what is needed
	linkStart  string // where the links of a word begin, 4 bytes, one more than words
	linkWords  string // the words that it belongs with, 2 bytes
	linkKinds  string // and how, 1 byte
	forms      string // hashes of words of other languages, ascending, 4 bytes
	formLangs  string // their languages, 1 byte
	formWords  string // the English words that they mean, 2 bytes
	letters    string // bits of groups of three letters by language, 1 byte
}

// TopicThing marks the topics of which a word is what is needed.
const TopicThing = 1 << 15

// The kinds of links.
const (
	LinkDerived = iota + 1
	LinkPart
	LinkGloss
)

const noParent = math.MaxUint16

var knowledge = sync.OnceValue(func() *table {
	t := &table{}
	rest, ok := strings.CutPrefix(tableData, TableMagic)
	if !ok {
		return t
	}
	for _, s := range []*string{&t.hashes, &t.ranks, &t.pos, &t.vectors, &t.clusters, &t.senseStart, &t.senses, &t.parents, &t.classes, &t.topicStart, &t.topics, &t.linkStart, &t.linkWords, &t.linkKinds, &t.forms, &t.formLangs, &t.formWords, &t.letters} {
		n := u32(rest, 0)
		*s, rest = rest[4:4+n], rest[4+n:]
	}
	return t
})

func u16(s string, i int) uint16 { return uint16(s[2*i]) | uint16(s[2*i+1])<<8 }
func u32(s string, i int) uint32 {
	i *= 4
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// first returns the position of the first of the ascending hashes that is not
// less than h. Hashes are spread evenly, so the search begins near the place.
func first(hashes string, h uint32) int {
	n := len(hashes) / 4
	lo, hi := 0, n
	guess := int(uint64(h) * uint64(n) >> 32)
	for step := 64; ; step *= 4 {
		if a := guess - step; a > lo && u32(hashes, a) < h {
			lo = a
			break
		} else if a <= lo {
			break
		}
	}
	for step := 64; ; step *= 4 {
		if b := guess + step; b < hi && u32(hashes, b) >= h {
			hi = b
			break
		} else if b >= hi {
			break
		}
	}
	for lo < hi {
		m := (lo + hi) / 2
		if u32(hashes, m) < h {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// english returns the number of an English word, in the form in which it stands
// in the table.
func (t *table) english(w string) (uint16, bool) {
	h := HashForm(0, w)
	i := first(t.hashes, h)
	return uint16(i), i < len(t.hashes)/4 && u32(t.hashes, i) == h
}

// translate appends the English words that a form of a language means, the best
// first.
func (t *table) translate(out []uint16, lang int, form string) []uint16 {
	h := HashForm(lang, form)
	for i := first(t.forms, h); i < len(t.formLangs) && u32(t.forms, i) == h; i++ {
		if t.formLangs[i] == byte(lang) && u16(t.formWords, i) != StopWord {
			out = append(out, u16(t.formWords, i))
		}
	}
	return out
}

// hasHash reports whether a form of a language has a hash.
func (t *table) hasHash(lang int, h uint32) bool {
	if lang == 0 {
		i := first(t.hashes, h)
		return i < len(t.hashes)/4 && u32(t.hashes, i) == h
	}
	for i := first(t.forms, h); i < len(t.formLangs) && u32(t.forms, i) == h; i++ {
		if t.formLangs[i] == byte(lang) {
			return true
		}
	}
	return false
}

// StopWord stands in place of an English word for a word that says nothing.
const StopWord = math.MaxUint16

// stops reports whether a word says nothing in a language.
func (t *table) stops(lang int, form string) bool {
	h := HashForm(lang, form)
	for i := first(t.forms, h); i < len(t.formLangs) && u32(t.forms, i) == h; i++ {
		if t.formLangs[i] == byte(lang) && u16(t.formWords, i) == StopWord {
			return true
		}
	}
	return false
}

// belongs returns how much a form speaks for a language: 1 for a word of its
// grammar, less for one that it has, if words count.
func (t *table) belongs(lang int, form string, words bool) (score float64) {
	h := HashForm(lang, form)
	for i := first(t.forms, h); i < len(t.formLangs) && u32(t.forms, i) == h; i++ {
		if t.formLangs[i] != byte(lang) {
			continue
		}
		if u16(t.formWords, i) == StopWord {
			return 1
		}
		if words {
			score = 0.8
		}
	}
	return score
}

// has reports whether the table has a form of a language.
func (t *table) has(lang int, form string) bool {
	var buf [4]uint16
	return len(t.translate(buf[:0], lang, form)) > 0
}

func (t *table) isAnyLanguage(form string) bool { return t.has(AnyLanguage, form) }

// The parts of speech in the table.
const (
	posNoun = iota + 1
	posVerb
	posAdjective
	posAdverb
)

// cosine returns the similarity of two English words from -1 to 1.
func (t *table) cosine(a, b uint16) float64 {
	x, y := t.vectors[int(a)*Dimensions:][:Dimensions], t.vectors[int(b)*Dimensions:][:Dimensions]
	sum := int32(0)
	for i := range Dimensions {
		sum += int32(int8(x[i])) * int32(int8(y[i]))
	}
	return float64(sum) / (VectorScale * VectorScale)
}

// sensesOf returns the encoded senses of an English word.
func (t *table) sensesOf(w uint16) string {
	return t.senses[2*u32(t.senseStart, int(w)) : 2*u32(t.senseStart, int(w)+1)]
}

// topic returns how much two words belong to one topic: 3 if both are what is
// needed, 2 if one is, 1 if both are what it is needed for, 0 without. The topics
// of a word are in ascending order.
func (t *table) topic(x, y uint16) (near int) {
	i, endI := int(u16(t.topicStart, int(x))), int(u16(t.topicStart, int(x)+1))
	j, endJ := int(u16(t.topicStart, int(y))), int(u16(t.topicStart, int(y)+1))
	for i < endI && j < endJ {
		a, b := u16(t.topics, i), u16(t.topics, j)
		switch p, q := a&^TopicThing, b&^TopicThing; {
		case p < q:
			i++
		case p > q:
			j++
		default:
			near = max(near, 1+int(a>>15)+int(b>>15))
			i++
			j++
		}
	}
	return near
}

// link returns the kind of a link from one word to another, or 0.
func (t *table) link(x, y uint16) byte {
	for i := u32(t.linkStart, int(x)); i < u32(t.linkStart, int(x)+1); i++ {
		if u16(t.linkWords, int(i)) == y {
			return t.linkKinds[i]
		}
	}
	return 0
}

// isCity reports whether a word names a city before anything else.
func (t *table) isCity(w uint16) bool {
	senses := t.sensesOf(w)
	return senses != "" && t.classes[u16(senses, 0)] == classCity && t.pos[w] <= posNoun
}

// isNoun reports whether a word is a noun in one of its common senses.
func (t *table) isNoun(w uint16) bool {
	senses := t.sensesOf(w)
	for i := range len(senses) / 2 {
		if u16(t.parents, int(u16(senses, i))) != noParent {
			return true
		}
	}
	return false
}

// isLanguage reports whether one of the meanings of a word is a language.
func (t *table) isLanguage(w uint16) bool {
	senses := t.sensesOf(w)
	for i := range len(senses) / 2 {
		if t.classes[u16(senses, i)] == classLanguage {
			return true
		}
	}
	return false
}

// rarity returns how much an English word says, from 0 to 1: little if it is
// among the most frequent.
func (t *table) rarity(w uint16) float64 {
	log := float64(t.ranks[w]) / 16
	return min(max((log-7)/8, 0), 1)
}
