package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"

	"hearth/app/match"
)

// encode writes the sections of the table in the order in which package match
// reads them, each after its size in bytes.
func encode(v *vocabulary, vectors [][]float32, clusters [][match.ClustersPerWord]uint16, senses *senseTable, topics [][]uint16, links [][]link, dict []entry, letters []byte) []byte {
	le := binary.LittleEndian
	out := []byte(match.TableMagic)
	section := func(data []byte) {
		out = le.AppendUint32(out, uint32(len(data)))
		out = append(out, data...)
	}
	var hashes, ranks, vecs, near, starts, numbers []byte
	for i, w := range v.words {
		hashes = le.AppendUint32(hashes, match.HashForm(0, w))
		ranks = append(ranks, uint8(min(255, 16*math.Log2(float64(v.rank[i]+1)))))
		for _, x := range vectors[i] {
			vecs = append(vecs, byte(int8(max(-127, min(127, math.Round(float64(x)*match.VectorScale))))))
		}
		for _, c := range clusters[i] {
			near = le.AppendUint16(near, c)
		}
		starts = le.AppendUint32(starts, uint32(len(numbers)/2))
		for _, s := range senses.words[i] {
			numbers = le.AppendUint16(numbers, uint16(s))
		}
	}
	starts = le.AppendUint32(starts, uint32(len(numbers)/2))
	var parents []byte
	for _, p := range senses.parent {
		parents = le.AppendUint16(parents, uint16(p))
	}
	for _, s := range [][]byte{hashes, ranks, senses.pos, vecs, near, starts, numbers, parents, senses.class} {
		section(s)
	}
	if len(v.words) >= math.MaxUint16 || len(senses.synsets) >= math.MaxUint16 {
		panic("too many words or synsets for 16 bits")
	}
	var topicStarts, topicNumbers, linkStarts, linkWords, linkKinds []byte
	for i := range v.words {
		topicStarts = le.AppendUint16(topicStarts, uint16(len(topicNumbers)/2))
		for _, t := range topics[i] {
			topicNumbers = le.AppendUint16(topicNumbers, t)
		}
		linkStarts = le.AppendUint32(linkStarts, uint32(len(linkKinds)))
		for _, l := range links[i] {
			linkWords = le.AppendUint16(linkWords, uint16(l.word))
			linkKinds = append(linkKinds, l.kind)
		}
	}
	topicStarts = le.AppendUint16(topicStarts, uint16(len(topicNumbers)/2))
	linkStarts = le.AppendUint32(linkStarts, uint32(len(linkKinds)))
	for _, s := range [][]byte{topicStarts, topicNumbers, linkStarts, linkWords, linkKinds} {
		section(s)
	}
	slices.SortStableFunc(dict, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	var forms, langs, words []byte
	for i, e := range dict {
		if i > 0 && dict[i-1].hash == e.hash && dict[i-1].word == e.word {
			continue
		}
		forms = le.AppendUint32(forms, e.hash)
		langs = append(langs, e.lang)
		words = le.AppendUint16(words, uint16(e.word))
	}
	section(forms)
	section(langs)
	section(words)
	section(letters)
	return out
}

// writeList writes the words as text.
func writeList(file string, v *vocabulary, dict []entry) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i, word := range v.words {
		fmt.Fprintln(w, i, word, v.rank[i])
	}
	for _, e := range dict {
		fmt.Fprintln(w, match.Languages()[min(int(e.lang), len(match.Languages())-1)], e.form, nameOf(v, e.word))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func nameOf(v *vocabulary, word int) string {
	if word == match.StopWord {
		return "-"
	}
	return v.words[word]
}
