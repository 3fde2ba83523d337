package match

import (
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "fit the model to testdata/matching/develop and train*.txt and write model.go")

// example is a pair of intents as the model sees it.
type example struct {
	a, b   string
	x      [featureCount]float64
	match  float64
	weight float64
}

// Weights of the examples: hard negatives count double, and the intents that look
// most alike without a label little, since there are many. So do the examples of
// train-natural*.txt: most of its pairs only somebody who knows the world can judge.
const (
	hardNegative = 2
	unlabelled   = 0.2
	natural      = 0.15
	perQuery     = 6
	penalty      = 100
)

// TestFit fits the model again and writes it to model.go, with -update.
func TestFit(t *testing.T) {
	if !*update {
		t.Skip("set -update to fit the model again")
	}
	var b strings.Builder
	b.WriteString("package match\n\n// model has the weights of the features, by logistic regression on\n// testdata/matching/develop and " +
		"train*.txt. Made by go test ./app/match -run Fit -update.\nvar model = [featureCount]float64{\n")
	for i, w := range fit(fitted(t)) {
		if fmt.Fprintf(&b, "%.3f,", w); i%8 == 7 {
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n}\n")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("model.go", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fitted returns the examples of the sets that the model is fitted to.
func fitted(t testing.TB) []example {
	var out []example
	for _, l := range trainingSets(t) {
		out = append(out, l.examples()...)
	}
	return out
}

func (l training) examples() []example {
	var out []example
	add := func(a, b string, match, weight float64) {
		if x, ok := likeliest(l.intents[a], l.intents[b]); ok {
			out = append(out, example{a, b, x, match, l.weight * weight})
		}
	}
	known := map[[2]string]bool{}
	queries := map[string]bool{}
	for _, p := range l.pairs {
		known[[2]string{p.A, p.B}], known[[2]string{p.B, p.A}] = true, true
		switch {
		case p.Match:
			add(p.A, p.B, 1, 1)
			queries[p.A], queries[p.B] = true, true
		case !l.intents[p.A].reciprocal && !l.intents[p.B].reciprocal:
			add(p.A, p.B, 0, hardNegative)
		}
	}
	for _, id := range l.ids {
		if !queries[id] {
			continue
		}
		alike := map[string]float64{}
		var others []string
		for _, other := range l.ids {
			if x, ok := likeliest(l.intents[id], l.intents[other]); ok && other != id && !known[[2]string{id, other}] {
				others = append(others, other)
				alike[other] = x[1]
			}
		}
		slices.SortStableFunc(others, func(a, b string) int { return cmp.Compare(alike[b], alike[a]) })
		for _, other := range others[:min(perQuery, len(others))] {
			add(id, other, 0, unlabelled)
		}
	}
	return out
}

// likeliest returns the features of the pair of texts that agrees most.
func likeliest(a, b *Prepared) (x [featureCount]float64, ok bool) {
	try := func(one, other *statement) {
		if f := compare(one, other); f.matched > 0 {
			if y := f.features(); !ok || y[1] > x[1] {
				x, ok = y, true
			}
		}
	}
	for _, sides := range [][2][]statement{{a.seeks, b.brings}, {b.seeks, a.brings}} {
		for i := range sides[0] {
			for j := range sides[1] {
				try(&sides[0][i], &sides[1][j])
			}
		}
	}
	if !ok && a.goal != nil && b.goal != nil {
		try(a.goal, b.goal)
	}
	return x, ok
}

// fit returns the weights of a logistic regression with an L2 penalty on the
// standardised features, by gradient descent with momentum.
func fit(set []example) (w [featureCount]float64) {
	var mean, deviation, speed [featureCount]float64
	n := float64(len(set))
	for i := 1; i < featureCount; i++ {
		for _, e := range set {
			mean[i] += e.x[i] / n
		}
		for _, e := range set {
			deviation[i] += (e.x[i] - mean[i]) * (e.x[i] - mean[i]) / n
		}
		deviation[i] = max(math.Sqrt(deviation[i]), 1e-6)
	}
	deviation[0] = 1
	for range 500 {
		var gradient [featureCount]float64
		for _, e := range set {
			z := 0.0
			for i := range w {
				z += w[i] * (e.x[i] - mean[i]) / deviation[i]
			}
			d := (e.match - 1/(1+math.Exp(-z))) * e.weight
			for i := range w {
				gradient[i] += d * (e.x[i] - mean[i]) / deviation[i]
			}
		}
		for i := range w {
			if i > 0 {
				gradient[i] -= penalty * w[i]
			}
			speed[i] = 0.9*speed[i] + 0.5*gradient[i]/n
			w[i] += speed[i]
		}
	}
	for i := 1; i < featureCount; i++ {
		w[i] /= deviation[i]
		w[0] -= w[i] * mean[i]
	}
	// The set has too few examples of two things that are known without it: siblings
	// such as a guitar and a piano exclude each other, and people write of one thing
	// in two languages.
	w[featureExcludes] = min(w[featureExcludes], -1.5)
	w[featureForeign] = max(w[featureForeign], -0.5)
	return w
}
