package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is how a token is compared.
type kind uint8

const (
	word   kind = iota // letters of a script that separates words
	number             // equal or different
	gram               // characters of a script that does not separate words
	symbol             // an emoji or another symbol
)

// piece is a token before it is weighed.
type piece struct {
	text  string
	kind  kind
	end   bool // a sentence ends after it
	pause bool // a comma, colon, bracket or dash stands after it
}

// maxPieces bounds the work of a comparison.
const maxPieces = 200

// split returns the tokens of a folded text, in order.
func split(text string) []piece { return splitWith(text, appendGrams) }

// splitWith is split with another way to divide what is not divided by spaces.
func splitWith(text string, divide func(out []piece, class class, run []rune) []piece) []piece {
	var out []piece
	runes := []rune(text)
	for i := 0; i < len(runes) && len(out) < maxPieces; {
		class := classOf(runes[i])
		j := i + 1
		switch class {
		case none:
			if len(out) > 0 {
				last := &out[len(out)-1]
				last.end = last.end || endsSentence(runes[i])
				last.pause = last.pause || pauses(runes[i]) || runes[i] == '-' && i > 0 && runes[i-1] == ' '
			}
		case pictures:
			// Skin tones and joined emoji say the same as the first one.
			for j < len(runes) && (runes[j] >= 0x1F3FB && runes[j] <= 0x1F3FF) {
				j++
			}
			out = append(out, piece{text: string(runes[i]), kind: symbol})
		default:
			for j < len(runes) && (classOf(runes[j]) == class || unicode.IsMark(runes[j])) {
				j++
			}
			switch class {
			case digits:
				out = append(out, piece{text: string(runes[i:j]), kind: number})
			case letters:
				out = append(out, piece{text: string(runes[i:j]), kind: word})
			default:
				out = divide(out, class, runes[i:j])
			}
		}
		i = j
	}
	return out[:min(len(out), maxPieces)]
}

// appendGrams adds the overlapping parts of a run: two characters, or three of alphabets.
func appendGrams(out []piece, class class, run []rune) []piece {
	n := 2
	if class == triples {
		n = 3
	}
	if len(run) <= n {
		return append(out, piece{text: string(run), kind: gram})
	}
	for i := 0; i+n <= len(run) && len(out) < maxPieces; i++ {
		out = append(out, piece{text: string(run[i : i+n]), kind: gram})
	}
	return out
}

// class is what characters form tokens together.
type class uint8

const (
	none class = iota
	letters
	digits
	pairs   // Chinese and Japanese
	triples // Thai, Lao, Khmer, Burmese
	pictures
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			return letters
		case r >= '0' && r <= '9':
			return digits
		}
		return none
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー':
		return pairs
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return triples
	case unicode.IsDigit(r):
		return digits
	case unicode.IsLetter(r) || unicode.IsMark(r) || r == zeroWidthNonJoiner:
		return letters
	case unicode.Is(unicode.So, r):
		return pictures
	}
	return none
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?\n。！？؟۔।…;¿¡", r) }

func pauses(r rune) bool { return strings.ContainsRune(",:()[]–—/、，：（）،؛؍|", r) }
