package match

import (
	"cmp"
	"slices"
)

// Side says where a key comes from.
type Side uint8

// The sides of an exchange, and goals. Seeks are looked up among brings, brings
// among seeks, and goals among goals.
const (
	Seek Side = iota
	Bring
	Goal
)

// Opposite returns the side on which the keys of s are looked up.
func (s Side) Opposite() Side {
	switch s {
	case Seek:
		return Bring
	case Bring:
		return Seek
	}
	return Goal
}

// Key is what an intent is found by. Intents that Compare would match share keys
// of opposite sides, the more and heavier the better they match.
type Key struct {
	Side   Side
	Hash   uint32
	Weight uint8
}

// KeysVersion changes when Keys or Encode do, so that what is stored of intents is
// computed again.
const KeysVersion = 11

const keysPerText = 24

// Keys returns the keys of an intent, without repetition: at most 24 for a text,
// those of the greatest weight, in the order of their sides and hashes. They are
// the same on every machine.
func (p *Prepared) Keys() []Key {
	var out []Key
	for i := range p.seeks {
		out = p.seeks[i].keys(out, Seek)
	}
	for i := range p.brings {
		out = p.brings[i].keys(out, Bring)
	}
	if p.goal != nil {
		out = p.goal.keys(out, Goal)
	}
	slices.SortFunc(out, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Hash, b.Hash), cmp.Compare(b.Weight, a.Weight))
	})
	return slices.CompactFunc(out, func(a, b Key) bool { return a.Side == b.Side && a.Hash == b.Hash })
}

// Namespaces of keys.
const (
	keyText = iota + 210
	keyWord
	keySense
	keyCluster
	keySkeleton
	keyTopic
)

// keys appends the keys of one text. In texts of many words each has few, so that
// none is without.
func (s *statement) keys(out []Key, side Side) []Key {
	var keys []Key
	most := max(keysPerWord, 2*keysPerText/max(len(s.units), 1))
	for i := range s.units {
		if u := &s.units[i]; u.kind != number {
			own := u.keys(nil, side)
			sortKeys(own)
			keys = append(keys, own[:min(len(own), most)]...)
		}
	}
	sortKeys(keys)
	return append(out, keys[:min(len(keys), keysPerText)]...)
}

const keysPerWord = 6

// sortKeys puts the heaviest keys first.
func sortKeys(keys []Key) {
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Hash, b.Hash)) })
}

// keys appends the keys of one unit.
func (u *unit) keys(keys []Key, side Side) []Key {
	add := func(space int, form string, weight float64) {
		keys = append(keys, Key{side, HashForm(space, form), uint8(min(max(weight*100, 1), 255))})
	}
	t := knowledge()
	if u.kind == gram || u.n == 0 {
		add(keyText, u.stem, u.weight)
		if u.kind == word && len(u.text) >= 5 {
			add(keySkeleton, skeleton(u.text), 0.6*u.weight)
		}
	}
	for _, w := range u.parts[:u.nParts] {
		add(keyWord, number16(w), 0.5*u.weight)
	}
	for j, w := range u.meanings() {
		share := u.weight / (1 + 0.4*float64(j))
		add(keyWord, number16(w), share)
		t.senseKeys(add, w, share, j == 0)
		for k, end := span(t.topicIndex, w); k < end; k++ {
			add(keyTopic, number16(u16(t.topics, k)&^TopicThing), 0.5*share)
		}
		if j > 0 {
			continue
		}
		for k, end := span(t.linkIndex, w); k < end; k++ {
			add(keyWord, number16(u16(t.linkWords, k)), 0.4*share)
		}
		for k := range ClustersPerWord {
			cluster := uint16(u32(t.clusters, int(w)) >> (k * ClusterBits) & (1<<ClusterBits - 1))
			add(keyCluster, number16(cluster), 0.35*share/(1+0.5*float64(k)))
		}
	}
	return keys
}

// senseKeys adds keys of the senses of a word, and if it is the likeliest one of
// what it is a kind of.
func (t *table) senseKeys(add func(int, string, float64), w uint16, share float64, likeliest bool) {
	senses := t.sensesOf(w)
	for k := range min(len(senses)/2, 3) {
		add(keySense, number16(u16(senses, k)), 0.8*share/(1+0.5*float64(k)))
	}
	if !likeliest || senses == "" {
		return
	}
	sense := u16(senses, 0)
	for step := 1.0; step <= 2; step++ {
		if sense = u16(t.parents, int(sense)); sense == noParent {
			return
		}
		add(keySense, number16(sense), 0.5*share/step)
	}
}

func number16(n uint16) string { return string([]byte{byte(n), byte(n >> 8)}) }

// skeleton returns a word's letters without vowels and repetitions, which most
// misspellings share.
func skeleton(w string) string {
	var out []rune
	for i, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y', 'h', 'а', 'е', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я', 'ь':
			if i > 0 {
				continue
			}
		}
		if len(out) == 0 || out[len(out)-1] != c {
			out = append(out, c)
		}
	}
	return string(out)
}
