package match

import (
	"os"
	"testing"
)

func labelledSet(t testing.TB, part string) *Labelled {
	t.Helper()
	l, err := ReadLabelled(os.DirFS("../../testdata/matching/" + part))
	if err != nil {
		t.Fatal(err)
	}
	return l
}
