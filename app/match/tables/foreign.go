package main

import (
	_ "embed"
	"encoding/json"
	"log"
	"os"
	"strings"

	"hearth/app/match"
)

// entry says that a form in a language means an English word.
type entry struct {
	hash uint32
	lang uint8
	word int
	form string
}

//go:embed things.txt
var things string

// anchors returns the English words that the lines of things.txt, words.txt and the
// files of languages/ stand for.
func anchors() []string {
	var out []string
	for line := range strings.Lines(wordText) {
		if f := strings.Fields(line); line[0] != '#' && len(f) > 1 {
			out = append(out, f[0])
		}
	}
	lists := []string{things}
	for _, code := range match.Languages() {
		if text, err := languageFiles.ReadFile("languages/" + code + ".txt"); err == nil {
			lists = append(lists, string(text))
		}
	}
	for _, list := range lists {
		for line := range strings.Lines(list) {
			if anchor, _, ok := strings.Cut(line, ": "); ok && line[0] != '#' && anchor != "-" {
				out = append(out, anchor)
			}
		}
	}
	return out
}

// readThings returns the entries of things.txt, which hold in every language. A
// word that ends with _ is left out: it was noted that it means something else.
func readThings(v *vocabulary) []entry {
	var out []entry
	taken := map[string]bool{}
	for line := range strings.Lines(things) {
		anchor, list, ok := strings.Cut(line, ": ")
		if !ok || line[0] == '#' {
			continue
		}
		n, known := v.number[anchor]
		if !known {
			log.Printf("things.txt: the table has no %q", anchor)
			continue
		}
		for w := range strings.FieldsSeq(strings.ReplaceAll(anchor, "_", " ") + " " + list) {
			form := match.FormOf(strings.ReplaceAll(w, "_", " "))
			if strings.HasSuffix(w, "_") || form == "" || taken[form] || strings.Contains(anchor, "_") && strings.Contains(anchor, w) {
				continue
			}
			taken[form] = true
			out = append(out, entry{match.HashForm(match.AnyLanguage, form), match.AnyLanguage, n, form})
		}
	}
	return out
}

// readStopWords returns the words that say nothing in a language, from the JSON
// file of stopwords-iso: lists by language tag.
func readStopWords(file string) ([]entry, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lists map[string][]string
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, err
	}
	var out []entry
	for code, lang := range match.Languages() {
		for _, w := range lists[match.LanguageTags[lang]] {
			if form := match.FormOf(w); form != "" && !strings.Contains(form, " ") {
				out = append(out, entry{match.HashForm(code, form), uint8(code), match.StopWord, form})
			}
		}
	}
	return out, nil
}
