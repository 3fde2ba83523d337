package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wordnet is WordNet 3.0. A synset is named by its offset and part of speech, as in 02834778n.
type wordnet struct {
	synsets map[string]*synset
	lemmas  map[string][]*synset // by part of speech and sense, the most common first
	tagged  map[string]int       // how often a lemma was seen as a part of speech, as in bank/n
}

type synset struct {
	pos     byte // n, v, a or r
	words   []string
	gloss   string
	parents []*synset // hypernyms and the classes of instances
	derived []derivation
}

// derivation leads from a word of a synset to a word of another, by its number from 1.
type derivation struct {
	word   string
	synset *synset
	number int
}

func readWordnet(dir string) (*wordnet, error) {
	net := &wordnet{map[string]*synset{}, map[string][]*synset{}, map[string]int{}}
	for i, pos := range []string{"noun", "verb", "adj", "adv"} {
		letter := "nvar"[i:][:1]
		err := cmp.Or(
			eachLine(filepath.Join(dir, "data."+pos), func(line string) { net.addSynset(letter, line) }),
			eachLine(filepath.Join(dir, "index."+pos), func(line string) {
				f := strings.Fields(line)
				n, _ := strconv.Atoi(f[2])
				for _, offset := range f[len(f)-n:] {
					net.lemmas[f[0]] = append(net.lemmas[f[0]], net.at(offset+letter))
				}
			}))
		if err != nil {
			return nil, err
		}
	}
	return net, eachLine(filepath.Join(dir, "cntlist.rev"), func(line string) {
		f := strings.Fields(line)
		lemma, key, _ := strings.Cut(f[0], "%")
		n, _ := strconv.Atoi(f[2])
		net.tagged[lemma+"/"+" nvara"[key[0]-'0':][:1]] += n
	})
}

func eachLine(file string, use func(string)) error {
	text, err := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if line[0] != ' ' {
			use(line)
		}
	}
	return err
}

// at returns a synset, which may be read later.
func (net *wordnet) at(name string) *synset {
	if net.synsets[name] == nil {
		net.synsets[name] = &synset{}
	}
	return net.synsets[name]
}

// addSynset reads a line of a data file; wndb(5WN) has the format.
func (net *wordnet) addSynset(pos, line string) {
	hex := func(s string) int {
		n, _ := strconv.ParseInt(s, 16, 32)
		return int(n)
	}
	data, gloss, _ := strings.Cut(line, "|")
	f := strings.Fields(data)
	s := net.at(f[0] + pos)
	s.pos, s.gloss = pos[0], gloss
	words, f := f[4:][:2*hex(f[3])], f[4+2*hex(f[3]):]
	for i := 0; i < len(words); i += 2 {
		w, _, _ := strings.Cut(strings.ToLower(words[i]), "(")
		s.words = append(s.words, w)
	}
	pointers, _ := strconv.Atoi(f[0])
	for p := range slices.Chunk(f[1:][:4*pointers], 4) {
		target, from := net.at(p[1]+p[2]), hex(p[3][:2])
		switch p[0] {
		case "@", "@i":
			s.parents = append(s.parents, target)
		case "+":
			s.derived = append(s.derived, derivation{s.words[from-1], target, hex(p[3][2:])})
		}
	}
}

// byUse returns the parts of speech of a lemma, the most frequent first, such as "nv".
func (net *wordnet) byUse(lemma string) string {
	var out []byte
	for _, pos := range []byte("nvar") {
		if len(net.sensesOf(lemma, pos)) > 0 {
			out = append(out, pos)
		}
	}
	slices.SortStableFunc(out, func(a, b byte) int { return net.tagged[lemma+"/"+string(b)] - net.tagged[lemma+"/"+string(a)] })
	return string(out)
}

// sensesOf returns the synsets of a lemma of a part of speech.
func (net *wordnet) sensesOf(lemma string, pos byte) (out []*synset) {
	for _, s := range net.lemmas[lemma] {
		if s.pos == pos {
			out = append(out, s)
		}
	}
	return out
}

// named returns the synset that word#sense means, as in language#1.
func (net *wordnet) named(spec string) (*synset, error) {
	word, number, _ := strings.Cut(spec, "#")
	n, err := strconv.Atoi(number)
	if senses := net.sensesOf(word, 'n'); err == nil && n >= 1 && n <= len(senses) {
		return senses[n-1], nil
	}
	return nil, fmt.Errorf("WordNet has no noun %q", spec)
}
