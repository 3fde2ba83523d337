package match

import (
	"strings"
	"testing"
)

func BenchmarkPrepareIntent(b *testing.B) {
	in := Intent{Kind: "ask", Terms: "looking for a sofa, second hand is fine, 3 seater, can pick up in Bristol on Saturday"}
	b.ReportAllocs()
	for b.Loop() {
		PrepareIntent(in)
	}
}

func BenchmarkPrepareGermanIntent(b *testing.B) {
	in := Intent{Kind: "ask", Terms: "Suche eine gebrauchte Waschmaschine und Umzugshilfe am Samstag in Hamburg"}
	for b.Loop() {
		PrepareIntent(in)
	}
}

// longest returns an intent as long as the API takes, of words of a language.
func longest(words string) Intent {
	text := firstRunes(strings.Repeat(words+" ", 100), 500)
	in := Intent{Kind: "ask", Mode: "shared_goal", OpenToCollaborators: true, Goal: text}
	for range 20 {
		in.Seeks = append(in.Seeks, text)
		in.Brings = append(in.Brings, text)
	}
	return in
}

func BenchmarkPrepareLongest(b *testing.B) {
	for _, words := range []string{"xqzzk wvyrt plokim", "Donaudampfschifffahrtskapitän Gartenarbeitsgerätehaus verleihen",
		"想找人练习法语口语周六从上海到杭州", "ladder gutter clean window"} {
		b.Run(words[:5], func(b *testing.B) {
			in := longest(words)
			for b.Loop() {
				PrepareIntent(in)
			}
		})
	}
}

func BenchmarkCompareLongest(b *testing.B) {
	p, q := PrepareIntent(longest("ladder gutter clean window sofa piano lesson Berlin")),
		PrepareIntent(longest("ladders gutters cleaning windows couch guitar teacher Hamburg"))
	for b.Loop() {
		Compare(p, q)
	}
}

// One intent against 200 candidates.
func BenchmarkCompare200(b *testing.B) {
	l := labelledSet(b, "develop")
	query := l.intents[l.ids[0]]
	for b.Loop() {
		for _, id := range l.ids[:200] {
			Compare(query, l.intents[id])
		}
	}
}
