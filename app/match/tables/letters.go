package main

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"

	"hearth/app/match"
)

// How often the words of the lists count: a word of the grammar stands in many
// texts.
const (
	countStop = 30
	countWord = 1
)

// readLetters returns how likely each group of three letters is in the words of
// each language of match.Spelt (Cavnar and Trenkle 1994; the sums are those of a naive Bayes
// classifier): for each of match.LetterGroups hashes a byte for each,
// eighths of a bit of the negative binary logarithm.
func readLetters(v *vocabulary, stop, dictionaries string) ([]byte, error) {
	langs := map[string]int{}
	counts := make([][]float64, len(match.Languages()))
	for i, code := range match.Languages() {
		langs[code] = i
		counts[i] = make([]float64, match.LetterGroups)
	}
	count := func(lang int, word string, times float64) {
		for group := range match.LettersOf(strings.ToLower(word)) {
			counts[lang][group] += times
		}
	}
	data, err := os.ReadFile(stop)
	if err != nil {
		return nil, err
	}
	var lists map[string][]string
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, err
	}
	tags := map[string]string{"eng": "en"}
	for code, tag := range match.LanguageTags {
		tags[code] = tag
	}
	for code, lang := range langs {
		for _, w := range lists[tags[code]] {
			count(lang, w, countStop)
		}
	}
	for i, w := range v.words {
		if v.rank[i] < 20_000 && !strings.Contains(w, "_") {
			count(0, w, countWord)
		}
	}
	for line := range strings.Lines(wordText) {
		f := strings.Fields(line)
		if line[0] != '#' && len(f) == 1+len(wordLanguages) {
			for i, list := range f[1:] {
				for w := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '/' || r == '_' }) {
					count(langs[wordLanguages[i]], w, countWord)
				}
			}
		}
	}
	if err := eachDictionaryWord(dictionaries, func(code, w string) {
		if lang, ok := langs[code]; ok {
			count(lang, w, countWord)
		}
	}); err != nil {
		return nil, err
	}
	spelt := match.Spelt()
	out := make([]byte, match.LetterGroups*len(spelt))
	for i, lang := range spelt {
		total := 0.0
		for _, n := range counts[lang] {
			total += n
		}
		for group, n := range counts[lang] {
			p := (n + 0.5) / (total + 0.5*match.LetterGroups)
			out[group*len(spelt)+i] = byte(min(255, math.Round(-8*math.Log2(p))))
		}
	}
	return out, nil
}

// eachDictionaryWord calls use for the words of a file that dictionaries.py made.
func eachDictionaryWord(file string, use func(code, word string)) error {
	if file == "" {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		code, rest, _ := strings.Cut(s.Text(), "\t")
		phrase, _, _ := strings.Cut(rest, "\t")
		for w := range strings.FieldsSeq(phrase) {
			use(code, w)
		}
	}
	return s.Err()
}
