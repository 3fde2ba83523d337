package main

import (
	"strings"

	"hearth/app/match"
)

// A line of topics/*.txt is a topic: the words that are needed, and what for.

// topicWords returns the words of the topics in the form in which the table has English words.
func topicWords() (out []string) {
	for things, needs := range sections("topics/*.txt") {
		for w := range strings.FieldsSeq(things + " " + needs) {
			out = append(out, topicForm(w))
		}
	}
	return out
}

func topicForm(w string) string {
	return strings.ReplaceAll(match.FormOf(strings.ReplaceAll(w, "_", " ")), " ", "_")
}

// numberTopics returns the numbers of the topics of every word, and entries for names of several words. A number has
// match.TopicThing added where the word is the thing that is needed. Words of things.txt stand for their anchors.
func numberTopics(v *vocabulary, things []entry) (topics [][]uint16, names []entry) {
	anchor := map[string]int{}
	for _, e := range things {
		anchor[e.text] = e.word
	}
	topics = make([][]uint16, len(v.words))
	topic := uint16(0)
	for things, needs := range sections("topics/*.txt") {
		seen := map[int]bool{}
		add := func(list string, side uint16) {
			for w := range strings.FieldsSeq(list) {
				text := strings.ReplaceAll(topicForm(w), "_", " ")
				n, ok := anchor[text]
				if !ok {
					if n, ok = v.number[topicForm(w)]; ok && strings.Count(text, " ") > 1 {
						names = append(names, entry{form{0, text}, n})
					}
				}
				if ok && !seen[n] {
					seen[n] = true
					topics[n] = append(topics[n], topic|side)
				}
			}
		}
		add(things, match.TopicThing)
		add(needs, 0)
		topic++
	}
	return topics, names
}
