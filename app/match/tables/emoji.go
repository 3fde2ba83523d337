package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hearth/app/match"
)

// readEmoji returns what emoji mean, from their English names, and the names of
// things that other languages give to emoji.
func readEmoji(dir string, v *vocabulary) ([]entry, error) {
	english, err := annotations(filepath.Join(dir, "en", "annotations.json"))
	if err != nil {
		return nil, err
	}
	symbols := make([]string, 0, len(english))
	for s := range english {
		symbols = append(symbols, s)
	}
	slices.Sort(symbols)
	code := uint8(match.EmojiCode)
	var out []entry
	meaning := map[string][]int{}
	for _, s := range symbols {
		words := v.emojiWords(english[s])
		first := match.FoldSymbol(s)
		if len(words) == 0 || first == "" || len(meaning[first]) > 0 {
			continue
		}
		meaning[first] = words
		for _, w := range words {
			out = append(out, entry{match.HashForm(int(code), first), code, w, first})
		}
	}
	for lang, iso := range match.Languages() {
		names, err := annotations(filepath.Join(dir, match.LanguageTags[iso], "annotations.json"))
		if iso == "eng" || err != nil {
			continue
		}
		for _, s := range symbols {
			words := v.emojiWords(english[s])
			name := names[s].TTS
			if len(name) != 1 || len(words) == 0 || strings.Contains(name[0], " ") || strings.Contains(english[s].TTS[0], " ") {
				continue
			}
			for _, form := range match.Forms(lang, name[0]) {
				out = append(out, entry{match.HashForm(lang, form), uint8(lang), words[0], form})
			}
		}
	}
	return out, nil
}

type annotation struct {
	Default []string `json:"default"`
	TTS     []string `json:"tts"`
}

func annotations(file string) (map[string]annotation, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Annotations struct{ Annotations map[string]annotation }
	}
	return doc.Annotations.Annotations, json.Unmarshal(data, &doc)
}

// plainNames are words of names of emoji that say what they look like.
var plainNames = strings.Fields("face button symbol person woman man with and of the in sign mark selector white black red green blue " +
	"yellow orange purple brown heavy large medium small square circle up down left right open closed light dark skin tone")

func (v *vocabulary) emojiWords(a annotation) []int {
	if len(a.TTS) == 0 {
		return nil
	}
	name := strings.ToLower(a.TTS[0])
	if n, ok := v.number[strings.ReplaceAll(name, " ", "_")]; ok {
		return []int{n}
	}
	var out []int
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		for _, form := range append(match.EnglishBases(w), w) {
			if n, ok := v.number[form]; ok && !slices.Contains(plainNames, w) && len(out) < 2 {
				out = append(out, n)
				break
			}
		}
	}
	return out
}
