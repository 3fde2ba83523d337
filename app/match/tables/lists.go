package main

import (
	"embed"
	"io/fs"
	"iter"
	"log"
	"strings"

	"hearth/app/match"
)

// files are the lists that are written by hand.
//
//go:embed things.txt languages topics
var files embed.FS

// sections yields the lines "name: words" of the files that fit a pattern.
func sections(pattern string) iter.Seq2[string, string] {
	return func(yield func(name, list string) bool) {
		names, _ := fs.Glob(files, pattern)
		for _, file := range names {
			text, _ := files.ReadFile(file)
			for line := range strings.Lines(string(text)) {
				if name, list, ok := strings.Cut(line, ":"); ok && line[0] != '#' && !yield(name, list) {
					return
				}
			}
		}
	}
}

// numberOf returns the number of an English word that a list names, match.StopWord for "-".
func (v *vocabulary) numberOf(word string) (n int, ok bool) {
	if word == "-" {
		return match.StopWord, true
	}
	if n, ok = v.number[word]; !ok {
		log.Printf("a list names %q, which the table does not have", word)
	}
	return n, ok
}

// anchors returns the English words that the lists of other languages name.
func anchors() (out []string) {
	for _, pattern := range []string{"things.txt", "languages/*.txt"} {
		for anchor := range sections(pattern) {
			out = append(out, anchor)
		}
	}
	return out
}
