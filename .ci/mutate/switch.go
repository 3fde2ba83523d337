package main

// switchCode is the package switchPath. A test runs with HEARTH_MUTANT, the number of
// the active defect, or with HEARTH_MUTANTS, a file to which the numbers of those
// that are executed are added.
const switchCode = `package mutant

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	active, _ = strconv.Atoi(os.Getenv("HEARTH_MUTANT"))
	executed  = os.Getenv("HEARTH_MUTANTS")
	seen      sync.Map
)

func On(id int) bool {
	if executed != "" {
		record(id)
	}
	return id == active
}

func record(id int) {
	if _, ok := seen.LoadOrStore(id, true); ok {
		return
	}
	if f, err := os.OpenFile(executed, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.WriteString(strconv.Itoa(id) + "\n")
		f.Close()
	}
}

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func Number[T number](id int, n, by T) T {
	if On(id) {
		return n + by
	}
	return n
}

func Add[T number](id int, a, b T) T {
	if On(id) {
		return a - b
	}
	return a + b
}

func Subtract[T number](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a - b
}

func Text[T ~string](id int, s T, from, to int, text string) T {
	if On(id) && to <= len(s) {
		return s[:from] + T(text) + s[to:]
	}
	return s
}

// Conditions makes a condition that is marked in SQL always true, and keeps its
// parameters. If it is a predicate of visibility, it is none any more.
func Conditions[T ~string](s T) T {
	for {
		i := strings.IndexByte(string(s), 0)
		if i < 0 {
			return s
		}
		end := i + 1 + condition(string(s[i+1:]))
		s = s[:i] + " (" + T(predicate.ReplaceAllString(string(s[i+1:end]), " ")) + " OR TRUE) " + s[end:]
	}
}

var (
	word      = regexp.MustCompile("(?s)'(?:[^']|'')*'|/\\*.*?\\*/|[A-Za-z_?][\\w.]*|\\S")
	over      = regexp.MustCompile("^(AND|OR|WHERE|GROUP|ORDER|LIMIT|UNION|EXCEPT|RETURNING|ON|JOIN|LEFT|CROSS|HAVING|THEN|ELSE|END|WHEN|SET|,|\\)|;|AS|DESC)$")
	predicate = regexp.MustCompile("/\\* (visible: \\w+|end) \\*/")
)

// condition returns where the condition ends with which some SQL begins.
func condition(s string) int {
	depth, between := 0, false
	for _, at := range word.FindAllStringIndex(s, -1) {
		w := s[at[0]:at[1]]
		switch {
		case depth == 0 && w == "AND" && between:
			between = false
		case depth == 0 && (over.MatchString(w) || w == "/"+"* end */"):
			return at[0]
		case w == "(" || w == "CASE" || strings.HasPrefix(w, "/"+"* visible:"):
			depth++
		case w == ")" || w == "END" || w == "/"+"* end */":
			depth--
		case depth == 0 && w == "BETWEEN":
			between = true
		}
	}
	return len(s)
}
`
