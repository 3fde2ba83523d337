package main

import (
	"bufio"
	"cmp"
	"embed"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"hearth/app/match"
)

// What of a dictionary is kept: for each language the words whose first
// translation is most frequent, and a number of translations of a word.
const (
	wordsPerLanguage = 30_000 // more in Chinese, whose texts are divided by them
	leastFrequent    = 25_000
	meaningsPerForm  = 2
	phraseLines      = 10_000 // up to which words of several parts are kept
)

//go:embed words.txt
var wordText string

//go:embed languages/*.txt
var languageFiles embed.FS

// listed are the words that the files of languages/ have: by language what a form
// means, match.StopWord for words that say nothing.
type listed []map[string][]int

// readLanguages reads the files of languages/.
func readLanguages(v *vocabulary) listed {
	out := make(listed, len(match.Languages()))
	for lang, code := range match.Languages() {
		text, err := languageFiles.ReadFile("languages/" + code + ".txt")
		if err != nil {
			continue // not every language has one
		}
		out[lang] = map[string][]int{}
		for line := range strings.Lines(string(text)) {
			name, list, ok := strings.Cut(line, ": ")
			if !ok || line[0] == '#' {
				continue
			}
			n, known := v.number[name]
			if name == "-" {
				n, known = match.StopWord, true
			}
			if !known {
				log.Printf("languages/%s.txt: the table has no %q", code, name)
				continue
			}
			for w := range strings.FieldsSeq(list) {
				forms := match.Forms(lang, w)
				if n == match.StopWord && len(forms) > 1 {
					forms = forms[:1] // other words may have the stem
				}
				for _, form := range forms {
					if !slices.Contains(out[lang][form], n) {
						out[lang][form] = append(out[lang][form], n)
					}
				}
			}
		}
	}
	return out
}

// entries returns the entries of the forms.
func (l listed) entries() []entry {
	var out []entry
	for lang, forms := range l {
		for _, form := range slices.Sorted(maps.Keys(forms)) {
			for _, n := range forms[form] {
				out = append(out, entry{match.HashForm(lang, form), uint8(lang), n, form})
			}
		}
	}
	return out
}

// without returns the entries of others whose forms the files do not have.
func (l listed) without(others []entry) []entry {
	return slices.DeleteFunc(others, func(e entry) bool {
		return int(e.lang) < len(l) && e.word != match.StopWord && l[e.lang][e.form] != nil
	})
}

// wordLanguages are the languages of the columns of words.txt.
var wordLanguages = []string{"kor", "arb", "hin", "heb", "ukr"}

// readWords returns the entries of words.txt.
func readWords(v *vocabulary) []entry {
	var out []entry
	for line := range strings.Lines(wordText) {
		f := strings.Fields(line)
		if line[0] == '#' || len(f) != 1+len(wordLanguages) {
			continue
		}
		n, ok := v.number[f[0]]
		if !ok {
			log.Printf("words.txt: the table has no %q", f[0])
			continue
		}
		for i, list := range f[1:] {
			lang := slices.Index(match.Languages(), wordLanguages[i])
			for w := range strings.SplitSeq(list, "/") {
				if w == "-" {
					continue
				}
				for _, form := range match.Forms(lang, w) {
					out = append(out, entry{match.HashForm(lang, form), uint8(lang), n, form})
				}
			}
		}
	}
	return out
}

// readDictionaries returns the entries of a file that dictionaries.py made: in a
// line the language, a word, and the English words that it means.
func readDictionaries(file string, v *vocabulary) ([]entry, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type line struct {
		form  string
		words []int
	}
	langs := map[string]int{}
	for i, code := range match.Languages() {
		langs[code] = i
	}
	lines := make([][]line, len(langs))
	s := bufio.NewScanner(f)
	for s.Scan() {
		f := strings.Split(s.Text(), "\t")
		lang, known := langs[f[0]]
		if !known || len(f) != 3 {
			continue
		}
		l := line{form: f[1]}
		for w := range strings.FieldsSeq(f[2]) {
			if n, ok := v.number[w]; ok {
				l.words = append(l.words, n)
			}
		}
		if len(l.words) > 0 && v.rank[l.words[0]] < leastFrequent {
			lines[lang] = append(lines[lang], l)
		}
	}
	var out []entry
	for lang, words := range lines {
		slices.SortStableFunc(words, func(a, b line) int { return cmp.Compare(v.rank[a.words[0]], v.rank[b.words[0]]) })
		most := wordsPerLanguage
		if match.Languages()[lang] == "cmn" {
			most = 45_000
		}
		meanings := map[string]int{}
		for i, l := range words[:min(len(words), most)] {
			if i >= phraseLines && strings.Contains(l.form, " ") {
				continue
			}
			for _, form := range match.Forms(lang, l.form) {
				for _, w := range l.words {
					if meanings[form] < meaningsPerForm && len(form) > 1 {
						meanings[form]++
						out = append(out, entry{match.HashForm(lang, form), uint8(lang), w, form})
					}
				}
			}
		}
	}
	return out, s.Err()
}
