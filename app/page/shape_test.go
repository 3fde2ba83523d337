//go:build unix

package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hearth/store/storetest"
)

// The time to render a text grows with its length and not with a power of it,
// whatever is in it.
func TestTimeToRender(t *testing.T) {
	names := []nameView{{Typed: "@a"}, {Typed: "@ab"}}
	storetest.CheckTime(t, 5_000, func(s string) { formatted(s, names) })
	storetest.CheckTime(t, 5_000, func(s string) { unformatted("*b* " + s) })
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
		storetest.CheckGrowth(t, name, text, func(s string) { formatted(s, nil) })
	}
}
