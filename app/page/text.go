package page

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Segment is a piece of plain text; with URL it is a link.
type Segment struct{ Text, URL string }

// linkStart finds where an address may begin.
var linkStart = regexp.MustCompile(`(?i)https?://`)

// linkify splits text at its http(s) addresses. An address ends at white
// space, at a quote or bracket that opens elsewhere, and loses closing
// punctuation that belongs to the sentence around it.
func linkify(text string) []Segment {
	var out []Segment
	done, from := 0, 0
	for {
		m := linkStart.FindStringIndex(text[from:])
		if m == nil {
			break
		}
		start, after := from+m[0], from+m[1]
		from = after
		if before, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && isWord(before) {
			continue
		}
		end := trimLink(text, start, linkEnd(text, after))
		if end <= after {
			continue
		}
		if u, err := url.Parse(text[start:end]); err != nil || u.Hostname() == "" || u.User != nil {
			continue
		}
		if start > done {
			out = append(out, Segment{Text: text[done:start]})
		}
		out = append(out, Segment{Text: text[start:end], URL: text[start:end]})
		done, from = end, end
	}
	if done < len(text) {
		out = append(out, Segment{Text: text[done:]})
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func linkEnd(text string, from int) int {
	for i, r := range text[from:] {
		if unicode.IsSpace(r) || r < 0x20 || r == 0x7f || strings.ContainsRune("<>\"`{}|\\^\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", r) {
			return from + i
		}
	}
	return len(text)
}

// trimLink returns the end of an address without the punctuation of the
// sentence around it. A closing bracket stays if the address has its opening.
func trimLink(text string, start, end int) int {
	for end > start {
		r, size := utf8.DecodeLastRuneInString(text[start:end])
		switch {
		case strings.ContainsRune(".,;:!?'*_~…。，、！？；：”’»", r):
		case r == ')' && strings.Count(text[start:end], ")") > strings.Count(text[start:end], "("):
		case r == ']' && strings.Count(text[start:end], "]") > strings.Count(text[start:end], "["):
		default:
			return end
		}
		end -= size
	}
	return end
}

// hostOf returns what to show for a source: the host and a bit of the path.
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
