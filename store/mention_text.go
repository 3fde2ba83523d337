package store

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the search for names in a text.
const (
	maxPlaces   = 60  // signs "@" that are considered
	maxNameEnds = 24  // words, or characters of a script without spaces, of a name
	maxNameSize = 100 // characters
)

// nameAt is a part of a text that may be a name, with its form of nameKey.
type nameAt struct {
	start, end int // start is the place of "@"
	key        string
}

// namesIn returns where a text may name somebody, the longest name of a place first: behind
// "@" at the beginning of a word, outside code.
func namesIn(s string) (out []nameAt) {
	if !strings.Contains(s, "@") {
		return nil
	}
	code, places := codeIn(s), 0
	for at := range s {
		if s[at] != '@' || !beginsMention(s[:at]) || slices.ContainsFunc(code, func(c [2]int) bool { return c[0] <= at && at < c[1] }) {
			continue
		}
		ends := nameEnds(s[at+1:])
		for _, n := range slices.Backward(ends) {
			end := at + 1 + n
			out = append(out, nameAt{at, end, nameKey(s[at+1 : end])})
		}
		if len(ends) > 0 {
			places++
		}
		if places == maxPlaces {
			break
		}
	}
	return out
}

var ticks = regexp.MustCompile("`+")

// codeIn returns the parts of a text from backticks to the same number of backticks.
func codeIn(s string) (out [][2]int) {
	runs := ticks.FindAllStringIndex(s, 2*maxPlaces)
	for i := 0; i < len(runs); i++ {
		size := runs[i][1] - runs[i][0]
		n := slices.IndexFunc(runs[i+1:], func(r []int) bool { return r[1]-r[0] == size })
		if n >= 0 {
			out = append(out, [2]int{runs[i][0], runs[i+1+n][1]})
			i += 1 + n
		}
	}
	return out
}

// beginsMention reports whether an "@" behind a text is the beginning of a word,
// and not part of an address.
func beginsMention(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	switch {
	case size == 0:
		return true
	case strings.ContainsRune(`@/\`, r), kindTyped(r) == letter, kindTyped(r) == mark:
		return false
	case strings.ContainsRune("_+-%&=", r): // as in "ada_@example.org", and not as in "_@Ada_"
		r, _ = utf8.DecodeLastRuneInString(before[:len(before)-size])
		return kindTyped(r) != letter
	}
	return true
}

// nameEnds returns where a name may end with which a text begins.
func nameEnds(text string) (out []int) {
	last, count := apart, 0
	for i, r := range text {
		kind := kindTyped(r)
		if i == 0 && kind == apart || r == utf8.RuneError {
			return out
		}
		if last != apart && endsName(last, kind, text[i:]) {
			out = append(out, i)
		}
		if r == '\n' || count == maxNameSize || len(out) == maxNameEnds {
			return out
		}
		if kind != mark && kind != ignored {
			last = kind
		}
		count++
	}
	if last != apart {
		out = append(out, len(text))
	}
	return out
}

// endsName reports whether a name can end with a character of a kind before the
// rest of the text, which begins with one of kind next.
func endsName(last, next wordKind, rest string) bool {
	switch next {
	case mark, ignored:
		return false
	case letter:
		return last != letter
	case apart:
		if rest[0] == '@' {
			return false
		}
		after, _ := utf8.DecodeRuneInString(rest[1:])
		return rest[0] != '_' && rest[0] != '-' || kindTyped(after) != letter
	}
	return true
}

// kindTyped is kindOf for a character that is not folded.
func kindTyped(r rune) wordKind { return kindOf(unicode.ToLower(r)) }

// sameSigns reports whether a name is typed with the punctuation that it has, or
// with none: "@Ada, Byron" does not name Ada Byron.
func sameSigns(typed, name string) bool {
	t := signs(typed)
	return t == "" || t == signs(name)
}

// signs returns what of a text is neither part of a word nor space.
func signs(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case kindTyped(r) != apart || unicode.IsSpace(r):
			return -1
		case r == '’':
			return '\''
		}
		return r
	}, s)
}
