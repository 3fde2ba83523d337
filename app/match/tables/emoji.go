package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hearth/app/match"
)

// readEmoji returns what emoji mean, from their English names, and the names of
// things that other languages give to emoji.
func readEmoji(dir string, v *vocabulary) (out []entry, err error) {
	english, err := annotations(filepath.Join(dir, "en", "annotations.json"))
	if err != nil {
		return nil, err
	}
	symbols := slices.Sorted(maps.Keys(english))
	known := map[string]bool{}
	for _, s := range symbols {
		words := v.emojiWords(english[s])
		first := match.FoldSymbol(s)
		if len(words) == 0 || first == "" || known[first] {
			continue
		}
		known[first] = true
		for _, w := range words {
			out = append(out, entry{form{match.EmojiCode, first}, w})
		}
	}
	for lang, l := range match.Languages {
		names, err := annotations(filepath.Join(dir, l.Tag, "annotations.json"))
		if lang == 0 || err != nil {
			continue
		}
		for _, s := range symbols {
			words := v.emojiWords(english[s])
			name := names[s].TTS
			if len(name) != 1 || len(words) == 0 || strings.Contains(name[0], " ") || strings.Contains(english[s].TTS[0], " ") {
				continue
			}
			out = append(out, entriesOf(lang, name[0], words[0])...)
		}
	}
	return out, nil
}

type annotation struct{ TTS []string }

func annotations(file string) (map[string]annotation, error) {
	var doc struct {
		Annotations struct{ Annotations map[string]annotation }
	}
	err := readJSON(file, &doc)
	return doc.Annotations.Annotations, err
}

// plainNames are words of names of emoji that say what they look like.
var plainNames = strings.Fields("face button symbol person woman man with and of the in sign mark selector white black red green blue " +
	"yellow orange purple brown heavy large medium small square circle up down left right open closed light dark skin tone")

func (v *vocabulary) emojiWords(a annotation) (out []int) {
	if len(a.TTS) == 0 {
		return nil
	}
	name := strings.ToLower(a.TTS[0])
	if n, ok := v.number[strings.ReplaceAll(name, " ", "_")]; ok {
		return []int{n}
	}
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		for _, base := range append(match.EnglishBases(w), w) {
			if n, ok := v.number[base]; ok && !slices.Contains(plainNames, w) && len(out) < 2 {
				out = append(out, n)
				break
			}
		}
	}
	return out
}
