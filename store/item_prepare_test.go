package store

import (
	"errors"
	"slices"
	"testing"
)

// A write indexes 16 KiB of the items that it adds. The tokens of those that wait for the
// index are counted before the write, which uses that count, and as those of items that were
// not prepared.
func TestPrepareItems(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 0)
	bare := make([]Item, 12)
	for n := range bare {
		text := make([]rune, 1500)
		for c := range text {
			text[c] = rune(0x4e00 + (n*31+c*7919)%20000)
		}
		bare[n] = Item{ListID: w.id, AuthorID: w.by.UserID, Content: string(text), SourceNote: "a note", SourceURL: "https://a.example/"}
	}
	prepared := slices.Clone(bare)
	PrepareItems(prepared)
	more := slices.Clone(prepared)
	waiting := 0
	for n := range more {
		if more[n].tokenSize > 0 {
			more[n].tokenSize++
			waiting++
		}
	}
	stored := func(items []Item) (bytes, documents int) {
		undo := errors.New("undo")
		err := w.db.Write(t.Context(), func(tx *Tx) error {
			for _, i := range items {
				if _, _, err := tx.InsertItem(i); err != nil {
					return err
				}
			}
			bytes = tx.stored
			if err := tx.value([]any{&documents}, `SELECT count(*) FROM list_document WHERE item_id IS NOT NULL`); err != nil {
				return err
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		return bytes, documents
	}
	want, documents := stored(bare)
	if waiting == 0 || documents+waiting != len(bare) || documents*bare[0].Size() > 16<<10 {
		t.Errorf("of %d items of %d bytes %d are counted before the write, and %d indexed by it", len(bare), bare[0].Size(), waiting, documents)
	}
	if got, _ := stored(prepared); got != want {
		t.Errorf("prepared items count as %d bytes, want %d", got, want)
	}
	if got, _ := stored(more); got != want+waiting {
		t.Errorf("items that are prepared as one byte more each count as %d bytes, want %d more than %d", got, waiting, want)
	}
}
