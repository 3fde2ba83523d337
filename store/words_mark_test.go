package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// One character can be several words. Each is searched for once, and only so many.
func TestAddTerm(t *testing.T) {
	var numbers []string
	for i := range 80 {
		numbers = append(numbers, fmt.Sprint(100+i))
	}
	all := strings.Join(numbers, " ")
	for name, c := range map[string]struct {
		have []Term
		text string
		want []Term
	}{
		"nothing":           {nil, " .", nil},
		"repeated words":    {nil, strings.Repeat("ﷺ ", 100), []Term{{" صلي الله عليه وسلم ", false}}},
		"words of before":   {[]Term{{" a b ", false}}, "b c a", []Term{{" a b ", false}, {" c ", false}}},
		"only such":         {[]Term{{" a b ", false}}, "b", []Term{{" a b ", false}}},
		"words of a phrase": {[]Term{{" a b ", true}}, "b", []Term{{" a b ", true}, {" b ", false}}},
		"many words":        {nil, all, []Term{{" " + strings.Join(numbers[:50], " ") + " ", false}}},
		"one word more":     {[]Term{{" " + strings.Join(numbers[:49], " ") + " ", true}}, "y z", []Term{{" " + strings.Join(numbers[:49], " ") + " ", true}, {" y ", false}}},
	} {
		if got := AddTerm(c.have, c.text, false); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	phrase := AddTerm(nil, strings.Repeat("a b ", 40), true)
	if want := []Term{{strings.Repeat(" a b", 25) + " ", true}}; !slices.Equal(phrase, want) {
		t.Errorf("a long phrase: %v, want %v", phrase, want)
	}
	if got := AddTerm([]Term{{" a b ", true}}, "a b", true); len(got) != 1 {
		t.Errorf("a repeated phrase: %v", got)
	}
}

// The first places are marked.
func TestManyMarks(t *testing.T) {
	for n, want := range map[int]int{99: 99, 100: 100, 101: 100, 5000: 100} {
		got := Marks(strings.Repeat("a b ", n), []Term{{Words: " a "}})
		if len(got) != want || !slices.Equal(got[want-1], []int{4*want - 4, 4*want - 3}) {
			t.Errorf("of %d places %d are marked", n, len(got))
		}
	}
}

// No text is much more work to mark than prose of as many bytes.
func TestMarksOfHostileTexts(t *testing.T) {
	spent := func(text string) time.Duration {
		least := time.Hour
		for range 3 {
			start := time.Now()
			Marks(text, AddTerm(nil, string([]rune(text)[:200]), false))
			least = min(least, time.Since(start))
		}
		return least
	}
	texts := hostileTexts(60_000)
	most := 50 * spent(texts["prose"])
	for name, text := range texts {
		if got := spent(text); got > most {
			t.Errorf("%s: %v, more than %v", name, got, most)
		}
	}
}

// The words of texts in most languages, and of characters that become several, take no
// much longer to find than those of English, for what they become.
func TestWordsOfOtherLanguages(t *testing.T) {
	spent := func(text string) float64 { // in nanoseconds for each byte
		text = strings.Repeat(text, 20_000/len(text))
		least, n := time.Hour, len(text)
		for range 5 {
			start := time.Now()
			n = max(n, len(Words(text)))
			least = min(least, time.Since(start))
		}
		return float64(least.Nanoseconds()) / float64(n)
	}
	most := 8 * spent("Does anyone have spare tomato seedlings? Mine were eaten by snails. ")
	for _, text := range []string{"Fröhliche Grüße ", "Привет, как дела? ", "صلى الله عليه وسلم ", "Tiếng Việt ", "Καλημέρα σας ", "ﷺ", "㌖", "\U0001d15e", "\U00020000", "½"} {
		if got := spent(text); got > most {
			t.Errorf("%s: %.1f ns for each byte, more than %.1f", text, got, most)
		}
	}
}

// hostileTexts are texts of about as many bytes as the ordinary one that become
// many words, or words that take long to compare.
func hostileTexts(bytes int) map[string]string {
	of := func(s string) string { return strings.Repeat(s, max(1, bytes/len(s))) }
	return map[string]string{
		"prose":      of("Does anyone have spare tomato seedlings? Mine were eaten by snails. "),
		"ligatures":  of("ﷺ"),
		"phrases":    of("ﷺ "),
		"squares":    of("㌖"),
		"letters":    of("a "),
		"one word":   of("a"),
		"symbols":    of("🍅"),
		"spaceless":  of("会"),
		"accents":    of("e\u0301"),
		"many marks": of("\u0345\u0301"),
		"fractions":  of("½"),
		"joiners":    of("a\u200d"),
		"hangul":     of("\u1100\u1161\u11a8"),
	}
}

// BenchmarkMarks marks the words of a search of 200 characters in a text.
func BenchmarkMarks(b *testing.B) {
	for name, text := range hostileTexts(60_000) {
		query := string([]rune(text)[:200])
		b.Run(name, func(b *testing.B) {
			terms := AddTerm(nil, query, false)
			b.ReportAllocs()
			for range b.N {
				Marks(text, terms)
			}
		})
		b.Run(name+" in", func(b *testing.B) {
			term := AddTerm(nil, query, false)[0]
			b.ReportAllocs()
			for range b.N {
				term.in(Words(text))
			}
		})
		b.Run(name+" words", func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				Words(text)
			}
		})
	}
}

// A text of which every other character needs tables is folded in few pieces.
func TestWordsOfManyAccents(t *testing.T) {
	text := strings.Repeat("e\u0301t\u0301o ", 1000)
	if n := testing.AllocsPerRun(3, func() { Words(text) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
	for _, gap := range []int{maxAloneGap - 1, maxAloneGap, maxAloneGap + 1, 3 * maxAloneGap} {
		text := strings.Repeat("É"+strings.Repeat("A", gap), 3) + "é会"
		if got, want := foldWords(text), foldPiece(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}
