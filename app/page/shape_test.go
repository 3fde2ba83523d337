package page

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hearth/app/core"
)

// fragments are what the readers of the text of messages look for.
var fragments = []string{"a", "ﷺ", "😀", " ", "\n", "\n\n", "\t", ".", "(", ")", "[", "]", "](", "!", "<", ">", "> ", "- ", "1. ", "*", "**", "_", "~", "`", "```\n", "\\", "\"", "'", "&",
	":", ":a", ":tada:", "@", "@a", "#", "#a", "://", "http://", "http://@", "http://%", "http://[", "http://a.b", "HTTPS://a.b/", "(http://@", " http://@", "<a@b.c>", "\u202e", "\xff"}

// shapes calls yield with texts of a number of characters in which fragments are
// repeated, alone and in pairs.
func shapes(length int, yield func(name, text string)) {
	fill := func(s string, n int) string {
		return core.FirstRunes(strings.Repeat(s, n/utf8.RuneCountInString(s)+1), n)
	}
	sparse := func(s, by string) string { // few enough to be read as markup
		n := maxSigns - 10
		return fill(strings.Repeat(s+fill(by, length/n-utf8.RuneCountInString(s)), n), length)
	}
	for _, a := range fragments {
		yield(a, fill(a, length))
		for _, b := range fragments {
			yield(a+b, fill(a+b, length))
			yield(a+" then "+b, fill(a, length/2)+fill(b, length/2))
			yield("few "+a+" in "+b, sparse(a, b))
		}
	}
}

// The time to render a text grows with its length and not with a power of it,
// whatever is in it.
func TestTimeToRender(t *testing.T) {
	names := []nameView{{Typed: "@a"}, {Typed: "@ab"}}
	checkTime(t, 10_000, func(s string) { formatted(s, names) })
	checkTime(t, 10_000, func(s string) { unformatted("*b* " + s) })
}

// A message with all the address beginnings and addresses that it has room for takes
// no longer to read than its length allows.
func TestTimeToReadAddresses(t *testing.T) {
	emoji := func(s string) string { return s + strings.Repeat("😀", 20_000-utf8.RuneCountInString(s)) }
	for name, text := range map[string]string{
		"refused":                 emoji(strings.Repeat("http://@", 1250)),
		"refused after addresses": emoji("*b*" + strings.Repeat(" http://a.b", 800) + strings.Repeat("http://@", 900)),
		"addresses":               "*b* " + strings.Repeat("http://a.b ", 1800),
		"brackets":                "*b*" + strings.Repeat("(", 19_900),
		"closed brackets":         emoji(strings.Repeat("http://a.b/"+strings.Repeat(")", 2000), 9)),
	} {
		if got := leastTime(func() { formatted(text, nil) }); got > 100*time.Millisecond {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// checkTime reports shapes of text for which a function takes long, and more than
// twice as long as for half of the text.
func checkTime(t *testing.T, length int, render func(string)) {
	t.Helper()
	const quick = 40 * time.Millisecond
	shapes(length, func(name, text string) {
		start := time.Now()
		render(text)
		if time.Since(start) < quick {
			return
		}
		whole, half := leastTime(func() { render(text) }), leastTime(func() { render(core.FirstRunes(text, length/2)) })
		if whole > 4*quick || whole > quick && whole > 3*half {
			t.Errorf("%q: %v, and half of it %v", name, whole, half)
		}
	})
}

// leastTime returns how long f takes when nothing else holds it up.
func leastTime(f func()) time.Duration {
	least := time.Hour
	for range 3 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}
