package match

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

var (
	//go:embed words/plain.txt
	plainText string
	//go:embed words/run.txt
	runText string
	//go:embed words/time.txt
	timeText string
	//go:embed words/frame.txt
	frameText string
	//go:embed words/function.txt
	functionText string
	//go:embed words/way.txt
	wayText string
)

// vocabulary is the closed lists: words that say nothing, that negate, and that name
// times and activities.
type vocabulary struct {
	has          map[string]bool
	where        map[string]bool // stand before places
	plain        map[string]bool
	stop         []map[string]bool // by language of the table; nil without
	runs         []string
	timeRuns     []string // days of scripts that do not separate words
	times        phrases
	ways         phrases
	fits         map[string]bool // stand before a size
	timeValues   []timeValue
	frames       map[uint16]frame
	generic      map[uint16]bool
	ages         map[uint16]uint8
	sizes        map[uint16]bool
	negators     map[string]bool
	prepositions map[string]bool // end the phrase of a head: "cover for a sofa"
	of           map[string]bool // join a head and what it belongs to: "cours de guitare"
	not, refuse  map[string]bool
	disuse       map[string]bool // say why somebody gives a thing away
	benefits     map[string]bool // stand before the people that something is for
	except       map[string]bool
}

// phrases are words and sequences of up to four words, or beginnings of words,
// with what they stand for.
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

// at returns the value of the longest phrase that begins at a piece, and of how
// many pieces it is, or 0.
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
		plain: set(plainText), frames: map[uint16]frame{}, generic: map[uint16]bool{}, ages: map[uint16]uint8{},
		sizes: map[uint16]bool{}, stop: make([]map[string]bool, len(languageInfos)),
	}
	for line := range strings.Lines(runText) {
		if line[0] != '#' {
			for w := range strings.FieldsSeq(line) {
				v.runs = append(v.runs, fold(w))
			}
		}
	}
	for name, list := range sections(timeText) {
		v.timeValues = append(v.timeValues, timeOf(name))
		v.times.add(list, len(v.timeValues))
		if strings.HasPrefix(name, "day.") {
			v.addRuns(list)
		}
	}
	for name, list := range sections(wayText) {
		v.ways.add(list, int(wayNames[name]))
	}
	t := knowledge()
	for name, list := range sections(frameText) {
		for w := range strings.FieldsSeq(list) {
			n, ok := t.english(w)
			switch {
			case ok && name == "generic":
				v.generic[n] = true
			case ok && name == "size":
				v.sizes[n] = true
			case ok && ageBits[name] != 0:
				v.ages[n] |= ageBits[name]
			case ok:
				v.frames[n] = frameNames[name]
			}
		}
	}
	functions := map[string]*map[string]bool{
		"negate": &v.negators, "before": &v.prepositions, "of": &v.of, "not": &v.not, "refuse": &v.refuse,
		"disuse": &v.disuse, "for": &v.benefits, "except": &v.except,
		"has": &v.has, "where": &v.where, "fit": &v.fits,
	}
	for name, list := range sections(functionText) {
		*functions[name] = set(list)
	}
	for name, list := range sections(stopText) {
		for n := range languageInfos {
			if languageInfos[n].stop == name {
				v.stop[n] = set(list)
			}
		}
	}
	return v
})

// addRuns adds the names of a day that are found in texts whose words are not
// separated.
func (v *vocabulary) addRuns(list string) {
	for w := range strings.FieldsSeq(list) {
		if c, _ := utf8.DecodeRuneInString(w); classOf(c) == pairs {
			v.timeRuns = append(v.timeRuns, fold(w))
		}
	}
}

// sections yields the lines "name: words" of a list; lines of one name are
// separate.
func sections(text string) func(yield func(name, list string) bool) {
	return func(yield func(name, list string) bool) {
		for line := range strings.Lines(text) {
			if name, list, ok := strings.Cut(line, ":"); ok && line[0] != '#' && !yield(name, list) {
				return
			}
		}
	}
}
