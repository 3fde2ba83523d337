package main

import (
	"embed"
	"strings"

	"hearth/app/match"
)

//go:embed topics/*.txt
var topicFiles embed.FS

// topic is a line of topics/*.txt: the words that are needed, and what for.
type topic struct {
	things, needs []string
}

func readTopics() []topic {
	var out []topic
	files, err := topicFiles.ReadDir("topics")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := topicFiles.ReadFile("topics/" + f.Name())
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			things, needs, ok := strings.Cut(line, ":")
			if ok && line[0] != '#' {
				out = append(out, topic{strings.Fields(things), strings.Fields(needs)})
			}
		}
	}
	return out
}

// topicWords returns the words of the topics in the form in which the table has
// English words.
func topicWords() []string {
	var out []string
	for _, t := range readTopics() {
		for _, w := range append(t.things, t.needs...) {
			out = append(out, topicForm(w))
		}
	}
	return out
}

func topicForm(w string) string {
	return strings.ReplaceAll(match.FormOf(strings.ReplaceAll(w, "_", " ")), " ", "_")
}

// numberTopics returns the numbers of the topics of every word, and entries for names
// of several words. A number has match.TopicThing added where the word is the thing
// that is needed. Words of things.txt stand for their anchors.
func numberTopics(v *vocabulary, things []entry) ([][]uint16, []entry) {
	anchor := map[string]int{}
	for _, e := range things {
		anchor[e.form] = e.word
	}
	out := make([][]uint16, len(v.words))
	var entries []entry
	seen := map[[2]int]bool{}
	for i, t := range readTopics() {
		add := func(w string, side uint16) {
			form := strings.ReplaceAll(topicForm(w), "_", " ")
			n, ok := anchor[form]
			if !ok {
				if n, ok = v.number[topicForm(w)]; ok && strings.Count(form, " ") > 1 {
					entries = append(entries, entry{match.HashForm(0, form), 0, n, form})
				}
			}
			if ok && !seen[[2]int{n, i}] {
				seen[[2]int{n, i}] = true
				out[n] = append(out[n], uint16(i)|side)
			}
		}
		for _, w := range t.things {
			add(w, match.TopicThing)
		}
		for _, w := range t.needs {
			add(w, 0)
		}
	}
	return out, entries
}
