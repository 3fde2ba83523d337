package core

import (
	"fmt"
	"strings"
	"unicode"
)

// unplain says what makes s look like another text or reorder the text beside it: "must not contain …", or "" for
// nothing. Joiners, variation selectors, U+200E and U+200F are allowed: people need them to write.
func unplain(s string) string {
	var open []rune // the marks that end what is open
	for _, r := range s {
		switch {
		case r == '\u202d' || r == '\u202e': // overrides
			return fmt.Sprintf("must not contain the character %U, which reverses text; remove it", r)
		case r == '\u202a' || r == '\u202b': // embeddings
			open = append(open, '\u202c')
		case r >= '\u2066' && r <= '\u2068': // isolates
			open = append(open, '\u2069')
		case r == '\u202c' || r == '\u2069':
			if len(open) == 0 || open[len(open)-1] != r {
				return fmt.Sprintf("has the character %U, which ends a direction of writing, without the character that begins it; remove it", r)
			}
			open = open[:len(open)-1]
		case unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r):
			return fmt.Sprintf("must not contain the character %U, a control character; remove it", r)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("begins a direction of writing and does not end it with the character %U; add that, or remove the character that "+
			"begins it", open[len(open)-1])
	}
	return ""
}

// Plain returns s without the characters that the rule "plain" refuses, for names from other services.
func Plain(s string) string {
	if unplain(s) == "" {
		return s
	}
	return strings.Map(func(r rune) rune {
		direction := r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
		if direction || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
