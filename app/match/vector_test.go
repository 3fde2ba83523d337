package match

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomVector returns a vector of numbers near the numbers of another vector, or near 0
// without one.
func randomVector(rng *rand.Rand, dimensions int, around []float64, spread float64) []float64 {
	v := make([]float64, dimensions)
	for i := range v {
		v[i] = spread * rng.NormFloat64()
		if around != nil {
			v[i] += around[i]
		}
	}
	return v
}

func quantised(t testing.TB, numbers []float64) Vector {
	t.Helper()
	v, err := Quantise(numbers)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dimensions := range []int{100, 384, 4096} {
		for range 50 {
			x := randomVector(rng, dimensions, nil, 3)
			y := randomVector(rng, dimensions, x, 4*rng.Float64())
			xy, xx, yy := 0.0, 0.0, 0.0
			for i := range x {
				xy, xx, yy = xy+x[i]*y[i], xx+x[i]*x[i], yy+y[i]*y[i]
			}
			a, b := quantised(t, x), quantised(t, y)
			if got, want := a.Cosine(b), xy/math.Sqrt(xx*yy); math.Abs(got-want) > 0.01 || got != b.Cosine(a) {
				t.Errorf("%d dimensions: got %f and %f, want %f", dimensions, got, b.Cosine(a), want)
			}
		}
	}
	most := slices.Repeat([]float64{-7}, MaxDimensions) // the largest sums
	if c := quantised(t, most).Cosine(quantised(t, most)); math.Abs(c-1) > 1e-9 {
		t.Errorf("the cosine of equal vectors is %f", c)
	}
	if c := quantised(t, most).Cosine(quantised(t, most[1:])); c != 0 || Vector(nil).Cosine(nil) != 0 {
		t.Errorf("vectors of different lengths have the cosine %f", c)
	}
}

func TestQuantise(t *testing.T) {
	eight := []float64{1, 0, -2, 0, 0, 0, 0, 0.5}
	if v := quantised(t, eight); int8(v[2]) != -127 || int8(v[0]) != 64 || int8(v[7]) != 32 {
		t.Errorf("got %v", v)
	}
	for name, bad := range map[string][]float64{
		"none": nil, "short": eight[:7], "long": make([]float64, MaxDimensions+1), "zeros": make([]float64, 8),
		"NaN": append(slices.Clone(eight), math.NaN()), "infinity": append(slices.Clone(eight), math.Inf(-1)),
	} {
		if _, err := Quantise(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestVectorsAreStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for sides := range 8 {
		var v Vectors
		for side := range v {
			if sides>>side&1 == 1 {
				v[side] = quantised(t, randomVector(rng, 20, nil, 1))
			}
		}
		data := v.Encode()
		got, ok := DecodeVectors(data)
		for side := range v {
			if !ok || !slices.Equal(got[side], v[side]) {
				t.Errorf("sides %b: %v became %v", sides, v, got)
			}
		}
		for n := range data {
			if _, ok := DecodeVectors(data[:n]); ok {
				t.Errorf("sides %b: the first %d bytes are decoded", sides, n)
			}
		}
		if _, ok := DecodeVectors(append(data, 0)); ok {
			t.Errorf("sides %b: a byte too many is decoded", sides)
		}
	}
}

func TestSideTexts(t *testing.T) {
	long := strings.Repeat("é", 600)
	for _, c := range []struct {
		in   Intent
		want [3]string
	}{
		{Intent{Kind: "ask", Terms: " a sofa "}, [3]string{"a sofa", "", ""}},
		{Intent{Kind: "offer", Terms: "a sofa", Goal: "rest"}, [3]string{"", "a sofa", ""}},
		{Intent{Kind: "ask", Terms: "x", Seeks: []string{"a", "b"}, Brings: []string{"c"}}, [3]string{"a\nb", "c", ""}},
		{Intent{Kind: "ask", Terms: "x", Goal: "rest", Mode: "shared_goal", OpenToCollaborators: true}, [3]string{"x", "", "rest"}},
		{Intent{Kind: "ask", Terms: "x", Goal: "rest", Mode: "shared_goal"}, [3]string{"x", "", ""}},
		{Intent{Kind: "ask", Terms: long}, [3]string{long[:1000], "", ""}},
		{Intent{Kind: "ask", Terms: "a\xff"}, [3]string{"a\ufffd", "", ""}},
	} {
		if got := c.in.SideTexts(); got != c.want {
			t.Errorf("%+v: got %q", c.in, got)
		}
	}
	many := Intent{Kind: "ask", Seeks: slices.Repeat([]string{long}, 30)}
	if n := len([]rune(many.SideTexts()[Seek])); n != maxSideText {
		t.Errorf("a side has %d characters", n)
	}
}

// references returns vectors of the reference texts in which those that belong
// together agree by how much agree says.
func references(t testing.TB, rng *rand.Rand, common []float64, agree float64) (out []Vector) {
	for range len(ReferenceTexts()) / 2 {
		topic := randomVector(rng, 200, common, 1)
		for range 2 {
			out = append(out, quantised(t, randomVector(rng, 200, topic, agree)))
		}
	}
	return out
}

func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	if n := len(ReferenceTexts()); n != 24 {
		t.Fatalf("%d texts", n)
	}
	wide, ok := NewScale(references(t, rng, nil, 0.5))
	if !ok || wide.Floor < 0.3 || wide.Full > 1 || wide.Full <= wide.Floor {
		t.Errorf("%+v, %v", wide, ok)
	}
	// Of many models all cosines are large.
	narrow, ok := NewScale(references(t, rng, slices.Repeat([]float64{2}, 200), 0.5))
	if !ok || narrow.Floor < 0.85 || narrow.Full <= narrow.Floor {
		t.Errorf("with large cosines: %+v, %v", narrow, ok)
	}
	if s, ok := NewScale(references(t, rng, nil, 100)); ok {
		t.Errorf("a model that tells nothing apart has the scale %+v", s)
	}
	same := slices.Repeat([]Vector{quantised(t, randomVector(rng, 200, nil, 1))}, 24)
	if s, ok := NewScale(same); ok {
		t.Errorf("a model with one vector for all has the scale %+v", s)
	}
	if _, ok := NewScale(nil); ok {
		t.Error("a scale of nothing")
	}
}

// fullEvidence is what vectors say that agree fully.
var fullEvidence = Evidence{answer: maxEvidence, ask: maxEvidence, goal: maxEvidence}

func prepared(kind, terms string) *Prepared { return PrepareIntent(Intent{Kind: kind, Terms: terms}) }

// Vectors add to what texts say, and never against what they plainly say.
func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		ask, offer string
		match      bool
	}{
		{"qarvel wozzlin", "zubrin tafgold", true}, // no word in common
		{"somebody who gets my son through algebra", "patient pensioner with an engineering past", true},
		{"sofa in Berlin", "zubrin in Paris", false},
		{"qarvel on Saturday", "zubrin on Tuesday mornings", false},
		{"qarvel, but no leather", "zubrin of leather", false},
		{"not looking for investors", "money for young firms", false},
		{"piano lessons", "guitar lessons", false},
		{"tutor for French", "tutor for Spanish", false},
	} {
		a, b := prepared("ask", c.ask), prepared("offer", c.offer)
		plain, got, back := Compare(a, b), CompareWith(a, b, fullEvidence), CompareWith(b, a, fullEvidence)
		if got != back {
			t.Errorf("%q and %q: %+v one way, %+v the other", c.ask, c.offer, got, back)
		}
		if c.match && (plain.Type != None || got.Type != Complementary || got.Score < maxEvidence) {
			t.Errorf("%q and %q: %+v, and %+v by vectors", c.ask, c.offer, plain, got)
		}
		if !c.match && got != plain {
			t.Errorf("%q and %q: %+v, and %+v by vectors", c.ask, c.offer, plain, got)
		}
	}
	if r := CompareWith(prepared("ask", "qarvel"), prepared("ask", "zubrin"), fullEvidence); r.Type != None {
		t.Errorf("two who ask: %+v", r)
	}
	if r := CompareWith(prepared("ask", "qarvel"), prepared("offer", "zubrin"), fullEvidence); r.Introduces(false, 0) ||
		!r.Introduces(true, 0.6) || r.Introduces(true, 0.61) {
		t.Errorf("vectors alone are taken for sure: %+v", r)
	}
}

// Without evidence the comparison is that of the texts, and with it no score is
// less.
func TestEvidenceOnlyAdds(t *testing.T) {
	l := labelledSet(t, "develop")
	for i, id := range l.ids[:60] {
		for _, other := range l.ids[i+1 : i+40] {
			a, b := l.intents[id], l.intents[other]
			plain := Compare(a, b)
			if got := CompareWith(a, b, Evidence{}); got != plain {
				t.Fatalf("%s and %s: %+v without evidence, not %+v", id, other, got, plain)
			}
			if got := CompareWith(a, b, fullEvidence); plain.Type != None &&
				(got.Type == None || got.Type == plain.Type && got.Score < plain.Score) {
				t.Errorf("%s and %s: %+v with evidence, %+v without", id, other, got, plain)
			}
		}
	}
}
