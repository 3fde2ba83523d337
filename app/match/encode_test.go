package match

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"testing"
)

// Comparing what was encoded and decoded is comparing what was prepared.
func TestEncode(t *testing.T) {
	l := labelledSet(t, "develop")
	decoded := map[string]*Prepared{}
	for _, id := range l.ids {
		data := l.intents[id].Encode()
		p, ok := Decode(data)
		if !ok || !bytes.Equal(p.Encode(), data) {
			t.Fatalf("%s: %+v is decoded as %+v", id, l.intents[id], p)
		}
		decoded[id] = p
	}
	compared := 0
	for i, a := range l.ids {
		for j, b := range l.ids {
			if (i+j)%7 != 0 {
				continue
			}
			want := Compare(l.intents[a], l.intents[b])
			if got := Compare(decoded[a], decoded[b]); got != want {
				t.Fatalf("%s and %s: %+v, decoded %+v", a, b, want, got)
			}
			if x, ok := likeliest(l.intents[a], l.intents[b]); ok {
				if y, _ := likeliest(decoded[a], decoded[b]); x != y {
					t.Fatalf("%s and %s: %v, decoded %v", a, b, x, y)
				}
				compared++
			}
		}
	}
	if compared < len(l.ids) {
		t.Errorf("%d pairs", compared)
	}
}

// What is stored of intents, and the keys, are those of KeysVersion.
func TestKeysVersion(t *testing.T) {
	l := labelledSet(t, "develop")
	sum := fnv.New64a()
	for _, id := range l.ids {
		for _, list := range [][]statement{l.intents[id].seeks, l.intents[id].brings} {
			for _, s := range list {
				for _, u := range s.units { // rounded, for machines that round otherwise
					fmt.Fprintf(sum, "%s %s %v %d %d %d %.4f %v %v %v\n", u.text, u.stem, u.meanings(), u.kind, u.frame, u.class, u.weight, u.head, u.first, u.generic)
				}
				fmt.Fprintf(sum, "%d %v %v %v %d %d\n", s.lang, s.times, s.places, s.languages, len(s.negated), len(s.plain))
				fmt.Fprintf(sum, "%d %d %v\n", s.ways, s.excluded, s.fit)
			}
		}
		for _, k := range l.intents[id].Keys() {
			sum.Write([]byte{byte(k.Side), k.Weight, byte(k.Hash), byte(k.Hash >> 8), byte(k.Hash >> 16), byte(k.Hash >> 24)})
		}
	}
	if got := sum.Sum64(); got != keysSum {
		t.Errorf("intents have other keys or are read otherwise than before: raise KeysVersion, and set keysSum to %#x", got)
	}
}

const keysSum = 0xaba764b175608c76

// FuzzDecode: bytes that nothing encoded are refused, or can be compared.
func FuzzDecode(f *testing.F) {
	p := PrepareIntent(Intent{Kind: "offer", Terms: "piano lessons, no beginners, Saturday in Berlin", Mode: "shared_goal", OpenToCollaborators: true, Goal: "trees"})
	f.Add(p.Encode())
	f.Add([]byte{KeysVersion})
	f.Fuzz(func(t *testing.T, data []byte) {
		if q, ok := Decode(data); ok {
			Compare(p, q)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := PrepareIntent(Intent{Kind: "ask", Terms: "looking for a sofa, second hand is fine, 3 seater, can pick up in Bristol on Saturday"}).Encode()
	b.ReportAllocs()
	for b.Loop() {
		Decode(data)
	}
	b.ReportMetric(float64(len(data)), "bytes")
}
