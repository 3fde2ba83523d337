package store

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxAloneGap is how many characters that are folded by themselves are folded with
// those around them: to split the text there costs more.
const maxAloneGap = 8

// foldWords returns the form of s in which words are compared: that of Fold,
// without accents, vowel points and the like in the scripts whose readers leave
// them out. It is what foldPiece returns, and looks up most of it.
func foldWords(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	b := make([]byte, 0, len(s)+8)
	for s != "" {
		n := aloneRun(s)
		if n < len(s) && n > 0 { // what follows may be combined with the last character
			_, size := utf8.DecodeLastRuneInString(s[:n])
			n -= size
		}
		b = appendAlone(b, s[:n])
		s = s[n:]
		end, alone := 0, 0
		for i, r := range s {
			if isAlone(r) {
				if alone++; alone > maxAloneGap {
					break
				}
				continue
			}
			end, alone = i+max(1, runeSize(s[i:])), 0
		}
		if end > 0 {
			b = append(b, foldPiece(s[:end])...)
			s = s[end:]
		}
	}
	return string(b)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// aloneRun returns the length of the characters at the beginning of s that are
// folded by themselves.
func aloneRun(s string) int {
	for i, r := range s {
		if !isAlone(r) {
			return i
		}
	}
	return len(s)
}

// appendAlone appends the folded form of characters that are folded by themselves.
func appendAlone(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case 'A' <= r && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case r < utf8.RuneSelf:
			b = append(b, byte(r))
		case r < tabled:
			b = append(b, foldPageOf(r).text(r)...)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// isAlone reports whether r is folded by itself, unless what follows is not.
func isAlone(r rune) bool {
	return r < utf8.RuneSelf || r < tabled && foldPageOf(r).ends[r&0xff+1] != foldPageOf(r).ends[r&0xff] || isRareHan(r)
}

// isRareHan reports whether r is one of most of the Han characters that are not in
// the tables below; each is its own folded form.
func isRareHan(r rune) bool { return '\U00020000' <= r && r <= '\U0002a6df' }

func runeSize(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// foldPiece is foldWords without what has been looked up before.
func foldPiece(s string) string {
	s = norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, " ")))))
	b := make([]byte, 0, len(s))
	bare := false // the last character was of a script whose marks are dropped
	for _, r := range s {
		if r < utf8.RuneSelf {
			b, bare = append(b, byte(r)), true
			continue
		}
		switch class := classOf(r); {
		case class&nonspacing != 0:
			if bare && class&bareMark != 0 {
				continue
			}
		case r == 'ـ', class.kind() == ignored: // the first stretches Arabic words
			continue
		default:
			bare = class&bareScript != 0
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

// The tables of Unicode take long to ask. What they say of characters before tabled,
// which has all scripts but the rarer Han characters, is kept in pages of 256.
const tabled = 0x20000

var (
	classPages [tabled >> 8]atomic.Pointer[classPage]
	foldPages  [tabled >> 8]atomic.Pointer[foldPage]
)

// class is what the tables say of a character: its wordKind, and
type class uint8

const (
	nonspacing class = 1 << (iota + 4) // it is a mark without a width
	bareMark                           // that is dropped behind a character of
	bareScript                         // a script whose marks are dropped
)

func (c class) kind() wordKind { return wordKind(c & 0xf) }

type classPage [256]class

func classOf(r rune) class {
	if r >= tabled {
		return readClass(r)
	}
	page := classPages[r>>8].Load()
	if page == nil {
		page = new(classPage)
		for i := range page {
			page[i] = readClass(r&^0xff | rune(i))
		}
		classPages[r>>8].Store(page)
	}
	return page[r&0xff]
}

// readClass is classOf from the tables.
func readClass(r rune) class {
	c := class(readKind(r))
	if unicode.Is(unicode.Mn, r) {
		c |= nonspacing
	}
	if unicode.In(r, unicode.Inherited, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic) {
		c |= bareMark
	}
	if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic) {
		c |= bareScript
	}
	return c
}

// readKind is kindOf from the tables, of what is not ASCII.
func readKind(r rune) wordKind {
	switch {
	case r < 0x0e00: // none of the scripts
	case r == 'ー', r == '々', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return spaceless
	}
	switch {
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

// foldPage has the folded forms of the characters that are folded by themselves,
// and nothing of the others.
type foldPage struct {
	all  string
	ends [257]uint16 // where the form of each begins in all, and that of the last ends
}

func (p *foldPage) text(r rune) string { return p.all[p.ends[r&0xff]:p.ends[r&0xff+1]] }

func foldPageOf(r rune) *foldPage {
	page := foldPages[r>>8].Load()
	if page == nil {
		page = readFoldPage(r &^ 0xff)
		foldPages[r>>8].Store(page)
	}
	return page
}

// readFoldPage folds 256 characters from first on.
func readFoldPage(first rune) *foldPage {
	page := new(foldPage)
	var b []byte
	for i := range rune(256) {
		if s := string(first + i); first+i != utf8.RuneError && norm.NFKC.PropertiesString(s).BoundaryBefore() {
			// A form that begins with a mark, or with what is combined with the
			// character before, or is empty, depends on that character.
			folded := foldPiece(s)
			r, _ := utf8.DecodeRuneInString(folded)
			if folded != "" && !unicode.IsMark(r) && norm.NFC.PropertiesString(folded).BoundaryBefore() {
				b = append(b, folded...)
			}
		}
		page.ends[i+1] = uint16(len(b))
	}
	page.all = string(b)
	return page
}
