package main

import (
	"log"
	"slices"
	"strings"

	"hearth/app/match"
)

// classes are the groups whose members exclude each other: who seeks Spanish
// lessons is not helped by French ones. A member is a word whose sense lies under
// one of the synsets. match.Class names them in this order, from 1.
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
	synsets []string
	number  map[string]int
	parent  []int // -1 without
	class   []uint8
	words   [][]int // numbers of synsets by word
	pos     []uint8 // most frequent part of speech by word: 1 noun, 2 verb, 3 adjective, 4 adverb
}

func posCode(uses []string) uint8 {
	if len(uses) == 0 {
		return 0
	}
	return uint8(strings.Index("nvar", uses[0]) + 1)
}

// chooseSenses takes the common senses of every word: the first two of each part
// of speech.
func chooseSenses(v *vocabulary, net *wordnet) *senseTable {
	t := &senseTable{number: map[string]int{}}
	roots := map[string]uint8{}
	for i, specs := range classes {
		for _, spec := range specs {
			id, err := net.named(spec)
			if err != nil {
				log.Print(err)
				continue
			}
			roots[id] = uint8(i + 1)
		}
	}
	if id, err := net.named("person#1"); err == nil {
		roots[id] = match.ClassPerson
	}
	for _, w := range v.words {
		var senses []int
		uses := net.byUse(w)
		t.pos = append(t.pos, posCode(uses))
		for _, pos := range uses {
			if pos == "r" {
				continue
			}
			for i, s := range net.sensesOf(w, pos) {
				if i < 2 {
					senses = append(senses, t.add(net, s, roots))
				}
			}
		}
		t.words = append(t.words, senses[:min(len(senses), 6)])
	}
	return t
}

// add numbers a synset and its ancestors.
func (t *senseTable) add(net *wordnet, id string, roots map[string]uint8) int {
	if n, ok := t.number[id]; ok {
		return n
	}
	n := len(t.synsets)
	t.number[id] = n
	t.synsets = append(t.synsets, id)
	t.parent = append(t.parent, -1)
	t.class = append(t.class, classOf(net, id, roots))
	s := net.synsets[id]
	if strings.HasSuffix(id, "n") && len(s.parents) > 0 {
		parents := slices.Clone(s.parents)
		// Of several hypernyms the one within the class tells more.
		slices.SortStableFunc(parents, func(a, b string) int {
			return int(classOf(net, b, roots)) - int(classOf(net, a, roots))
		})
		p := t.add(net, parents[0], roots)
		t.parent[n] = p
	}
	return n
}

func classOf(net *wordnet, id string, roots map[string]uint8) uint8 {
	if c := roots[id]; c != 0 {
		return 0 // the name of a class is no member
	}
	var class uint8
	net.ancestors(id, func(a string) {
		if class == 0 {
			class = roots[a]
		}
	})
	return class
}
