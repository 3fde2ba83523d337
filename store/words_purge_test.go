package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
)

// The purge of the index ends although messages are added between its steps: the parts
// that come meanwhile are not merged with those that it began with.
func TestPurgeEndsBesideWrites(t *testing.T) {
	w := newWordsWorld(t)
	for n := range 4 { // parts of the index
		texts := make([]string, 70)
		for i := range texts {
			texts[i] = fmt.Sprintf("word%d of%d many%d", 100*n+i, i, n)
		}
		w.send(w.ada, w.adas, texts...)
	}
	w.write(func(tx *store.Tx) error { return tx.SetSetting("words_purge", "begin") })
	steps := 0
	for more := true; more; steps++ {
		if steps == 100 {
			t.Fatal("it does not end")
		}
		w.write(func(tx *store.Tx) (err error) {
			more, err = tx.PurgeWords(1)
			return err
		})
		texts := make([]string, 70)
		for i := range texts {
			texts[i] = fmt.Sprintf("more%d of%d many%d", 100*steps+i, i, steps)
		}
		w.send(w.ada, w.adas, texts...)
	}
}

// Parts of an index without marked documents are not merged by the purge.
func TestPurgeOfUnmarkedWords(t *testing.T) {
	w := newWordsWorld(t)
	for n := range 6 { // parts of the index
		w.send(w.ada, w.adas, slices.Repeat([]string{fmt.Sprint("word", n)}, 65)...)
	}
	look := func() (state []byte, parts int) {
		t.Helper()
		if err := w.db.Read(t.Context(), func(r *store.Reader) (err error) {
			state, parts, err = r.WordsState()
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return state, parts
	}
	before, parts := look()
	if parts < 6 {
		t.Fatalf("%d parts", parts)
	}
	w.write(func(tx *store.Tx) error {
		more, err := tx.PurgeWords(100)
		if more {
			t.Error("there is more to do")
		}
		return err
	})
	if after, parts := look(); !bytes.Equal(before, after) {
		t.Errorf("%d parts are left", parts)
	}
}
