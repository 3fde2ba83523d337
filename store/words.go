package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of s in the form in which a search compares them, each
// after a space and a space at the end: "Café, Straße!" is " cafe strasse ". It
// is "" without a word. Words are runs of letters, marks and digits; a symbol
// such as an emoji is a word of its own, and so is a run of a script that is
// written without spaces.
func Words(s string) string {
	s = foldWords(s)
	w := wordWriter{b: make([]byte, 0, len(s)+len(s)/4+2)}
	for _, r := range s {
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
	case r < 0x0e00: // none of the scripts without spaces
	case r == 'ー', r == '々', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return spaceless
	}
	switch {
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return letter
	case r < utf8.RuneSelf:
		return apart
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
func isSpaceless(r rune) bool { return kindOf(r) == spaceless }

// spaced returns words with spaces between the characters of runs without spaces, as they
// are in an index.
func spaced(words string) string {
	var b strings.Builder
	for _, r := range words {
		b.WriteRune(r)
		if isSpaceless(r) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func startsSpaceless(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return isSpaceless(first)
}
