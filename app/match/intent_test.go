package match

import (
	"os"
	"testing"
)

func labelledSet(t testing.TB, part string) *Labelled {
	t.Helper()
	dir := "../../testdata/matching/" + part + "/"
	intents, err := os.Open(dir + "intents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer intents.Close()
	pairs, err := os.Open(dir + "pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	l, err := ReadLabelled(intents, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
