package core

import (
	"fmt"
	"strings"
	"unicode"
)

// checkPlain refuses text that looks like another text or reorders the text beside it. Joiners, variation selectors,
// U+200E and U+200F are allowed: people need them to write.
func checkPlain(s, name string) error {
	var open []rune // the marks that end what is open
	for _, r := range s {
		switch {
		case r == '\u202d' || r == '\u202e': // overrides
			return InvalidField(name, "%s must not contain %s, which reverses text; remove it.", name, character(r))
		case r == '\u202a' || r == '\u202b': // embeddings
			open = append(open, '\u202c')
		case r >= '\u2066' && r <= '\u2068': // isolates
			open = append(open, '\u2069')
		case r == '\u202c' || r == '\u2069':
			if len(open) == 0 || open[len(open)-1] != r {
				return InvalidField(name, "%s has %s, which ends a direction of writing, without the character that begins it; remove it.", name,
					character(r))
			}
			open = open[:len(open)-1]
		case unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r):
			return InvalidField(name, "%s must not contain %s, a control character; remove it.", name, character(r))
		}
	}
	if len(open) > 0 {
		return InvalidField(name, "%s begins a direction of writing and does not end it with %s; add that, or remove the character that begins "+
			"it.", name, character(open[len(open)-1]))
	}
	return nil
}

// Plain returns s without the characters that the rule "plain" refuses, for names from other services.
func Plain(s string) string {
	if checkPlain(s, "") == nil {
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

func character(r rune) string { return fmt.Sprintf("the character U+%04X", r) }
