package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"hearth/app/match"
)

// encode returns the table of English words.
func encode(v *vocabulary, vectors *mat.Dense, senses *senseTable, topics [][]uint16, links [][]link) []byte {
	if len(v.words) >= math.MaxUint16 || len(senses.parent) >= math.MaxUint16 {
		panic("too many words or synsets for 16 bits")
	}
	var ranks, vecs, senseNumbers, topicNumbers, linkWords, parents []byte
	var senseCounts, topicCounts, linkCounts, kinds []int
	for i := range v.words {
		ranks = append(ranks, uint8(min(255, 16*math.Log2(float64(v.rank[i]+1)))))
		vecs = append(vecs, quantise(vectors.RawRowView(i))...)
		for _, s := range senses.words[i] {
			senseNumbers = le.AppendUint16(senseNumbers, uint16(s))
		}
		for _, t := range topics[i] {
			topicNumbers = le.AppendUint16(topicNumbers, t)
		}
		for _, l := range links[i] {
			linkWords = le.AppendUint16(linkWords, uint16(l.word))
			kinds = append(kinds, int(l.kind))
		}
		senseCounts, topicCounts, linkCounts = append(senseCounts, len(senses.words[i])), append(topicCounts, len(topics[i])),
			append(linkCounts, len(links[i]))
	}
	for _, p := range senses.parent {
		parents = le.AppendUint16(parents, uint16(p))
	}
	words, buckets := encodeWords(v)
	return table(words, buckets, ranks, senses.pos, vecs, index(senseCounts), senseNumbers, parents, senses.class, index(topicCounts),
		topicNumbers,
		index(linkCounts), linkWords, pairs(kinds))
}

// encodeForeign returns the table of words of other languages.
func encodeForeign(dict []entry) []byte {
	forms, formStart, common := encodeForms(dict)
	return table(forms, formStart, common)
}

// table returns sections in the order in which package match reads them, each after its size in bytes.
func table(all ...[]byte) []byte {
	out := []byte(match.TableMagic)
	for _, s := range all {
		out = le.AppendUint32(out, uint32(len(s)))
		out = append(out, s...)
	}
	return out
}

var le = binary.LittleEndian

// quantise returns a vector in 4 bits a number, with the scale that loses least.
func quantise(vector []float64) []byte {
	level := func(x, scale float64) float64 { return max(-7.5, min(7.5, math.Floor(x/scale)+0.5)) }
	most, scale, least := 0.0, 0.0, math.Inf(1)
	for _, x := range vector {
		most = max(most, math.Abs(x))
	}
	for part := 0.3; part <= 1.01; part += 0.02 {
		lost, s := 0.0, most*part/7.5
		for _, x := range vector {
			d := x - s*level(x, s)
			lost += d * d
		}
		if lost < least {
			least, scale = lost, s
		}
	}
	out := make([]byte, len(vector)/2)
	for i, x := range vector {
		out[i/2] |= byte(level(x, scale)+7.5) << (i % 2 * 4)
	}
	return out
}

// index returns where what each word has begins, for match to find.
func index(counts []int) []byte {
	var out, positions []byte
	sum := 0
	for i, n := range counts {
		if i%match.IndexStep == 0 {
			positions = le.AppendUint32(positions, uint32(sum))
		}
		sum += n
		if n > math.MaxUint8 {
			panic("a word has too much for 8 bits")
		}
		out = append(out, byte(n))
	}
	if len(out)%match.IndexStep != 0 {
		panic("the words are no multiple of the step of an index")
	}
	return append(out, positions...)
}

// pairs returns numbers in 2 bits each.
func pairs(numbers []int) []byte {
	out := make([]byte, (len(numbers)+3)/4)
	for i, n := range numbers {
		out[i/4] |= byte(n) << (i % 4 * 2)
	}
	return out
}

// bitWriter writes codes, the lowest bits of a byte first.
type bitWriter struct {
	data []byte
	at   int
}

func (w *bitWriter) write(x uint32, bits int) {
	for ; bits > 0; bits-- {
		if w.at%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.at/8] |= byte(x&1) << (w.at % 8)
		x >>= 1
		w.at++
	}
}

func (w *bitWriter) ones(n int) {
	for range n {
		w.write(1, 1)
	}
	w.write(0, 1)
}

func (w *bitWriter) rice(x uint32, low int) {
	w.ones(int(x >> low))
	w.write(x, low)
}

// end returns what was written, and the bytes after it that a reader may touch.
func (w *bitWriter) end() []byte { return append(w.data, make([]byte, 8)...) }

// buckets calls add with the beginning of every bucket of ascending hashes, and with their differences.
func buckets(hashes []uint32, hashBits, bucketBits int, add func(first int, gaps []uint32)) {
	i, width := 0, hashBits-bucketBits
	for b := range 1 << bucketBits {
		first, last, gaps := i, uint64(b)<<width-1, []uint32{}
		for ; i < len(hashes) && int(hashes[i]>>width) == b; i++ {
			gaps = append(gaps, uint32(uint64(hashes[i])-last))
			last = uint64(hashes[i])
		}
		add(first, gaps)
	}
}

func encodeWords(v *vocabulary) (data, starts []byte) {
	var w bitWriter
	var hashes []uint32
	for _, word := range v.words {
		hashes = append(hashes, match.HashForm(0, word))
	}
	start := func(first int) { starts = le.AppendUint16(le.AppendUint32(starts, uint32(w.at)), uint16(first)) }
	buckets(hashes, 32, match.WordBucketBits, func(first int, gaps []uint32) {
		start(first)
		for _, gap := range gaps {
			w.rice(gap, match.WordRice)
		}
	})
	start(len(hashes))
	return w.end(), starts
}

// meaning is what a form means.
type meaning struct {
	form
	words []int
	as    *meaning // of its stem, if that means the same
}

// meanings returns what the forms mean by their hashes. Of two forms with one hash the first is kept.
func meanings(dict []entry) map[uint32]*meaning {
	out := map[uint32]*meaning{}
	key := func(f form) uint32 { return f.hash() >> (32 - match.FormHashBits) }
	for _, e := range dict {
		m := out[key(e.form)]
		if m == nil {
			m = &meaning{form: e.form}
			out[key(e.form)] = m
		}
		if m.form == e.form && !slices.Contains(m.words, e.word) {
			m.words = append(m.words, e.word)
		}
	}
	for _, m := range out {
		if m.lang >= len(match.Languages) || slices.Contains(m.words, match.StopWord) {
			continue
		}
		stem := form{m.lang, match.StemForm(m.lang, m.text)}
		if s := out[key(stem)]; s != nil && s != m && s.form == stem && slices.Equal(s.words, m.words) {
			m.as = s
		}
	}
	return out
}

func encodeForms(dict []entry) (data, starts, common []byte) {
	all := meanings(dict)
	times, number := map[int]int{}, map[int]int{}
	for _, m := range all {
		if m.as == nil {
			for _, word := range m.words {
				times[word]++
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(times), func(a, b int) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	for i, word := range order {
		number[word] = i
		common = le.AppendUint16(common, uint16(word))
	}
	var w bitWriter
	hashes := slices.Sorted(maps.Keys(all))
	buckets(hashes, match.FormHashBits, match.FormBucketBits, func(first int, gaps []uint32) {
		starts = le.AppendUint32(starts, uint32(w.at))
		w.write(uint32(len(gaps)), match.FormCountBits)
		for _, gap := range gaps {
			w.rice(gap, match.FormRice)
		}
		for i := range gaps {
			w.meaning(all[hashes[first+i]], number)
		}
	})
	return w.end(), starts, common
}

func (w *bitWriter) meaning(m *meaning, number map[int]int) {
	if m.as != nil {
		w.ones(0)
		return
	}
	w.ones(len(m.words))
	for _, word := range m.words {
		if n := number[word]; n < 1<<match.CommonBits {
			w.write(uint32(n)<<1, 1+match.CommonBits)
		} else {
			w.write(uint32(n)<<1|1, 1+match.RareBits)
		}
	}
}

// writeList writes the words with their ranks, for dictionaries.py.
func writeList(file string, v *vocabulary) error {
	var out []byte
	for i, word := range v.words {
		out = fmt.Appendln(out, i, word, v.rank[i])
	}
	return os.WriteFile(file, out, 0o644)
}
