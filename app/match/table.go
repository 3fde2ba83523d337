package match

import (
	_ "embed"
	"math"
	"strings"
	"sync"
)

//go:generate go -C tables run . -vectors $GLOVE -wordnet $WORDNET -cldr $CLDR -stop $STOP -dictionaries $DICTIONARIES -out ../words.bin -foreign ../foreign/words.bin

// The tables are searched in place: nothing of them is parsed or copied at the start. Package tables makes them, and
// says what they are made from. The words of other languages have a licence of their own; see foreign/LICENSE.
var (
	//go:embed words.bin
	tableData string
	//go:embed foreign/words.bin
	foreignData string
)

// What the table is made with; see package tables.
const (
	TableMagic = "hearth words 5\n"
	Dimensions = 44
)

// table is the sections of the tables, in their order. Words are numbered in the order of their hashes.
type table struct {
	words      string // hashes of English words, as codes in buckets
	buckets    string // where each bucket begins, 4 bytes for its bit and 2 for its first word
	ranks      string // 16 times the binary logarithm of the frequency rank, 1 byte
	pos        string // most frequent part of speech, 1 byte
	vectors    string // Dimensions numbers of 4 bits; of a vector only the direction counts
	senseIndex string // where the senses of a word begin
	senses     string // numbers of synsets, 2 bytes
	parents    string // hypernym by synset, 2 bytes, noParent without
	classes    string // group of siblings by synset, 1 byte, 0 without
	topicIndex string // where the topics of a word begin
	topics     string // numbers of topics, 2 bytes, with TopicThing for what is needed
	linkIndex  string // where the links of a word begin
	linkWords  string // the words that it belongs with, 2 bytes
	linkKinds  string // and how, 2 bits

	// Of foreign/words.bin:
	forms     string // hashes of forms of other languages and what they mean, as codes in buckets
	formStart string // the bit where each bucket begins, 4 bytes
	common    string // the English words that forms mean, the most frequent first, 2 bytes
}

// TopicThing marks the topics where a word is the thing that is needed.
const TopicThing = 1 << 15

// The kinds of links.
const (
	LinkDerived = iota + 1
	LinkGloss
)

const noParent = math.MaxUint16

var knowledge = sync.OnceValue(func() *table {
	t := &table{}
	readSections(tableData, &t.words, &t.buckets, &t.ranks, &t.pos, &t.vectors, &t.senseIndex, &t.senses, &t.parents, &t.classes,
		&t.topicIndex, &t.topics, &t.linkIndex, &t.linkWords, &t.linkKinds)
	readSections(foreignData, &t.forms, &t.formStart, &t.common)
	return t
})

func readSections(data string, sections ...*string) {
	rest, _ := strings.CutPrefix(data, TableMagic)
	for _, s := range sections {
		n := u32(rest, 0)
		*s, rest = rest[4:4+n], rest[4+n:]
	}
}

func u16(s string, i int) uint16 { return uint16(s[2*i]) | uint16(s[2*i+1])<<8 }
func u32(s string, i int) uint32 {
	i *= 4
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// The parts of speech in the table.
const (
	posNoun = iota + 1
	posVerb
	posAdjective
	posAdverb
)

// cosine returns the similarity of two English words from -1 to 1.
func (t *table) cosine(a, b uint16) float64 {
	const size = Dimensions / 2
	x, y := t.vectors[int(a)*size:][:size], t.vectors[int(b)*size:][:size]
	var xy, xx, yy int32
	for i := range size {
		xy += level(x[i]&15)*level(y[i]&15) + level(x[i]>>4)*level(y[i]>>4)
		xx += squares[x[i]]
		yy += squares[y[i]]
	}
	return float64(xy) / math.Sqrt(float64(xx)*float64(yy))
}

// level returns the number that 4 bits of a vector stand for, which is never 0.
func level(bits byte) int32 { return 2*int32(bits) - 15 }

// squares are the sums of the squares of the two numbers in a byte of a vector.
var squares = func() (out [256]int32) {
	for i := range out {
		x, y := level(byte(i)&15), level(byte(i)>>4)
		out[i] = x*x + y*y
	}
	return out
}()

// vector returns the vector of an English word, of length 1.
func (t *table) vector(w uint16) (out [Dimensions]float32) {
	const size = Dimensions / 2
	sum := int32(0)
	for i, b := range []byte(t.vectors[int(w)*size:][:size]) {
		out[2*i], out[2*i+1] = float32(level(b&15)), float32(level(b>>4))
		sum += squares[b]
	}
	length := float32(math.Sqrt(float64(sum)))
	for i := range out {
		out[i] /= length
	}
	return out
}

// IndexStep is after how many words an index has the position of a word: it has how
// much every word has, 1 byte, and then such positions, 4 bytes.
const IndexStep = 16

// span returns what a word has, from a position up to another.
func span(index string, w uint16) (from, to int) {
	words := len(index) * IndexStep / (IndexStep + 4)
	from = int(u32(index[words:], int(w)/IndexStep))
	for _, n := range []byte(index[int(w)/IndexStep*IndexStep : w]) {
		from += int(n)
	}
	return from, from + int(index[w])
}

// sensesOf returns the encoded senses of an English word.
func (t *table) sensesOf(w uint16) string {
	from, to := span(t.senseIndex, w)
	return t.senses[2*from : 2*to]
}

// topic returns how much two words belong to one topic: 3 if both are what is needed, 2 if one is, 1 if both are what
// it is needed for, 0 without. The topics of a word are in ascending order.
func (t *table) topic(x, y uint16) (near int) {
	if t.topicIndex[x] == 0 || t.topicIndex[y] == 0 {
		return 0
	}
	i, endI := span(t.topicIndex, x)
	j, endJ := span(t.topicIndex, y)
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
	from, to := span(t.linkIndex, x)
	for i := from; i < to; i++ {
		if u16(t.linkWords, i) == y {
			return t.linkKinds[i/4] >> (i % 4 * 2) & 3
		}
	}
	return 0
}

// anySense reports whether something holds for one of the senses of an English word.
func (t *table) anySense(w uint16, holds func(synset uint16) bool) bool {
	senses := t.sensesOf(w)
	for i := range len(senses) / 2 {
		if holds(u16(senses, i)) {
			return true
		}
	}
	return false
}

// isNoun reports whether a word is a noun in one of its common senses.
func (t *table) isNoun(w uint16) bool {
	return t.anySense(w, func(s uint16) bool { return u16(t.parents, int(s)) != noParent })
}

// isLanguage reports whether one of the meanings of a word is a language.
func (t *table) isLanguage(w uint16) bool {
	return t.anySense(w, func(s uint16) bool { return t.classes[s] == classLanguage })
}

// rarity returns how much an English word says, from 0 to 1: little if it is among the most frequent.
func (t *table) rarity(w uint16) float64 {
	log := float64(t.ranks[w]) / 16
	return min(max((log-7)/8, 0), 1)
}
