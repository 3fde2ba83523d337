package match

import (
	"math/bits"
	"strings"
)

// How the hashes of the table are coded: they are divided into buckets by their first bits, and within a bucket ascend.
// Each stands as the difference from the one before, or from the beginning of the bucket less 1, as a Rice code (Rice
// 1971): a number of ones, a zero, and a number of low bits.
const (
	WordBucketBits = 11 // of the 32 bits of the hash of an English word
	WordRice       = 16
	FormHashBits   = 31 // the first ones of the hash of a form
	FormBucketBits = 14
	FormRice       = 12
	FormCountBits  = 7 // in these bits a bucket of forms begins with their number
)

// After the hashes of a bucket of forms stands what each means: a number of ones and a
// zero say how many English words, 0 if it means the same as its stem. Each is a number
// among the common words: 0 and CommonBits bits, or 1 and RareBits bits.
const (
	CommonBits = 12
	RareBits   = 15
)

// StopWord stands in place of an English word for a word that says nothing.
const StopWord = 1<<16 - 1

// bitReader reads codes, the lowest bits of a byte first. Eight bytes follow the last.
type bitReader struct {
	data string
	at   int
}

// next returns the next 57 bits or more.
func (r *bitReader) next() uint64 {
	s := r.data[r.at>>3:][:8]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return w >> (r.at & 7)
}

// search returns how many of n hashes are less than h, and whether h is there. All are read only if it is.
func (r *bitReader) search(h uint32, n, low int) (less int, found bool) {
	sum, mask := uint32(0), uint32(1)<<low-1
	for i := range n {
		w := r.next()
		ones := bits.TrailingZeros64(^w)
		r.at += ones + 1 + low
		sum += uint32(ones)<<low | uint32(w>>(ones+1))&mask
		switch {
		case sum == h+1:
			less, found = i, true
		case sum > h && !found:
			return i, false
		}
	}
	return less, found
}

func (r *bitReader) ones() int {
	n := bits.TrailingZeros64(^r.next())
	r.at += n + 1
	return n
}

// word reads the number of a common word.
func (r *bitReader) word() int {
	w := r.next()
	if w&1 == 0 {
		r.at += 1 + CommonBits
		return int(w >> 1 & (1<<CommonBits - 1))
	}
	r.at += 1 + RareBits
	return int(w >> 1 & (1<<RareBits - 1))
}

// numberOf returns the number of the English word that has a hash.
func (t *table) numberOf(h uint32) (uint16, bool) {
	const width = 32 - WordBucketBits
	bucket := 3 * int(h>>width)
	begin, end := u16(t.buckets, bucket+2), u16(t.buckets, bucket+5)
	r := bitReader{t.words, int(u16(t.buckets, bucket)) | int(u16(t.buckets, bucket+1))<<16}
	n, ok := r.search(h&(1<<width-1), int(end-begin), WordRice)
	return begin + uint16(n), ok
}

// english returns the number of an English word, in the form in which it stands in the table.
func (t *table) english(w string) (uint16, bool) { return t.numberOf(HashForm(0, w)) }

// find returns a reader of what the form that has a hash means.
func (t *table) find(h uint32) (bitReader, bool) {
	const width = FormHashBits - FormBucketBits
	h >>= 32 - FormHashBits
	r := bitReader{t.forms, int(u32(t.formStart, int(h>>width)))}
	n := int(r.next() & (1<<FormCountBits - 1))
	r.at += FormCountBits
	i, ok := r.search(h&(1<<width-1), n, FormRice)
	if !ok {
		return r, false
	}
	for range i {
		for range r.ones() {
			r.word()
		}
	}
	return r, true
}

// translate appends the English words that a form of a language means, the best first.
func (t *table) translate(out []uint16, lang int, form string) []uint16 {
	r, ok := t.find(HashForm(lang, form))
	if !ok {
		return out
	}
	n := r.ones()
	if n == 0 && lang < len(Languages) && !strings.HasPrefix(form, "~") {
		return t.translate(out, lang, StemForm(lang, form))
	}
	for range n {
		if w := u16(t.common, r.word()); w != StopWord {
			out = append(out, w)
		}
	}
	return out
}

// hasHash reports whether a form of a language has a hash.
func (t *table) hasHash(lang int, h uint32) (ok bool) {
	if lang == 0 {
		_, ok = t.numberOf(h)
	} else {
		_, ok = t.find(h)
	}
	return ok
}

// belongs returns how much a form speaks for a language: 1 for a word of its
// grammar, which says nothing, less for one that it has, if words count.
func (t *table) belongs(lang int, form string, words bool) float64 {
	r, ok := t.find(HashForm(lang, form))
	if !ok {
		return 0
	}
	for range r.ones() {
		if u16(t.common, r.word()) == StopWord {
			return 1
		}
	}
	if words {
		return 0.8
	}
	return 0
}

// stops reports whether a word says nothing in a language.
func (t *table) stops(lang int, form string) bool { return t.belongs(lang, form, false) == 1 }

// has reports whether the table has a form of a language.
func (t *table) has(lang int, form string) bool {
	var buf [4]uint16
	return len(t.translate(buf[:0], lang, form)) > 0
}

func (t *table) isAnyLanguage(form string) bool { return t.has(AnyLanguage, form) }
