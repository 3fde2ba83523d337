package store

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the form of s under which texts are compared without regard
// to case, in any script: NFKC, case-folded, white space collapsed. SQLite
// itself folds ASCII only.
func Fold(s string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))), " ")
}
