package match

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// statement is a text of an intent, read for comparison.
type statement struct {
	text     string // folded
	units    []unit
	plain    []unit // words that say little
	negated  []unit // what it says not to be about
	lang     int    // of the table
	times    times
	places   []string
	ways     ways
	excluded ways
	fit      sizeRange
	total    float64 // sum of the weights of the units
	vector   [Dimensions]float32
}

// unit is a word, a name of several words, or some characters of a script that
// does not separate words, with what it means.
type unit struct {
	text    string
	runes   []rune // of the text
	stem    string
	words   [4]uint16 // English words that it means, the likeliest first
	n       uint8     // how many they are
	sure    uint8     // how many of them are sure, not a corrected spelling or part
	kind    kind
	frame   frame
	class   uint8 // of its first meaning
	weight  float64
	head    bool // what a phrase is about: the last word of "sofa cover"
	first   bool // the head of the first phrase after the request
	person  bool
	place   bool
	verb    bool  // or an adjective or adverb, most of the time
	age     uint8 // 1 for children, 2 for adults
	number  int   // that stands beside it, 0 without
	pos     int
	clause  int
	generic bool // says how or for which people: lessons, beginners, sizes
}

func (u *unit) meanings() []uint16 { return u.words[:u.n] }

// frame is what is done with a thing. Zero says nothing.
type frame uint8

const (
	noFrame frame = iota
	teach
	repair
	clean
	care
	carry
	translate
	trade
)

var frameNames = map[string]frame{
	"teach": teach, "repair": repair, "clean": clean, "care": care, "carry": carry, "translate": translate, "trade": trade,
}

const maxText = 500 // characters of a text that count

// readStatement reads a text, up to a number of units.
func readStatement(text string, most int) statement { return readSide(false, text, most) }

// readSide reads a text of one side: of what is brought, or of what is sought.
func readSide(brings bool, text string, most int) statement {
	v := lists()
	folded := firstRunes(text, maxText)
	if strings.ContainsAny(folded, "'\u2019") {
		folded = elisions.ReplaceAllString(folded, "$1 $2")
	}
	folded = fold(folded)
	s := statement{text: folded}
	r := reader{v: v, t: knowledge(), s: &s, most: most, brings: brings}
	r.proper = capitalised(text)
	r.pieces = splitRuns(v.withoutRuns(folded))
	r.used = make([]bool, len(r.pieces))
	s.times = v.readTimes(r.pieces, r.used)
	r.lang = r.detect(folded)
	if s.lang = r.lang; !slices.ContainsFunc(r.pieces, func(p piece) bool { return p.kind == word || p.kind == gram }) {
		s.lang = -1
	}
	r.readNegations()
	r.readWays()
	r.readFit()
	r.readUnits()
	r.markHeads()
	r.weigh()
	s.vector = s.sum()
	return s
}

// elisions are the short words of Romance languages that are joined with the next one, as in d'une.
var elisions = regexp.MustCompile(`(?i)\b(l|d|j|n|s|m|t|c|qu|un|dell|all|nell|dall|sull)[\x{27}\x{2019}](\p{L})`)

// reader is the state of reading one text.
type reader struct {
	v       *vocabulary
	t       *table
	s       *statement
	pieces  []piece
	used    []bool // pieces that are times, words of requests, and so on
	negated []bool
	proper  map[string]bool // folded words with a capital that no sentence begins with
	brings  bool            // what is brought is said, not what is sought
	lang    int             // of the table
	most    int             // units
	unknown int             // words whose spelling was corrected
	slips   int             // words that were compared with words of requests
}

// withoutRuns replaces words of requests by spaces in texts whose words are not separated.
func (v *vocabulary) withoutRuns(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return classOf(r) == pairs }) {
		return text
	}
	for _, w := range []string{"不要", "不是", "不用", "没有", "以外", "なし", "ではなく"} {
		text = strings.ReplaceAll(text, w, " "+w+" ")
	}
	for _, w := range v.timeRuns {
		text = strings.ReplaceAll(text, w, " "+w+" ")
	}
	for _, w := range v.runs {
		text = strings.ReplaceAll(text, w, " ")
	}
	return text
}

// splitRuns splits a folded text into pieces, with the runs of scripts that do not separate words left whole.
func splitRuns(text string) []piece {
	return splitWith(text, func(out []piece, _ class, run []rune) []piece {
		return append(out, piece{text: string(run), kind: gram})
	})
}

// readNegations marks what a text says not to be about: the words after "no" and
// "without", up to the end of the clause.
func (r *reader) readNegations() {
	r.negated = make([]bool, len(r.pieces))
	negating := false
	for i, p := range r.pieces {
		if (r.v.negators[p.text] || r.notFor(i)) && !(i > 0 && r.v.has[r.pieces[i-1].text]) {
			negating, r.used[i] = true, true
		} else {
			r.negated[i] = negating
		}
		negating = negating && !p.end && !p.pause
		if p.text == "free" && i > 0 && r.lang == 0 && r.v.free[r.pieces[i-1].text] {
			r.negated[i-1] = true
		}
	}
}

// notFor reports whether a piece says what somebody does not offer: "not for", or "I do not". Who seeks may say what he
// can not do himself, and who offers what he does not need.
func (r *reader) notFor(i int) bool {
	w := r.pieces[i].text
	if i+1 >= len(r.pieces) || !r.v.not[w] && !r.v.refuse[w] {
		return false
	}
	next := r.pieces[i+1].text
	if r.v.not[w] && r.v.benefits[next] {
		return true
	}
	near := r.pieces[max(i-1, 0):min(i+3, len(r.pieces))]
	return r.brings && !slices.ContainsFunc(near, func(p piece) bool { return r.v.disuse[p.text] })
}

// capitalised returns the folded words of a text that have a capital letter, but
// do not begin a sentence and are not written in capitals alone.
func capitalised(text string) map[string]bool {
	out := map[string]bool{}
	begins := true
	parts := func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("-–>/()", c) }
	for _, w := range strings.FieldsFunc(firstRunes(text, maxText), parts) {
		bare := strings.TrimFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		if bare == "" {
			continue
		}
		first := []rune(bare)[0]
		if unicode.IsUpper(first) && !begins && strings.ToUpper(bare) != bare {
			out[fold(bare)] = true
		}
		begins = strings.ContainsAny(w[len(w)-1:], ".!?")
	}
	return out
}
