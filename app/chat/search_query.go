package chat

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"hearth/app/core"
	"hearth/store"
)

// Limits of a search; the rest of its text is ignored.
const (
	maxSearch = 200 // code points
	maxTerms  = 16  // words, phrases and filters
)

type searchQuery struct {
	store.Search
	from []string // names or ids of senders; one must match
	in   []string // titles or ids of conversations, or names of the people in direct ones
}

// parseSearch splits words at spaces; words in quotation marks are a phrase. from:, in:, before:, after:, on: and
// has: filter. Everything else is words, so that no text is an error.
func parseSearch(text string) (q searchQuery) {
	for _, p := range splitSearch(text) {
		if !q.filter(p) {
			q.term(p)
		}
	}
	return q
}

type searchPart struct {
	key    string // of key:value, in lower case; "" without
	text   string // the value, or all of it
	quoted bool   // the text was in quotation marks
}

func splitSearch(text string) (parts []searchPart) {
	rest := core.FirstRunes(text, maxSearch)
	for len(parts) < maxTerms {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		var p searchPart
		p, rest = nextPart(rest)
		parts = append(parts, p)
	}
	return parts
}

func nextPart(rest string) (p searchPart, after string) {
	word := rest
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		word = rest[:i]
	}
	if key, value, ok := strings.Cut(word, ":"); ok && value != "" && isFilter(strings.ToLower(key)) {
		p.key, rest = strings.ToLower(key), rest[len(key)+1:]
		word = value
	}
	if text, after, ok := cutQuoted(rest); ok {
		p.text, p.quoted = text, true
		return p, after
	}
	p.text = word
	return p, rest[len(word):]
}

// All usual kinds of quotation marks are read. The closing one may be missing.
func cutQuoted(s string) (text, after string, ok bool) {
	for _, pair := range []string{`""`, "“”", "„“", "„”", "«»", "»«", "「」"} {
		marks := []rune(pair)
		rest, ok := strings.CutPrefix(s, string(marks[0]))
		if !ok {
			continue
		}
		if text, after, ok = strings.Cut(rest, string(marks[1])); ok || pair != "„“" {
			return text, after, true
		}
	}
	return "", "", false
}

func isFilter(key string) bool {
	return slices.Contains([]string{"from", "in", "before", "after", "on", "has"}, key)
}

func (q *searchQuery) filter(p searchPart) bool {
	switch p.key {
	case "from":
		q.from = append(q.from, strings.TrimPrefix(p.text, "@"))
	case "in":
		q.in = append(q.in, strings.TrimLeft(p.text, "#@"))
	case "has":
		return q.has(strings.ToLower(p.text))
	case "before", "after", "on":
		start, end, ok := parsePeriod(p.text)
		if !ok {
			return false
		}
		if p.key != "before" {
			q.From = max(q.From, start, 1)
		} else {
			end = start
		}
		if p.key != "after" && (q.Until == 0 || end < q.Until) {
			q.Until = max(end, 1)
		}
	default:
		return false
	}
	return true
}

func (q *searchQuery) has(what string) bool {
	kind := map[string]string{
		"link": store.HasLink, "url": store.HasLink, "file": store.HasFile, "attachment": store.HasFile,
		"image": store.HasImage, "photo": store.HasImage, "picture": store.HasImage,
		"audio": store.HasAudio, "voice": store.HasAudio, "sound": store.HasAudio, "video": store.HasVideo,
	}[strings.TrimSuffix(what, "s")]
	switch {
	case kind != "":
		q.Has = append(q.Has, kind)
	case what == "reaction" || what == "reactions":
		q.Reacted = true
	default:
		return false
	}
	return true
}

// parsePeriod reads a year, a month, a day or a time. Days are in UTC.
func parsePeriod(s string) (start, end store.Time, ok bool) {
	if at, err := store.ParseTime(strings.ToUpper(s)); err == nil {
		return at, at + 1, true
	}
	for _, p := range []struct {
		layout             string
		years, months, day int
	}{{"2006", 1, 0, 0}, {"2006-1", 0, 1, 0}, {"2006-1-2", 0, 0, 1}} {
		first, err := time.Parse(p.layout, s)
		if err == nil && first.Year() >= 1970 && first.Year() < 9999 {
			return store.TimeOf(first), store.TimeOf(first.AddDate(p.years, p.months, p.day)), true
		}
	}
	return 0, 0, false
}

func (q *searchQuery) term(p searchPart) {
	text := p.text
	if p.key != "" {
		text = p.key + ":" + text
	}
	q.Terms = store.AddTerm(q.Terms, text, p.quoted && p.key == "")
}

func (q *searchQuery) empty() bool {
	return len(q.Terms)+len(q.from)+len(q.in)+len(q.Has) == 0 && !q.Reacted && q.From == 0 && q.Until == 0
}
