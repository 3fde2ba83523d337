package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Words returns the words of s in the form in which a search compares them, each
// after a space and a space at the end: "Café, Straße!" is " cafe strasse ". It
// is "" without a word. Words are runs of letters, marks and digits; a symbol
// such as an emoji is a word of its own, and so is a run of a script that is
// written without spaces.
func Words(s string) string {
	w := wordWriter{b: make([]byte, 0, len(s)+len(s)/4+2)}
	for _, r := range foldWords(s) {
		w.add(r)
	}
	return string(w.end())
}

// wordWriter writes words in the form of Words.
type wordWriter struct {
	b    []byte
	last wordKind
}

// add writes one folded character.
func (w *wordWriter) add(r rune) {
	kind := kindOf(r)
	if kind == mark {
		if kind = w.last; kind == symbol {
			kind = ignored
		}
	}
	switch {
	case kind == ignored:
		return
	case kind != w.last && w.last != apart, kind != apart && len(w.b) == 0, kind == symbol && w.last == symbol:
		w.b = append(w.b, ' ')
	}
	if w.last = kind; kind != apart {
		w.b = utf8.AppendRune(w.b, r)
	}
}

// end returns what was written.
func (w *wordWriter) end() []byte {
	if w.last != apart {
		w.b = append(w.b, ' ')
	}
	return w.b
}

// wordKind is what a character contributes to words.
type wordKind uint8

const (
	apart     wordKind = iota // separates words
	letter                    // of a word between spaces
	spaceless                 // of a script without spaces between words
	symbol                    // is a word
	mark                      // belongs to the character before it
	ignored                   // as if it were not there
)

func kindOf(r rune) wordKind {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return letter
		}
		return apart
	case '\U0001f300' <= r && r <= '\U0001faff' && unicode.Is(unicode.So, r):
		return symbol // without the tables of scripts
	case isSpaceless(r):
		return spaceless
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return letter
	case unicode.Is(unicode.Variation_Selector, r):
		return ignored
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.So, r) && r != utf8.RuneError:
		return symbol
	case unicode.Is(unicode.Cf, r) && r != '\u200b': // a zero-width space separates
		return ignored
	}
	return apart
}

// isSpaceless reports whether r is of a script that is written without spaces
// between words, or, as Korean, with endings that nobody searches for.
func isSpaceless(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case '一' <= r && r <= '\u9fff', '가' <= r && r <= '힣':
		return true // without looking them up
	}
	return r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// maxPlainGap is how many characters that need no tables are folded with those
// around them: to split the text there costs more.
const maxPlainGap = 8

// foldWords returns the form of s in which words are compared: that of Fold,
// without accents, vowel points and the like in the scripts whose readers leave
// them out. It is folded in pieces, because most of most texts needs no tables.
func foldWords(s string) string {
	if plainRun(s) == len(s) {
		return strings.ToLower(s) // as ASCII, which is all that has cases here
	}
	b := make([]byte, 0, len(s)+8)
	for s != "" {
		n := plainRun(s)
		if n < len(s) && n > 0 { // what follows may be combined with the last character
			_, size := utf8.DecodeLastRuneInString(s[:n])
			n -= size
		}
		for i := range n {
			c := s[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b = append(b, c)
		}
		s = s[n:]
		end, plain := 0, 0
		for i, r := range s {
			if isPlain(r) {
				if plain++; plain > maxPlainGap {
					break
				}
				continue
			}
			end, plain = i+max(1, runeSize(s[i:])), 0
		}
		b = append(b, foldPiece(s[:end])...)
		s = s[end:]
	}
	return string(b)
}

// plainRun returns the length of the characters at the beginning of s of which
// each is its own folded form, or ASCII.
func plainRun(s string) int {
	for i, r := range s {
		if !isPlain(r) {
			return i
		}
	}
	return len(s)
}

func isPlain(r rune) bool {
	return r < utf8.RuneSelf || '一' <= r && r <= '\u9fff' || '가' <= r && r <= '힣' || 'ぁ' <= r && r <= 'ゖ' || 'ァ' <= r && r <= 'ヺ' || r == 'ー' ||
		'\U0001f300' <= r && r <= '\U0001faff'
}

func runeSize(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// foldPiece is foldWords without regard to what is in s.
func foldPiece(s string) string {
	s = norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, " ")))))
	b := make([]byte, 0, len(s))
	bare := false // the last character was of a script whose marks are dropped
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			bare = true
		case unicode.Is(unicode.Mn, r):
			if bare && unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic) {
				continue
			}
		case r == 'ـ', kindOf(r) == ignored: // the first stretches Arabic words
			continue
		default:
			bare = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
			if plain := plainLetter(r); plain != "" {
				b = append(b, plain...)
				continue
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return norm.NFC.String(string(b))
}

// plainLetter returns what is typed for a letter by those who do not have it;
// "" for all letters that Unicode takes apart itself.
func plainLetter(r rune) string {
	switch r {
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'ħ':
		return "h"
	case 'ı':
		return "i"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'þ':
		return "th"
	case 'ى', 'ی':
		return "ي"
	case 'ک':
		return "ك"
	}
	return ""
}

// tokens calls yield with each token under which a text with the words, as Words
// returns them, is found; some more than once. Of a word they are its first
// three, four and six characters, or itself if it is shorter, so that the search
// for the beginning of a word reads one list. Of a run without spaces they are
// its characters and pairs of characters.
func tokens(words string, yield func(string)) {
	for word := range strings.FieldsSeq(words) {
		if startsSpaceless(word) {
			spacelessTokens(word, yield)
			continue
		}
		n := 0
		for i := range word {
			if n == 3 || n == 4 || n == 6 {
				yield(word[:i])
			}
			if n++; n > 6 {
				break
			}
		}
		if n < 3 || n == 3 || n == 4 || n == 6 {
			yield(word)
		}
	}
}

func spacelessTokens(run string, yield func(string)) {
	before := -1 // where the character before begins
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		yield(run[i:end])
		if before >= 0 {
			yield(run[before:end])
		}
		before = i
	}
}

// queryTokens calls yield with the tokens that a text must have to contain the
// words or, of each word between spaces, one that begins with it.
func queryTokens(words string, yield func(string)) {
	for word := range strings.FieldsSeq(words) {
		if startsSpaceless(word) {
			pairTokens(word, yield)
			continue
		}
		n, longest := 0, 0
		for i := range word {
			if n == 3 || n == 4 || n == 6 {
				longest = i
			}
			if n++; n > 6 {
				break
			}
		}
		if n < 3 || n == 3 || n == 4 || n == 6 {
			longest = len(word)
		}
		yield(word[:longest])
	}
}

// pairTokens calls yield with the pairs of characters of a run, or with the
// character if it is only one.
func pairTokens(run string, yield func(string)) {
	if runes(run) == 1 {
		yield(run)
		return
	}
	before := -1
	for i, r := range run {
		if before >= 0 {
			yield(run[before : i+utf8.RuneLen(r)])
		}
		before = i
	}
}

func startsSpaceless(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return isSpaceless(first)
}

func runes(s string) int { return utf8.RuneCountInString(s) }
