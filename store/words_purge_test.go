package store_test

import (
	"fmt"
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
