package match

import (
	"embed"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// wordFiles are lists of words, each for a purpose of its own.
//
//go:embed words
var wordFiles embed.FS

// vocabulary is the closed lists: words that say nothing, that negate, and that name times and activities.
type vocabulary struct {
	plain        map[string]bool   // say nothing: words of requests
	stop         []map[string]bool // by language of the table; nil without
	runs         []string          // the same for scripts that do not separate words
	timeRuns     []string          // days of those scripts
	times        phrases
	timeValues   []timeValue
	ways         phrases
	numbers      map[string]string // the number that a word means
	frames       map[uint16]frame
	generic      map[uint16]bool
	ages         map[uint16]uint8
	fits         map[string]bool // stand before a size
	where        map[string]bool // stand before places
	prepositions map[string]bool // end the phrase of a head: "cover for a sofa"
	of           map[string]bool // join a head and what it belongs to: "cours de guitare"
	and          map[string]bool
	negators     map[string]bool
	not, refuse  map[string]bool
	has          map[string]bool
	free         map[string]bool // stand before "free" and are what is left out, as in sugar free
	disuse       map[string]bool // say why somebody gives a thing away
	benefits     map[string]bool // stand before the people that something is for
	except       map[string]bool
}

// phrases are words and sequences of up to four words, or beginnings of words, with what they stand for.
type phrases struct {
	exact  map[string]int
	begins map[string]int
}

func (p *phrases) add(list string, value int) {
	if p.exact == nil {
		p.exact, p.begins = map[string]int{}, map[string]int{}
	}
	for w := range strings.FieldsSeq(list) {
		key := phrase(fold(strings.ReplaceAll(w, "_", " ")))
		if strings.HasSuffix(w, "*") {
			p.begins[key] = value
		} else {
			p.exact[key] = value
		}
	}
}

// at returns the value of the longest phrase that begins at a piece, and of how many pieces it is, or 0.
func (p *phrases) at(pieces []piece, i int) (value, n int) {
	var buf [64]byte
	for n := min(4, len(pieces)-i); n > 0; n-- {
		key := buf[:0]
		for j := range n {
			if j > 0 {
				key = append(key, ' ')
			}
			key = append(key, pieces[i+j].text...)
		}
		if v, ok := p.exact[string(key)]; ok {
			return v, n
		}
	}
	w := pieces[i].text
	for k := range w {
		if k >= 3 {
			if v, ok := p.begins[w[:k]]; ok {
				return v, 1
			}
		}
	}
	if v, ok := p.begins[w]; ok {
		return v, 1
	}
	return 0, 0
}

var lists = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{
		numbers: map[string]string{}, frames: map[uint16]frame{}, generic: map[uint16]bool{}, ages: map[uint16]uint8{},
		stop: make([]map[string]bool, len(Languages)),
	}
	functions := map[string]*map[string]bool{
		"plain": &v.plain, "negate": &v.negators, "before": &v.prepositions, "of": &v.of, "not": &v.not, "refuse": &v.refuse,
		"disuse": &v.disuse, "for": &v.benefits, "except": &v.except, "has": &v.has, "where": &v.where, "fit": &v.fits,
		"and": &v.and, "free": &v.free,
	}
	for _, file := range []string{"plain.txt", "function.txt"} {
		for name, list := range sections(file) {
			words := functions[name]
			if *words == nil {
				*words = map[string]bool{}
			}
			maps.Copy(*words, set(list))
		}
	}
	for name, list := range sections("stop.txt") {
		v.stop[slices.IndexFunc(Languages, func(l Language) bool { return l.Code == name })] = set(list)
	}
	for _, list := range sections("run.txt") {
		for w := range strings.FieldsSeq(list) {
			v.runs = append(v.runs, fold(w))
		}
	}
	for number, list := range sections("number.txt") {
		for w := range strings.FieldsSeq(list) {
			v.numbers[w] = number
		}
	}
	for name, list := range sections("time.txt") {
		v.timeValues = append(v.timeValues, timeOf(name))
		v.times.add(list, len(v.timeValues))
		if strings.HasPrefix(name, "day ") {
			v.addRuns(list)
		}
	}
	for name, list := range sections("way.txt") {
		v.ways.add(list, int(wayNames[name]))
	}
	v.readFrames(knowledge())
	return v
})

// readFrames reads the English words of frame.txt.
func (v *vocabulary) readFrames(t *table) {
	for name, list := range sections("frame.txt") {
		for w := range strings.FieldsSeq(list) {
			n, ok := t.english(w)
			switch {
			case ok && name == "generic":
				v.generic[n] = true
			case ok && ageBits[name] != 0:
				v.ages[n] |= ageBits[name]
			case ok:
				v.frames[n] = frameNames[name]
			}
		}
	}
}

// addRuns adds the names of a day that are found in texts whose words are not separated.
func (v *vocabulary) addRuns(list string) {
	for w := range strings.FieldsSeq(list) {
		if c, _ := utf8.DecodeRuneInString(w); classOf(c) == pairs {
			v.timeRuns = append(v.timeRuns, fold(w))
		}
	}
}

// sections yields the lines "name: words" of a file; lines of one name are separate.
func sections(file string) iter.Seq2[string, string] {
	text, err := wordFiles.ReadFile("words/" + file)
	if err != nil {
		panic(err)
	}
	return func(yield func(name, list string) bool) {
		for line := range strings.Lines(string(text)) {
			if name, list, ok := strings.Cut(line, ":"); ok && line[0] != '#' && !yield(name, list) {
				return
			}
		}
	}
}
