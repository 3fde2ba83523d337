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

// TagsIn returns the #tags of a text, folded, each once, in their order, without
// the number sign. A tag is at the beginning of a word: letters of any script,
// digits, and _ or - between them, with a letter at least. Web addresses have
// none. Tags of more than MaxTag characters, and all after MaxTags, are left out.
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

// FoldTags returns tags as TagsIn has them, with or without their sign; Invalid
// for one that a text could not have.
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

// hasSign is true for every text with a tag, and reads its bytes only.
func hasSign(s string) bool { return strings.IndexByte(s, '#') >= 0 || strings.Contains(s, "＃") }

// isSign reports whether r is a number sign, in either width.
func isSign(r rune) bool { return r == '#' || r == '＃' }

func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "([<\"'")), "www.")
}

// tagAt returns the tag that s begins with, or "".
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

// isJoiner reports whether r is between the parts of a tag: a mark of writing, or
// one of the joiners with which some scripts form letters.
func isJoiner(r rune) bool { return r == '_' || r == '-' || r == '\u200c' || r == '\u200d' }

// CaptureOf returns what the #tags of a text make of it, or nil if it has none.
//
// The tags #fact, #decision, #commitment, #reminder and #observation give its
// kind, which is observation without one. A commitment, a reminder and what has
// the tag #todo are open; what has the tag #done is closed.
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
