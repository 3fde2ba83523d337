package app_test

import (
	"regexp"
	"strings"
)

// planted finds the words of private texts, the names of the cast, and their addresses.
var planted = regexp.MustCompile(`canary\w+|\b(Ada|Ben|Cléo|Dora|Emil)\b|غريب|[a-z]+@example\.org`)

// notSent returns the planted words of a response that the request does not have.
func notSent(request string, response []byte) (words []string) {
	for _, word := range planted.FindAllString(string(response), -1) {
		if !strings.Contains(request, word) {
			words = append(words, word)
		}
	}
	return words
}
