package main

import (
	"bufio"
	"cmp"
	"os"
	"slices"
	"strings"

	"hearth/app/match"
)

// What of a dictionary is kept: for each language the words whose first
// translation is most frequent, and a number of translations of a word.
const (
	wordsPerLanguage = 30_000
	wordsOfChinese   = 45_000 // whose texts are divided by them
	leastFrequent    = 25_000
	meaningsPerForm  = 2
	phraseLines      = 10_000 // up to which words of several parts are kept
)

// form is a word or phrase of a language, as match looks for it.
type form struct {
	lang int
	text string
}

func (f form) hash() uint32 { return match.HashForm(f.lang, f.text) }

// entry says that a form means an English word, or match.StopWord.
type entry struct {
	form
	word int
}

// entriesOf returns entries for the forms of a word of a language.
func entriesOf(lang int, lemma string, word int) (out []entry) {
	for _, text := range match.Forms(lang, lemma) {
		out = append(out, entry{form{lang, text}, word})
	}
	return out
}

// readThings returns the entries of things.txt, which hold in every language. A
// word that ends with _ is left out: it was noted that it means something else.
func readThings(v *vocabulary) (out []entry) {
	taken := map[string]bool{}
	for anchor, list := range sections("things.txt") {
		n, ok := v.numberOf(anchor)
		if !ok {
			continue
		}
		for w := range strings.FieldsSeq(strings.ReplaceAll(anchor, "_", " ") + " " + list) {
			text := match.FormOf(strings.ReplaceAll(w, "_", " "))
			if strings.HasSuffix(w, "_") || text == "" || taken[text] || strings.Contains(anchor, "_") && strings.Contains(anchor, w) {
				continue
			}
			taken[text] = true
			out = append(out, entry{form{match.AnyLanguage, text}, n})
		}
	}
	return out
}

// readStopWords returns the words that say nothing in a language, from the JSON
// file of stopwords-iso: lists by language tag.
func readStopWords(file string) (out []entry, err error) {
	var lists map[string][]string
	err = readJSON(file, &lists)
	for lang, l := range match.Languages {
		if lang == 0 {
			continue // match has those of English
		}
		for _, w := range lists[l.Tag] {
			if text := match.FormOf(w); text != "" && !strings.Contains(text, " ") {
				out = append(out, entry{form{lang, text}, match.StopWord})
			}
		}
	}
	return out, err
}

// readLanguages returns the entries of the files of languages/.
func readLanguages(v *vocabulary) (out []entry) {
	for lang, l := range match.Languages {
		for name, list := range sections("languages/" + l.Code + ".txt") {
			n, ok := v.numberOf(name)
			if !ok {
				continue
			}
			for w := range strings.FieldsSeq(list) {
				entries := entriesOf(lang, w, n)
				if n == match.StopWord {
					entries = entries[:min(len(entries), 1)] // other words may have the stem
				}
				out = append(out, entries...)
			}
		}
	}
	return out
}

// translation is a line of a dictionary.
type translation struct {
	lemma string
	words []int // the English words that it means, the best first
}

// readDictionaries returns the entries of a file that dictionaries.py made: in a
// line the language, a word, and the English words that it means.
func readDictionaries(file string, v *vocabulary) (out []entry, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := map[string][]translation{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		f := strings.Split(s.Text(), "\t")
		t := translation{lemma: f[1]}
		for w := range strings.FieldsSeq(f[2]) {
			if n, ok := v.number[w]; ok {
				t.words = append(t.words, n)
			}
		}
		if len(t.words) > 0 && v.rank[t.words[0]] < leastFrequent {
			lines[f[0]] = append(lines[f[0]], t)
		}
	}
	for lang, l := range match.Languages {
		most := wordsPerLanguage
		if l.Code == "cmn" {
			most = wordsOfChinese
		}
		out = append(out, mostFrequent(v, lang, lines[l.Code], most)...)
	}
	return out, s.Err()
}

func mostFrequent(v *vocabulary, lang int, lines []translation, most int) (out []entry) {
	slices.SortStableFunc(lines, func(a, b translation) int { return cmp.Compare(v.rank[a.words[0]], v.rank[b.words[0]]) })
	meanings := map[string]int{}
	for i, t := range lines[:min(len(lines), most)] {
		if i >= phraseLines && strings.Contains(t.lemma, " ") {
			continue
		}
		for _, text := range match.Forms(lang, t.lemma) {
			for _, w := range t.words {
				if meanings[text] < meaningsPerForm && len(text) > 1 {
					meanings[text]++
					out = append(out, entry{form{lang, text}, w})
				}
			}
		}
	}
	return out
}
