//go:build unix

package storetest

import (
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// fragments are what the readers of the text of messages look for.
var fragments = []string{"a", "ﷺ", "😀", " ", "\n", "\n\n", "\t", ".", "(", ")", "[", "]", "](", "!", "<", ">", "> ", "- ", "1. ", "*", "**", "_", "~", "`", "```\n", "\\", "\"", "'", "&",
	":", ":a", ":tada:", "@", "@a", "#", "#a", "://", "http://", "http://@", "http://%", "http://[", "http://a.b", "HTTPS://a.b/", "(http://@", " http://@", "<a@b.c>", "\u202e", "\xff"}

// Shapes calls yield with texts of a number of characters in which fragments are
// repeated, alone and in pairs: every pair at full length, and else one of four, each
// fragment with others.
func Shapes(length int, yield func(name, text string)) {
	fill := func(s string, n int) string {
		return firstRunes(strings.Repeat(s, n/utf8.RuneCountInString(s)+1), n)
	}
	sparse := func(s, by string) string { // few enough for a message to be read as markup
		const n = 140
		return fill(strings.Repeat(s+fill(by, length/n-utf8.RuneCountInString(s)), n), length)
	}
	every := Rounds(4, 1)
	for i, a := range fragments {
		yield(a, fill(a, length))
		for j, b := range fragments {
			if (i+j)%every != 0 {
				continue
			}
			yield(a+b, fill(a+b, length))
			yield(a+" then "+b, fill(a, length/2)+fill(b, length/2))
			yield("few "+a+" in "+b, sparse(a, b))
		}
	}
}

func firstRunes(s string, n int) string {
	for at := range s {
		if n--; n < 0 {
			return s[:at]
		}
	}
	return s
}

// CheckTime reports shapes of text for which read takes more than about twice as long as
// for half of the text.
func CheckTime(t *testing.T, length int, read func(string)) {
	t.Helper()
	Shapes(length, func(name, text string) { CheckGrowth(t, name, text, read) })
}

// CheckGrowth reports a text for which read takes more than about twice as long as for
// half of it, unless both are too short to be compared. It is for tests that do not run
// at the same time as others.
func CheckGrowth(t *testing.T, name, text string, read func(string)) {
	t.Helper()
	const comparable = 100 * time.Millisecond
	if spent(t, func() { read(text) }) < comparable {
		return
	}
	half := firstRunes(text, utf8.RuneCountInString(text)/2)
	if whole, half := leastTime(t, func() { read(text) }), leastTime(t, func() { read(half) }); whole > comparable && whole > 3*half {
		t.Errorf("%q: %v, and half of it %v", name, whole, half)
	}
}

// leastTime returns how long the processors work for f.
func leastTime(t *testing.T, f func()) time.Duration {
	t.Helper()
	least := spent(t, f)
	for range 2 {
		least = min(least, spent(t, f))
	}
	return least
}

func spent(t *testing.T, f func()) time.Duration {
	t.Helper()
	before := used(t)
	f()
	return used(t) - before
}

// used returns how long the processors have worked for this process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
