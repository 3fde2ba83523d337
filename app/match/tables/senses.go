package main

import (
	"cmp"
	"slices"
	"strings"

	"hearth/app/match"
)

// classes are the groups whose members exclude each other: who seeks Spanish lessons is not helped by French ones. A
// member is a word whose sense lies under one of the synsets. match.Class names them in this order, from 1.
var classes = [][]string{
	{"natural_language#1", "artificial_language#1"},
	{"musical_instrument#1"},
	{"animal#1"},
	{"sport#1", "board_game#1", "card_game#1", "dancing#1", "martial_art#1"},
	{"city#1", "town#1", "capital#3", "port#1", "municipality#1"},
	{"country#2", "state#1"},
	{"vehicle#1"},
	{"furniture#1"},
	{"tool#1", "home_appliance#1", "power_tool#1", "electronic_equipment#1", "kitchen_appliance#1", "computer#1", "camera#1", "telephone#1"},
	{"edible_fruit#1", "vegetable#1", "meat#1", "beverage#1", "bread#1", "cake#3", "dairy_product#1"},
	{"clothing#1", "footwear#2"},
	{"science#1", "mathematics#1", "humanistic_discipline#1"},
	{"plant#2"},
	{"music_genre#1"},
}

// senseTable has the synsets that the words of a vocabulary mean.
type senseTable struct {
	roots  map[*synset]uint8 // classes
	number map[*synset]int
	parent []int // by synset, -1 without
	class  []uint8
	words  [][]int // numbers of synsets by word
	pos    []uint8 // most frequent part of speech by word: 1 noun, 2 verb, 3 adjective, 4 adverb
}

// chooseSenses takes the common senses of every word: the first two of each part of speech.
func chooseSenses(v *vocabulary, net *wordnet) (*senseTable, error) {
	t := &senseTable{roots: map[*synset]uint8{}, number: map[*synset]int{}}
	for i, specs := range append(classes, []string{"person#1"}) {
		class := uint8(i + 1)
		if i == len(classes) {
			class = match.ClassPerson
		}
		for _, spec := range specs {
			s, err := net.named(spec)
			if err != nil {
				return nil, err
			}
			t.roots[s] = class
		}
	}
	for _, w := range v.words {
		var senses []int
		uses := net.byUse(w)
		t.pos = append(t.pos, uint8(strings.Index(" nvar", (uses + " ")[:1])))
		for _, pos := range []byte(strings.ReplaceAll(uses, "r", "")) {
			all := net.sensesOf(w, pos)
			for _, s := range all[:min(len(all), 2)] {
				senses = append(senses, t.add(s))
			}
		}
		t.words = append(t.words, senses)
	}
	return t, nil
}

// add numbers a synset and its ancestors.
func (t *senseTable) add(s *synset) int {
	if n, ok := t.number[s]; ok {
		return n
	}
	n := len(t.parent)
	t.number[s] = n
	t.parent, t.class = append(t.parent, -1), append(t.class, t.classOf(s))
	if s.pos == 'n' && len(s.parents) > 0 {
		// Of several hypernyms the one within the class tells more.
		p := slices.MaxFunc(s.parents, func(a, b *synset) int { return cmp.Compare(t.classOf(a), t.classOf(b)) })
		t.parent[n] = t.add(p)
	}
	return n
}

// classOf returns the class of the nearest ancestor that is one. The name of a class is no member.
func (t *senseTable) classOf(s *synset) uint8 {
	if t.roots[s] != 0 {
		return 0
	}
	seen := map[*synset]bool{}
	for queue := []*synset{s}; len(queue) > 0; queue = queue[1:] {
		for _, p := range queue[0].parents {
			if t.roots[p] != 0 {
				return t.roots[p]
			}
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return 0
}
