package store

import (
	"strings"
	"testing"
)

// A list with few items is deleted at once: nothing of it is left to be deleted later.
func TestSmallListIsDeletedAtOnce(t *testing.T) {
	w := newRankWorld(t, 3)
	w.write(func(tx *Tx) error {
		l, err := tx.List(w.by, w.id)
		if err == nil {
			err = tx.DeleteList(l)
		}
		return err
	})
	w.write(func(tx *Tx) error {
		var rows int
		if err := tx.value([]any{&rows}, `SELECT (SELECT count(*) FROM list) + (SELECT count(*) FROM item) + (SELECT count(*) FROM list_document) /* server: a test */ /* scan: a test */`); err != nil || rows != 0 {
			t.Errorf("%d rows are left, %v", rows, err)
		}
		return nil
	})
}

// A name that a text mentions has at most maxNameEnds words and maxNameSize characters.
func TestBoundsOfNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ends int
		last string // the longest name that it can be
	}{
		"as many words":      {strings.Repeat("a ", maxNameEnds), maxNameEnds, strings.TrimSpace(strings.Repeat("a ", maxNameEnds))},
		"a word more":        {strings.Repeat("a ", maxNameEnds+1), maxNameEnds, strings.TrimSpace(strings.Repeat("a ", maxNameEnds))},
		"as many characters": {strings.Repeat("a", maxNameSize), 1, strings.Repeat("a", maxNameSize)},
		"a character more":   {strings.Repeat("a", maxNameSize+1), 0, ""},
	} {
		ends := nameEnds(c.text, 0)
		last := ""
		if len(ends) > 0 {
			last = c.text[:ends[len(ends)-1].end]
		}
		if len(ends) != c.ends || last != c.last {
			t.Errorf("%s: %d ends, want %d; the longest is %q", name, len(ends), c.ends, last)
		}
	}
}
