package account

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/store"
)

// commonPasswords has the 3,000 most common passwords of letters, which people make
// longer with digits, and those with 12 characters or more among the 49,000 most
// common ones. They are from the package language-common of zxcvbn-ts (MIT licence).
//
//go:embed passwords.txt
var commonPasswords string

// isCommon reports whether a folded text is one of commonPasswords.
func isCommon(s string) bool {
	return s != "" && strings.Contains("\n"+commonPasswords, "\n"+s+"\n")
}

const (
	// minOwn is how many characters of a password are to be neither repeated nor
	// words of the context, and minSteps how many of them do not follow the one
	// before, as in aaa, abc or 321.
	minOwn   = 8
	minSteps = 5
	// minContextWord is from which length on a word of the context is looked for.
	minContextWord = 4
)

// checkPassword returns an Invalid error for a password that is easy to guess: a
// common one, also with digits before or after it, a repetition, a sequence, or one
// that is little more than words of the context, such as the account's address.
func checkPassword(password string, context ...string) error {
	if !easyToGuess(password, context) {
		return nil
	}
	err := core.InvalidField("password", "This password is easy to guess: it is common, or little more than the address, the name, or the name of this server. Choose another one, such as four random words.")
	err.Code = "weak_password"
	return err
}

func easyToGuess(password string, context []string) bool {
	text := repeated(strings.ReplaceAll(store.Fold(password), " ", ""))
	word := strings.TrimFunc(text, func(c rune) bool { return !unicode.IsLetter(c) })
	if isCommon(text) || isCommon(word) || steps(text) < minSteps {
		return true
	}
	for _, word := range contextWords(context) {
		text = strings.ReplaceAll(text, word, "")
	}
	return utf8.RuneCountInString(text) < minOwn
}

// repeated returns what s repeats, or s.
func repeated(s string) string {
	for n := range s {
		if n > 0 && n <= len(s)/2 && len(s)%n == 0 && strings.Repeat(s[:n], len(s)/n) == s {
			return s[:n]
		}
	}
	return s
}

// steps counts the characters that are not the one before, or next to it.
func steps(s string) (n int) {
	before := rune(-2)
	for _, c := range s {
		if c < before-1 || c > before+1 {
			n++
		}
		before = c
	}
	return n
}

// contextWords returns the texts and the words in them, folded, the longest first.
func contextWords(texts []string) (words []string) {
	for _, text := range texts {
		folded := store.Fold(text)
		words = append(words, strings.ReplaceAll(folded, " ", ""))
		words = append(words, strings.FieldsFunc(folded, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })...)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return utf8.RuneCountInString(w) < minContextWord })
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}
