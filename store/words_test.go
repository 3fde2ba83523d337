package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	for _, s := range []string{"Café au lait", "明日の会議", "ภาษาไทย", "مُحَمَّد", "a\x00b\xff🍅👩‍👩‍👧", "ﷺ ½ ǆ İ ß", "한국어", "\u0345ᾳ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1000 {
			return // what is checked below takes the square of the length
		}
		if got, want := foldWords(s), foldPiece(s); got != want {
			t.Fatalf("%q is folded to %q in pieces, and as a whole to %q", s, got, want)
		}
		words := Words(s)
		if again := Words(words); again != words {
			t.Fatalf("the words of %q are %q, and of these %q", s, words, again)
		}
		var have []string
		tokens(words, func(token string) { have = append(have, token) })
		check := func(sub string) {
			q := Words(sub)
			if !(Term{Words: q}).in(words) {
				t.Errorf("%q is not in %q", q, words)
			}
			queryTokens(q, func(token string) {
				if !slices.Contains(have, token) {
					t.Errorf("%q has not the token %q of %q", words, token, q)
				}
			})
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

// A name is compared up to a number of characters, which need not be bytes.
func TestLengthOfANameKey(t *testing.T) {
	for _, letter := range []string{"a", "б"} {
		for n, want := range map[int]int{maxNameKey - 1: maxNameKey - 1, maxNameKey: maxNameKey, maxNameKey + 1: maxNameKey, 2 * maxNameKey: maxNameKey} {
			if got := nameKey(strings.Repeat(letter, n)); got != strings.Repeat(letter, want) {
				t.Errorf("%d times %s: %q", n, letter, got)
			}
		}
	}
}

// The record of the parts of an index is read and written, each number with seven bits in
// a byte and the eighth bit in all but the last; one with anything else is an error.
func TestRecordOfTheParts(t *testing.T) {
	for record, want := range map[string]int{
		"\x00\x00\x00\x09\x00\x00\x00":                                                                             0,
		"\x00\x00\x00\x09\x02\x01\x81\x80\x03\x00\x00\x00\x01\x05\x01\x81\x00":                                     1,
		"\x00\x00\x00\x09\x02\x03\x83\x80\x80\x80\x80\x01\x02\x02\x05\x01\x7f\x06\x00\x00\x00\x01\x07\x01\x81\x00": 3,
		"": -1, "\x00\x00\x00": -1,
		"\x00\x00\x00\x09\x01\x00\x00":                 -1, // no level
		"\x00\x00\x00\x09\x01\x01\x00\x00\x01\x05\x01": -1,
		"\x00\x00\x00\x09\x00\x00\x00\x01":             -1,
		"\x00\x00\x00\x09\x01\xff":                     -1,
	} {
		s, err := decodeParts([]byte(record))
		if want < 0 && err == nil || want >= 0 && (err != nil || s.count() != want) {
			t.Errorf("% x: %d, %v, want %d", record, s.count(), err, want)
		}
	}
}

// A position of the index that cannot be read is an error that names the setting.
func TestUnreadablePositionOfWords(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 0)
	w.write(func(tx *Tx) error {
		if err := tx.SetSetting(wordsSetting, "x"); err != nil {
			return err
		}
		if _, err := tx.IndexOlder(1); err == nil || !strings.Contains(err.Error(), wordsSetting+` is "x"`) {
			t.Errorf("the error is %v", err)
		}
		return tx.SetSetting(wordsSetting, "")
	})
}

// An item that waits for the index is not passed over when it gets a rank before those
// that were indexed and deleted since.
func TestRanksBeforeWhatIsIndexed(t *testing.T) {
	t.Parallel()
	w, reindex := newReindexed(t, 20)
	reindex(2)
	w.remove(0)
	w.remove(0)
	w.move(17, 1)
	reindex(1000)
	var left int
	w.write(func(tx *Tx) error {
		return tx.value([]any{&left}, `SELECT count(*) FROM list_document WHERE public = 0 /* server: a test */ /* scan: a test */`)
	})
	if left > 0 {
		t.Errorf("%d documents are still those of a private list", left)
	}
}

// The tokens of a text take little space while they are collected if few of them differ,
// however long the text is.
func TestSpaceOfTokens(t *testing.T) {
	var short, long tokenSet
	for range 10_000 {
		for n := range 12 {
			short.add(fmt.Sprint("w", n))
			long.add(fmt.Sprint("a long one ", n))
		}
	}
	if cap(short.short) > 48 || cap(long.long) > 64 || len(short.long)+len(long.short) > 0 {
		t.Errorf("the space of %d and %d", cap(short.short), cap(long.long))
	}
}

// Tokens are sorted as their bytes are, each once, whatever their length.
func TestTokenSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		var set tokenSet
		var want []string
		for range n {
			token := strings.Repeat(string(rune('a'+rng.IntN(3))), 1+rng.IntN(10)) + []string{"", "b", "é", "\U0002f81f", "\ue000"}[rng.IntN(5)]
			set.add(token)
			want = append(want, token)
		}
		slices.Sort(want)
		if got := set.sorted(); got == nil || !slices.Equal(got, slices.Compact(want)) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// A part of words that are more than two parts leaves more than one, whatever their
// lengths, and loses none.
func TestPartOf(t *testing.T) {
	const size = 64
	half := strings.Repeat("aaa ", 15) + "aaaa" // 64 bytes
	for first := range 8 {
		for last := range 8 {
			words := strings.Repeat("b", first) + half + " " + half + strings.Repeat("c", last)
			part, left := partOf(words, size)
			if len(part) > size || len(left) <= size || part+" "+left != words {
				t.Errorf("of %d bytes %d are a part, and %d are left", len(words), len(part), len(left))
			}
		}
	}
	if part, left := partOf("a b", 3); part != "a b" || left != "" {
		t.Errorf("%q, %q", part, left)
	}
}

// Sets that are sorted have the same union and differences as any.
func TestUnionAndDifferences(t *testing.T) {
	for _, c := range [][4]string{
		{"", "", "", ""}, {"a", "", "a", "a"}, {"", "a", "a", ""}, {"a c e", "b c d e f", "a b c d e f", "a"},
		{"b c d", "a", "a b c d", "b c d"}, {"a b", "a b", "a b", ""}, {"x y", "a b x", "a b x y", "y"},
	} {
		a, b := strings.Fields(c[0]), strings.Fields(c[1])
		if u, w := union(a, b), without(a, b); strings.Join(u, " ") != c[2] || strings.Join(w, " ") != c[3] || w == nil {
			t.Errorf("%q and %q: %q, %q", a, b, u, w)
		}
		if ofA, ofB := differ(a, b); ofA != sizeOfTokens(without(a, b)) || ofB != sizeOfTokens(without(b, a)) {
			t.Errorf("%q and %q differ by %d and %d bytes", a, b, ofA, ofB)
		}
	}
}

// A search reads the entries of the rarest token, and counts what it reads to find that.
func TestRarestTokenLeads(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		for token, n := range map[string]int{"many": 200, "most": 400, "some": sample, "few": sample - 1} {
			if _, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
				INSERT INTO message_word (rowid, words) SELECT 1000000 - n * (1000 / ?2) * 1000 + ?3, ?1 FROM n /* server: a test */ /* scan: a test */`, token, n, len(token)*100+int(token[0])+int(token[1])); err != nil {
				return err
			}
		}
		for _, tc := range []struct {
			match []string
			lead  string
			cost  int
		}{
			{[]string{"most"}, "most", 0},
			{[]string{"most", "many"}, "many", 2 * sample},
			{[]string{"many", "some", "most"}, "some", 3 * sample},
			{[]string{"most", "few", "many"}, "few", 2*sample - 1},
		} {
			s := searching{r: &tx.Reader}
			if err := s.choose(tc.match, 0, math.MaxInt64); s.lead != tc.lead || -s.budget != tc.cost || err != nil {
				t.Errorf("of %q %s leads, for %d, want %s for %d: %v", tc.match, s.lead, -s.budget, tc.lead, tc.cost, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}

// To ask the index for another token as well costs, for each entry of the lead, one and half
// of the entries that the token has up to the next one, but no more than a page. The costs
// of several tokens are added.
func TestCostOfOtherTokens(t *testing.T) {
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		const newest = 1 << 20
		for token, low := range map[string]int64{"dense": sample, "almost": 2*sample - 1, "twice": 2 * sample, "eight": 8 * sample, "sparse": 1000 * sample} {
			// sample entries, of which the last is the first of low ids
			if _, err := tx.exec(`WITH n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ?2 - 2)
				INSERT INTO message_word (rowid, words) SELECT ?3 - n, ?1 FROM n UNION ALL SELECT ?3 - ?4 + 1, ?1 /* server: a test */ /* scan: a test */`, token, sample, newest, low); err != nil {
				return err
			}
		}
		for _, tc := range []struct {
			match []string
			lead  string
			cost  int
		}{
			{[]string{"almost", "dense"}, "almost", 1},
			{[]string{"dense", "twice"}, "twice", 2},
			{[]string{"eight", "dense"}, "eight", 5},
			{[]string{"dense", "eight", "twice"}, "eight", 5 + 3},
			{[]string{"dense", "sparse"}, "sparse", pageCost},
			{[]string{"dense", "sparse", "twice", "eight"}, "sparse", pageCost + pageCost + 63},
		} {
			s := searching{r: &tx.Reader}
			if err := s.choose(tc.match, 0, math.MaxInt64); s.lead != tc.lead || s.allCost != tc.cost || s.all != strings.Join(tc.match, " AND ") || err != nil {
				t.Errorf("of %q %s leads, and each entry with %q costs %d, want %s and %d: %v", tc.match, s.lead, s.all, s.allCost, tc.lead, tc.cost, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}

// The index is asked for the entries with all tokens where that costs less than to read
// the messages of the viewer's conversations that have the lead; those of others do not
// count.
func TestWhenAllTokensAreAsked(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 0)
	undo := errors.New("undo")
	if err := w.db.Write(t.Context(), func(tx *Tx) error {
		// 40 entries have the lead: every fourth is of a conversation of the viewer, and
		// of these every second has the other token.
		if _, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40)
			INSERT INTO message_word (rowid, words) SELECT (n << 12) | (n % 4 <> 0), iif(n % 8 = 0, 'lead other', 'lead') FROM n /* server: a test */ /* scan: a test */`); err != nil {
			return err
		}
		for _, tc := range []struct{ cost, found, budget int }{
			{0, 5, 40},
			{messageCost/4 - 1, 5, 40 + 40*(messageCost/4-1)},
			{messageCost / 4, 10, 40},
			{messageCost/2 - 1, 10, 40},
		} {
			s := searching{r: &tx.Reader, slots: make([][]string, 1<<slotBits), lead: "lead", all: "lead AND other", allCost: tc.cost}
			s.slots[0] = []string{"one"}
			ids, low, err := s.block(0, math.MaxInt64, firstBlock)
			if len(ids) != tc.found || -s.budget != tc.budget || low != 0 || err != nil {
				t.Errorf("at %d for each entry: %d messages down to %d, for %d, want %d for %d: %v", tc.cost, len(ids), low, -s.budget, tc.found, tc.budget, err)
			}
		}
		return undo
	}); !errors.Is(err, undo) {
		t.Error(err)
	}
}
