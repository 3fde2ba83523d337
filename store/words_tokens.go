package store

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// tokenSet collects tokens. Short ones, which nearly all are of a text in a script
// without spaces, are kept as numbers in the order of the tokens: to sort these takes a
// fraction of the time.
type tokenSet struct {
	short []uint64 // tokens of up to eight bytes, with the first byte highest
	long  []string
}

// add adds a token, which has no NUL.
func (s *tokenSet) add(token string) {
	if len(token) > 8 {
		s.long = appendOnce(s.long, token)
		return
	}
	var b [8]byte
	copy(b[:], token)
	s.short = appendOnce(s.short, binary.BigEndian.Uint64(b[:]))
}

// appendOnce appends v to s. A full s is sorted, with each element once, before it grows:
// most tokens of a long text are repeated.
func appendOnce[E uint64 | string](s []E, v E) []E {
	if n := len(s); n == cap(s) {
		slices.Sort(s)
		if s = slices.Compact(s); 2*len(s) >= n {
			s = slices.Grow(s, max(n, 48))
		}
	}
	return append(s, v)
}

// sorted returns the tokens, each once and sorted. The result is not nil.
func (s *tokenSet) sorted() []string {
	slices.Sort(s.short)
	slices.Sort(s.long)
	return union(tokensOf(slices.Compact(s.short)), slices.Compact(s.long))
}

// tokensOf returns short tokens. They share their memory.
func tokensOf(short []uint64) []string {
	length := func(token uint64) int { return 8 - bits.TrailingZeros64(token)/8 }
	total := 0
	for _, n := range short {
		total += length(n)
	}
	all := make([]byte, 0, total+8)
	for _, n := range short {
		all = binary.BigEndian.AppendUint64(all, n)[:len(all)+length(n)]
	}
	text, out := string(all), make([]string, len(short))
	for i, n := range short {
		out[i], text = text[:length(n)], text[length(n):]
	}
	return out
}

// union returns the strings of a and b, each of which is sorted and has none twice, in
// the same form.
func union(a, b []string) []string {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		c := strings.Compare(a[0], b[0])
		if out = append(out, min(a[0], b[0])); c <= 0 {
			a = a[1:]
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// differ returns how many bytes the tokens take in an index of words that only a has, and
// those that only b has; both are sorted.
func differ(a, b []string) (ofA, ofB int) {
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			ofA, a = ofA+sizeOfTokens(a[:1]), a[1:]
		case c > 0:
			ofB, b = ofB+sizeOfTokens(b[:1]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return ofA + sizeOfTokens(a), ofB + sizeOfTokens(b)
}

// without returns those of a that are not in b; both are sorted. The result is not nil.
func without(a, b []string) []string {
	out := make([]string, 0, len(a))
	for _, t := range a {
		c := 1 // t is not in b
		for len(b) > 0 {
			if c = strings.Compare(b[0], t); c >= 0 {
				break
			}
			b = b[1:]
		}
		if len(b) == 0 || c != 0 {
			out = append(out, t)
		}
	}
	return out
}
