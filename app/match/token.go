package match

import (
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
	text string
	kind kind
	end  bool // a sentence ends after it
}

// maxPieces bounds the work of a comparison.
const maxPieces = 200

// split returns the tokens of a folded text, in order.
func split(text string) []piece {
	var out []piece
	runes := []rune(text)
	for i := 0; i < len(runes) && len(out) < maxPieces; {
		class := classOf(runes[i])
		j := i + 1
		switch class {
		case none:
			if endsSentence(runes[i]) && len(out) > 0 {
				out[len(out)-1].end = true
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
			out = appendRun(out, class, runes[i:j])
		}
		i = j
	}
	return out[:min(len(out), maxPieces)]
}

func appendRun(out []piece, class class, run []rune) []piece {
	switch class {
	case digits:
		return append(out, piece{text: string(run), kind: number})
	case pairs:
		return appendGrams(out, run, 2)
	case triples:
		return appendGrams(out, run, 3)
	}
	return append(out, piece{text: string(run), kind: word})
}

// appendGrams adds the overlapping parts of n characters of a run.
func appendGrams(out []piece, run []rune, n int) []piece {
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

func endsSentence(r rune) bool {
	switch r {
	case '.', '!', '?', '\n', '。', '！', '？', '؟', '۔', '।', '…', ';', '¿', '¡':
		return true
	}
	return false
}
