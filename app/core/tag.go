package core

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/store"
)

// Bounds of the tags of a thought.
const (
	MaxTags = 20
	MaxTag  = 50 // code points of each
)

// TagsIn returns the #tags of a text without the sign, folded, each once, in order. A tag starts at the beginning of
// a word. It has letters of any script, digits, and _ or - between them, with at least one letter. Web addresses have
// none. Tags over MaxTag characters, and all after MaxTags, are left out.
func TagsIn(text string) (tags []string) {
	if !hasSign(text) {
		return nil
	}
	for _, word := range strings.FieldsFunc(text, unicode.IsSpace) {
		if !hasSign(word) || isAddress(word) {
			continue
		}
		before := ' '
		for at, r := range word {
			if isSign(r) && !isTagRune(before) && !strings.ContainsRune("&/", before) && !isSign(before) {
				tags = addTag(tags, tagAt(word[at+utf8.RuneLen(r):]))
			}
			before = r
		}
	}
	return tags
}

// FoldTags returns tags as TagsIn does, given with or without their sign. A tag that no text could have is Invalid.
func FoldTags(given []string) (tags []string, err error) {
	for _, s := range given {
		s = strings.TrimPrefix(s, "#")
		if s == "" || tagAt(s) != s {
			return nil, InvalidField("tags", "tags must be words of letters, digits, _ and -, with a letter at least, such as “to-do”.")
		}
		tags = addTag(tags, s)
	}
	return tags, nil
}

func addTag(tags []string, tag string) []string {
	tag = store.Fold(tag)
	if tag == "" || tagAt(tag) != tag || len(tags) == MaxTags || utf8.RuneCountInString(tag) > MaxTag {
		return tags
	}
	for _, t := range tags {
		if t == tag {
			return tags
		}
	}
	return append(tags, tag)
}

// hasSign is a fast check of the bytes, true for every text with a tag.
func hasSign(s string) bool { return strings.IndexByte(s, '#') >= 0 || strings.Contains(s, "＃") }

func isSign(r rune) bool { return r == '#' || r == '＃' }

func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "([<\"'")), "www.")
}

func tagAt(s string) string {
	end, last, letter := 0, 0, false
	for at, r := range s {
		if !isTagRune(r) {
			break
		}
		end = at + utf8.RuneLen(r)
		if isJoiner(r) {
			if at == 0 {
				return ""
			}
			continue
		}
		letter = letter || unicode.IsLetter(r)
		last = end
	}
	if !letter {
		return ""
	}
	return s[:last]
}

func isTagRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || isJoiner(r)
}

// U+200C and U+200D form letters in some scripts.
func isJoiner(r rune) bool { return r == '_' || r == '-' || r == '\u200c' || r == '\u200d' }

// CaptureOf returns the capture that the #tags of a text make of it, or nil without tags. #fact, #decision,
// #commitment, #reminder and #observation set its kind; the default is observation. A commitment, a reminder and a
// text with #todo are open; a text with #done is closed.
func CaptureOf(text string) *store.Capture {
	tags := TagsIn(text)
	if len(tags) == 0 {
		return nil
	}
	c := &store.Capture{Kind: "observation", Status: "none", Tags: tags}
	for i := len(tags) - 1; i >= 0; i-- { // the first tag counts
		switch tags[i] {
		case "fact", "decision", "commitment", "reminder", "observation":
			c.Kind = tags[i]
		}
	}
	if c.Kind == "commitment" || c.Kind == "reminder" {
		c.Status = "open"
	}
	for _, tag := range tags {
		switch tag {
		case "todo", "to-do":
			c.Status = "open"
		case "done":
			c.Status = "closed"
			return c
		}
	}
	return c
}
