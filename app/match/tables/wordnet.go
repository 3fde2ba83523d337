package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wordnet is WordNet 3.0. A synset is named by its offset and part of speech, as
// in 02834778-n.
type wordnet struct {
	synsets map[string]*synset
	lemmas  map[string][]string // synsets of a lemma by part of speech and sense, the most common first
	tagged  map[string]int      // how often a lemma was seen as a part of speech, as in bank/n
}

type synset struct {
	words   []string
	parents []string // hypernyms and the classes of instances
	gloss   string
	derived map[string][]string // derived forms by word
	parts   []string            // parts and wholes
	related []pointer           // of words to words, until all synsets are read
}

// pointer leads from a word of a synset to a word of another.
type pointer struct {
	word, target string
	number       int
}

var poses = map[string]string{"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

func readWordnet(dir string) (*wordnet, error) {
	net := &wordnet{synsets: map[string]*synset{}, lemmas: map[string][]string{}, tagged: map[string]int{}}
	for _, name := range []string{"noun", "verb", "adj", "adv"} {
		pos := poses[name]
		err := eachLine(filepath.Join(dir, "data."+name), func(line string) { net.addSynset(pos, line) })
		if err == nil {
			err = eachLine(filepath.Join(dir, "index."+name), func(line string) { net.addLemma(pos, line) })
		}
		if err != nil {
			return nil, err
		}
	}
	net.derive()
	return net, eachLine(filepath.Join(dir, "cntlist.rev"), func(line string) {
		f := strings.Fields(line)
		lemma, key, _ := strings.Cut(f[0], "%")
		n, _ := strconv.Atoi(f[2])
		net.tagged[lemma+"/"+string(" nvara"[key[0]-'0'])] += n
	})
}

// derive sets the derived forms of the words of all synsets.
func (net *wordnet) derive() {
	for _, s := range net.synsets {
		s.derived = map[string][]string{}
		for _, p := range s.related {
			if t := net.synsets[p.target]; t != nil && p.number > 0 {
				s.derived[p.word] = append(s.derived[p.word], t.words[p.number-1])
			}
		}
	}
}

// byUse returns the parts of speech of a lemma, the most frequent first.
func (net *wordnet) byUse(lemma string) []string {
	out := []string{}
	for _, pos := range []string{"n", "v", "a", "r"} {
		if len(net.sensesOf(lemma, pos)) > 0 {
			out = append(out, pos)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return net.tagged[lemma+"/"+b] - net.tagged[lemma+"/"+a] })
	return out
}

func eachLine(file string, use func(string)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if line := s.Text(); line != "" && line[0] != ' ' {
			use(line)
		}
	}
	return s.Err()
}

// addSynset reads a line of a data file; wndb(5WN) has the format.
func (net *wordnet) addSynset(pos, line string) {
	data, gloss, _ := strings.Cut(line, "|")
	f := strings.Fields(data)
	s := &synset{gloss: gloss}
	n, _ := strconv.ParseInt(f[3], 16, 32)
	i := 4
	for range n {
		w, _, _ := strings.Cut(strings.ToLower(f[i]), "(")
		s.words = append(s.words, w)
		i += 2
	}
	count, _ := strconv.Atoi(f[i])
	i++
	for range count {
		if f[i] == "@" || f[i] == "@i" {
			s.parents = append(s.parents, f[i+1]+"-"+f[i+2])
		}
		if strings.Contains("%p #p %s #s", f[i]) {
			s.parts = append(s.parts, f[i+1]+"-"+f[i+2])
		}
		if from, err := strconv.ParseInt(f[i+3][:2], 16, 32); err == nil && f[i] == "+" && from > 0 {
			to, _ := strconv.ParseInt(f[i+3][2:], 16, 32)
			s.related = append(s.related, pointer{s.words[from-1], f[i+1] + "-" + f[i+2], int(to)})
		}
		i += 4
	}
	net.synsets[f[0]+"-"+pos] = s
}

func (net *wordnet) addLemma(pos, line string) {
	f := strings.Fields(line)
	n, _ := strconv.Atoi(f[2])
	for _, offset := range f[len(f)-n:] {
		net.lemmas[f[0]] = append(net.lemmas[f[0]], offset+"-"+pos)
	}
}

// sensesOf returns the synsets of a lemma of a part of speech.
func (net *wordnet) sensesOf(lemma, pos string) []string {
	var out []string
	for _, s := range net.lemmas[lemma] {
		if strings.HasSuffix(s, pos) {
			out = append(out, s)
		}
	}
	return out
}

// ancestors calls use for a synset's ancestors, the nearest first.
func (net *wordnet) ancestors(id string, use func(string)) {
	seen := map[string]bool{}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		s := net.synsets[queue[0]]
		if s == nil {
			continue
		}
		for _, p := range s.parents {
			if !seen[p] {
				seen[p] = true
				use(p)
				queue = append(queue, p)
			}
		}
	}
}

// named returns the synset that word#sense means, as in language#1.
func (net *wordnet) named(spec string) (string, error) {
	word, number, _ := strings.Cut(spec, "#")
	n, err := strconv.Atoi(number)
	if senses := net.sensesOf(word, "n"); err == nil && n >= 1 && n <= len(senses) {
		return senses[n-1], nil
	}
	return "", fmt.Errorf("WordNet has no noun %q", spec)
}
