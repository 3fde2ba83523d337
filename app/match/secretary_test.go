package match_test

import (
	"os"
	"strings"
	"testing"

	"hearth/app/match"
)

type labelled struct {
	fits          bool
	typed, stored string
}

func readPairs(t testing.TB, file string) (out []labelled) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 3 || f[0] != "+" && f[0] != "-" {
			t.Fatalf("%s: %q", file, line)
		}
		out = append(out, labelled{f[0] == "+", f[1], f[2]})
	}
	return out
}

// best returns the score of what the secretary compares: the text, and each of
// its sentences.
func best(typed, stored string) (score float64) {
	s := match.Prepare(stored)
	for _, t := range match.Sentences(typed) {
		score = max(score, t.Similarity(s))
	}
	return score
}

// The secretary must rarely be wrong, since its answers are sent: of its answers
// at least 96 % fit, and it answers at least 85 % of the questions that it has an
// answer to.
func TestSecretaryPairs(t *testing.T) {
	pairs := readPairs(t, "../../testdata/matching/secretary.txt")
	if len(pairs) < 120 {
		t.Fatalf("%d pairs; the figures need at least 120", len(pairs))
	}
	var right, wrong, missed int
	for _, p := range pairs {
		score := best(p.typed, p.stored)
		answered := score >= match.Sure
		switch {
		case answered && p.fits:
			right++
		case answered:
			wrong++
			t.Logf("wrong  %.2f %q %q", score, p.typed, p.stored)
		case p.fits:
			missed++
			t.Logf("missed %.2f %q %q", score, p.typed, p.stored)
		}
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
	t.Logf("%d pairs: precision %.3f, recall %.3f", len(pairs), precision, recall)
	if precision < 0.96 || recall < 0.85 {
		t.Errorf("precision %.3f and recall %.3f; want at least 0.96 and 0.85", precision, recall)
	}
}
