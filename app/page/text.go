package page

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Segment is a piece of text; with URL it is a link.
type Segment struct{ Text, URL string }

const maxAddress = 2048

// linkify splits text at its http(s) addresses. An address ends at white space, a quote or an opening
// bracket. Closing punctuation of the sentence is not part of it. The time is linear.
func linkify(text string) []Segment {
	var out []Segment
	done, from := 0, 0
	for {
		start, after := schemeIn(text, from)
		if start < 0 {
			break
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && isWord(before) {
			from = after
			continue
		}
		length, next := addressAt(text[start:], after-start)
		if from = start + next; length == 0 {
			continue
		}
		if start > done {
			out = append(out, Segment{Text: text[done:start]})
		}
		done = start + length
		out = append(out, Segment{Text: text[start:done], URL: text[start:done]})
	}
	if done < len(text) {
		out = append(out, Segment{Text: text[done:]})
	}
	return out
}

// schemeIn returns the range of the first http:// or https:// at or after from, or -1.
func schemeIn(text string, from int) (start, after int) {
	for at := from; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			return -1, -1
		}
		i += at
		at = i + len("://")
		for _, start := range []int{i - len("https"), i - len("http")} {
			if start >= from && schemeLength(text[start:at]) == at-start {
				return start, at
			}
		}
	}
}

// schemeLength returns the length of a leading http:// or https://, or 0.
func schemeLength[T string | []byte](text T) int {
	for _, scheme := range []string{"http://", "https://"} {
		if len(text) >= len(scheme) && strings.EqualFold(string(text[:len(scheme)]), scheme) {
			return len(scheme)
		}
	}
	return 0
}

// addressAt returns the end of the address that text begins with, and where the next one may begin. The end
// is 0 without an address.
func addressAt(text string, scheme int) (end, next int) {
	next = linkEnd(text[:min(len(text), maxAddress)], scheme)
	if next == maxAddress {
		return 0, next
	}
	end = trimLink(text[:next])
	if end <= scheme {
		return 0, next
	}
	if u, err := url.Parse(text[:end]); err != nil || u.Hostname() == "" || u.User != nil {
		return 0, next
	}
	return end, end
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func linkEnd(text string, from int) int {
	for i, r := range text[from:] {
		if unicode.IsSpace(r) || r < 0x20 || r == 0x7f ||
			strings.ContainsRune("<>\"`{}|\\^\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", r) {
			return from + i
		}
	}
	return len(text)
}

// trimLink removes the punctuation of the sentence from the end of an address. A closing bracket stays if the
// address has its opening.
func trimLink(address string) int {
	round := strings.Count(address, ")") - strings.Count(address, "(") // surplus of closing brackets
	square := strings.Count(address, "]") - strings.Count(address, "[")
	end := len(address)
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(address[:end])
		switch {
		case strings.ContainsRune(".,;:!?'*_~…。，、！？；：”’»", r):
		case r == ')' && round > 0:
			round--
		case r == ']' && square > 0:
			square--
		default:
			return end
		}
		end -= size
	}
	return end
}

// hostOf returns the host and the start of the path.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.") + strings.TrimSuffix(u.EscapedPath(), "/")
}

// oneLine returns the beginning of a text as one line of at most most runes.
func oneLine(s string, most int) string {
	words := []rune(strings.Join(strings.Fields(s), " "))
	if len(words) <= most {
		return string(words)
	}
	return string(words[:most-1]) + "…"
}
