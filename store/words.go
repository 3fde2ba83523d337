package store

import (
	"strings"
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
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return letter
		}
		return apart
	}
	if isRareHan(r) {
		return spaceless
	}
	return classOf(r).kind()
}

// isSpaceless reports whether r is of a script that is written without spaces
// between words, or, as Korean, with endings that nobody searches for.
func isSpaceless(r rune) bool { return kindOf(r) == spaceless }

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
