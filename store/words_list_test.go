package store

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// addWords adds an item of n words that no other item has to the list.
func (w *rankWorld) addWords(prefix string, n int) {
	w.t.Helper()
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%04d%s", i, prefix)
	}
	w.write(func(tx *Tx) error {
		_, _, err := tx.InsertItem(Item{ListID: w.id, Content: strings.Join(words, " "), AuthorID: w.by.UserID})
		return err
	})
}

func (w *rankWorld) found(word string) int {
	w.t.Helper()
	n := 0
	if err := w.db.Read(w.t.Context(), func(r *Reader) error {
		out, err := r.SearchItems(w.by, ListSearch{Terms: []Term{{Words: Words(word)}}}, 1000)
		n = len(out.Rows)
		return err
	}); err != nil {
		w.t.Error(err)
	}
	return n
}

// A write to the index of lists merges none of its parts, however much it adds. They are
// merged in quiet moments, and beside writes from fewer on than those of messages are.
func TestPartsOfListsAreMergedLater(t *testing.T) {
	w := newRankWorld(t, 0)
	k := listKeeper(w.db)
	look := func() (state []byte, parts int) {
		t.Helper()
		state, parts, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return state, parts
	}
	merge := func() (done bool) {
		t.Helper()
		done, err := k.merge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	_, first := look()
	const writes = 90
	for n := range writes {
		w.addWords(fmt.Sprintf("of%02d", n), 600)
		if _, parts := look(); parts != first+n+1 {
			t.Fatalf("%d parts after %d writes, %d before", parts, n+1, first)
		}
	}
	for steps := 0; ; steps++ {
		before, parts := look()
		k.state = nil // as if there had been another write
		merge()
		if after, _ := look(); bytes.Equal(before, after) {
			if parts > manyListParts || steps < 2 {
				t.Errorf("beside writes, %d parts are left after %d steps", parts, steps)
			}
			break
		}
		if steps == 1000 {
			t.Fatal("it does not end")
		}
	}
	for n := range 10 {
		w.addWords(fmt.Sprintf("more%02d", n), 600)
	}
	before, parts := look()
	merge()
	if after, _ := look(); !bytes.Equal(before, after) || parts < 10 {
		t.Errorf("beside writes, some of %d parts are merged", parts)
	}
	for steps := 0; !merge(); steps++ {
		if steps == 1000 {
			t.Fatal("it does not end")
		}
	}
	if _, parts := look(); parts > fewParts {
		t.Errorf("in a quiet moment, %d parts are left", parts)
	}
	if n := w.found("0599of89"); n != 1 {
		t.Errorf("%d items are found", n)
	}
}

// The items of lists that wait for the index are added to it part by part without waiting
// in between, and its parts are merged meanwhile.
func TestKeeperIndexesLists(t *testing.T) {
	w := newRankWorld(t, 0)
	for n := range 60 {
		w.addWords(fmt.Sprintf("of%02d", n), 1000)
	}
	w.write(func(tx *Tx) error {
		for _, query := range []string{
			`INSERT INTO list_word (list_word) VALUES ('delete-all') /* server: a test */`, `DELETE FROM list_document /* scan: a test */`,
			`INSERT INTO list_reindex (list_id, after) SELECT id, NULL FROM list /* scan: a test */`,
		} {
			if _, err := tx.exec(query); err != nil {
				return err
			}
		}
		return nil
	})
	k := listKeeper(w.db)
	steps, most := 0, 0
	for done := false; !done && steps < 1000; steps++ {
		var err error
		k.pages = maxPages
		if done, err = k.first(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, parts, err := k.look(t.Context())
		if most = max(most, parts); err != nil {
			t.Fatal(err)
		}
	}
	if state, parts, err := k.look(t.Context()); steps < 60 || steps == 1000 || most > manyListParts || parts > fewParts && !bytes.Equal(state, k.idle) || err != nil {
		t.Errorf("%d steps, at most %d parts and %d at last, %v", steps, most, parts, err)
	}
	for _, word := range []string{"0000of00", "0999of59"} {
		if n := w.found(word); n != 1 {
			t.Errorf("%s is found %d times", word, n)
		}
	}
}
