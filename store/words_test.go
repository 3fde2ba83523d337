package store

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		" ,.! ":                    "",
		"Café, Straße!":            " cafe strasse ",
		"don't":                    " don t ",
		"Ångström ŁÓDŹ Søren Ægir": " angstrom lodz soren aegir ",
		"e\u0301tude":              " etude ",
		"ΆΛΦΑ Ёлка Київ":           " αλφα елка киів ",
		"שָׁלוֹם مُحَمَّد ـكتاب":         " שלום محمد كتاب ",
		"हिन्दी தமிழ்":                   " हिन्दी தமிழ் ",
		"東京タワー":                          " 東京タワー ",
		"iPhone15を買う":                    " iphone15 を買う ",
		"ｶﾞｷﾞ ＡＢＣ ½":                     " ガギ abc 1 2 ",
		"한국어 문서":                         " 한국어 문서 ",
		"ภาษาไทย":                        " ภาษาไทย ",
		"Hi 🍅🍅️!":                        " hi 🍅 🍅 ",
		"می\u200cخواهم soft\u00adhyphen": " ميخواهم softhyphen ",
		"https://example.org/a-b?c=d":    " https example org a b c d ",
		"ＮＦＫＣ ﬁne ①":                     " nfkc fine 1 ",
	} {
		if got := Words(in); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		text, words string
		phrase      bool
		want        string
	}{
		{"The Tomatoes, tom and atom.", "tom", false, "The [Tomatoes], [tom] and atom."},
		{"An ox and an oxen", "ox", false, "An [ox] and an oxen"},
		{"Die Straße, STRASSE", "strass", false, "Die [Straße], [STRASSE]"},
		{"cafe\u0301s", "café", false, "[cafe\u0301s]"},
		{"明日の会議は三時", "会議", false, "明日の[会議]は三時"},
		{"spare tomato seedlings, spare time", "spare tomato", true, "[spare tomato] seedlings, spare time"},
		{"tomatoes spare tomatoes", "spare tomato", true, "tomatoes spare tomatoes"},
		{"a 🍅 b", "🍅", false, "a [🍅] b"},
		{"one two three", "two one", false, "[one] [two] three"},
		{"nothing", "else", false, "nothing"},
	} {
		var b strings.Builder
		text, at := []rune(c.text), 0
		for _, m := range Marks(c.text, []Term{{Words: Words(c.words), Phrase: c.phrase}}) {
			b.WriteString(string(text[at:m[0]]) + "[" + string(text[m[0]:m[1]]) + "]")
			at = m[1]
		}
		if got := b.String() + string(text[at:]); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.words, c.text, got, c.want)
		}
	}
}

// Every text is found by each of its words, by the beginning of each, and by
// each part of a run without spaces, in any script.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"Café au lait", "明日の会議", "ภาษาไทย", "مُحَمَّد",
		"a\x00b\xff🍅👩‍👩‍👧", "ﷺ ½ ǆ İ ß", "한국어", "\u0345ᾳ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1000 {
			return // what is checked below takes the square of the length
		}
		words := Words(s)
		if again := Words(words); again != words {
			t.Fatalf("the words of %q are %q, and of these %q", s, words, again)
		}
		check := func(sub string) {
			q := Words(sub)
			if !(Term{Words: q}).in(words) {
				t.Errorf("%q is not in %q", q, words)
			}
		}
		check(s)
		for word := range strings.FieldsSeq(words) {
			r := []rune(word)
			if startsSpaceless(word) {
				for i := range r {
					check(string(r[i:min(len(r), i+2)]))
				}
			} else if len(r) > 3 {
				check(string(r[:3+len(r)%(len(r)-2)]))
			}
			if !(Term{Words: " " + word + " ", Phrase: true}).in(words) {
				t.Errorf("the phrase %q is not in %q", word, words)
			}
		}
		n := len([]rune(s))
		for _, m := range Marks(s, []Term{{Words: words}}) {
			if m[0] < 0 || m[0] >= m[1] || m[1] > n {
				t.Errorf("mark %v of %q", m, s)
			}
		}
	})
}
