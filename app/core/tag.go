package core

import (
	"regexp"
	"slices"
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

const (
	tagSign = "#＃"
	tagRune = `\pL\pM\pN_\-\x{200c}\x{200d}` // U+200C and U+200D form letters in some scripts
)

// tagged matches a sign at the beginning of a word, and what follows it.
var tagged = regexp.MustCompile(`(?:^|[^&/` + tagSign + tagRune + `])[` + tagSign + `]([` + tagRune + `]+)`)

// TagsIn returns the #tags of a text without the sign, folded, each once, in order. A tag starts at the beginning of
// a word. It has letters of any script, digits, and _ or - between them, with at least one letter. Web addresses have
// none. Tags over MaxTag characters, and all after MaxTags, are left out.
func TagsIn(text string) (tags []string) {
	if !hasSign(text) { // which is fast
		return nil
	}
	for word := range strings.FieldsSeq(text) {
		if hasSign(word) && !isAddress(word) {
			for _, found := range tagged.FindAllStringSubmatch(word, -1) {
				tags = addTag(tags, strings.TrimRightFunc(found[1], isJoiner))
			}
		}
	}
	return tags
}

// FoldTags returns tags as TagsIn does, given with or without their sign. A tag that no text could have is Invalid.
func FoldTags(given []string) (tags []string, err error) {
	for _, s := range given {
		s = strings.TrimPrefix(s, "#")
		if !isTag(s) {
			return nil, InvalidField("tags", "tags must be words of letters, digits, _ and -, with a letter at least, such as “to-do”.")
		}
		tags = addTag(tags, s)
	}
	return tags, nil
}

func addTag(tags []string, tag string) []string {
	tag = store.Fold(tag)
	if !isTag(tag) || len(tags) == MaxTags || utf8.RuneCountInString(tag) > MaxTag || slices.Contains(tags, tag) {
		return tags
	}
	return append(tags, tag)
}

func hasSign(s string) bool { return strings.IndexByte(s, '#') >= 0 || strings.Contains(s, "＃") }

func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "([<\"'")), "www.")
}

func isTag(s string) bool {
	return wholeTag.MatchString(s) && strings.ContainsFunc(s, unicode.IsLetter)
}

var wholeTag = regexp.MustCompile(`^[\pL\pM\pN](?:[` + tagRune + `]*[\pL\pM\pN])?$`)

func isJoiner(r rune) bool { return strings.ContainsRune("_-\u200c\u200d", r) }

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
