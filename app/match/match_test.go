package match_test

import (
	"math"
	"strings"
	"testing"

	"hearth/app/match"
)

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		min, max float64
	}{
		{"", "", 0, 0},
		{"?!", "?!", 0, 0},
		{"", "bike", 0, 0},
		{"bike", "bike", 1, 1},
		{"Bike", "BIKE!", 1, 1},
		{"café", "cafe\u0301", 1, 1},
		{"ｗｉｆｉ", "wifi", 1, 1},
		{"Straße", "STRASSE", 1, 1},
		{"what's on", "whats on", 1, 1},
		{"lawnmower", "lawn mower", 0.6, 0.99},
		{"repairing bicycles", "bike repair", 0.9, 1},
		{"🚲", "bicycle", 1, 1},
		{"pasword", "password", 0.7, 1},
		{"open", "oven", 0, 0.59},
		{"piano lessons", "garden tools", 0, 0},
		{"room 12", "room 14", 0, 0.4},
		{"مَتَى", "متى", 1, 1},
		{"駐車場", "駐車場", 1, 1},
		{"カメラ", "ｶﾒﾗ", 1, 1},
	} {
		if got := match.Similarity(c.a, c.b); got < c.min || got > c.max {
			t.Errorf("%q and %q: %.3f, want %.2f to %.2f", c.a, c.b, got, c.min, c.max)
		}
	}
}

// Marks that are vowels or other letters are not accents.
func TestMarksThatAreLetters(t *testing.T) {
	for _, p := range [][2]string{{"कमल", "कमला"}, {"はし", "ばし"}, {"มา", "มี"}} {
		if s := match.Similarity(p[0], p[1]); s == 1 {
			t.Errorf("%q and %q are compared as equal", p[0], p[1])
		}
	}
}

func TestSentences(t *testing.T) {
	if n := len(match.Sentences("Hello! Where can I park? Thanks.")); n != 4 {
		t.Errorf("%d texts, want the whole and three sentences", n)
	}
	if n := len(match.Sentences("Where can I park")); n != 1 {
		t.Errorf("%d texts, want the whole alone", n)
	}
	if n := len(match.Sentences(strings.Repeat("a b. ", 1000))); n > 10 {
		t.Errorf("%d texts of a long message", n)
	}
}

func FuzzSimilarity(f *testing.F) {
	for _, p := range readPairs(f, "../../testdata/matching/secretary.txt") {
		f.Add(p.typed, p.stored)
	}
	f.Add("\xff\xfe", strings.Repeat("é", 3000))
	f.Add("\u200d\ufe0f🏽", "👍🏽")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := match.Similarity(a, b)
		if math.IsNaN(s) || s < 0 || s > 1 {
			t.Fatalf("%q and %q: %v", a, b, s)
		}
		if other := match.Similarity(b, a); other != s {
			t.Fatalf("%q and %q: %v, and %v the other way round", a, b, s, other)
		}
		if self := match.Similarity(a, a); self != 1 && !match.Prepare(a).Empty() {
			t.Fatalf("%q and itself: %v", a, self)
		}
		match.Sentences(a)
	})
}

func BenchmarkPrepare(b *testing.B) {
	for b.Loop() {
		match.Prepare("Hi, could you tell me what time you open tomorrow?")
	}
}

// One question against 50 prepared ones; the metric is for one pair.
func BenchmarkSimilarity(b *testing.B) {
	var stored []match.Text
	for _, p := range readPairs(b, "../../testdata/matching/secretary.txt")[:50] {
		stored = append(stored, match.Prepare(p.stored))
	}
	typed := match.Prepare("Hi, could you tell me what time you open tomorrow?")
	for b.Loop() {
		for _, s := range stored {
			typed.Similarity(s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(stored)), "µs/pair")
}
