package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"
)

// The background work on the index of words ends with the database.
func TestKeepWordsEndsWithTheDatabase(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	db.KeepWords(ctx, slog.New(slog.DiscardHandler))
	if ctx.Err() != nil {
		t.Error("it goes on after the database was closed")
	}
}

// partsOfWords writes messages with words of their own, so that the index has parts of
// several pages.
func (w *rankWorld) partsOfWords(n int) {
	w.t.Helper()
	for part := range n {
		w.write(func(tx *Tx) error {
			id, err := tx.InsertGroup(w.by.UserID, nil, "")
			for m := range 65 { // too many to wait for others
				text := ""
				for word := range 20 {
					text += fmt.Sprintf("%x%x%x ", word, m, part)
				}
				tx.Now = tx.Tick()
				if err == nil {
					err = tx.Send(&Message{ConversationID: id, SenderID: w.by.UserID, Content: text}, nil)
				}
			}
			return err
		})
	}
}

// The parts of the index are merged in small steps, one at once after the other, in a
// quiet moment alone while they are not many, until a few are left; then nothing is
// written.
func TestWordsAreMergedToAFewParts(t *testing.T) {
	w := newRankWorld(t, 0)
	w.partsOfWords(20)
	k := messageKeeper(w.db)
	merge := func() (done, changed bool, parts int) {
		t.Helper()
		before, _, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done, err = k.merge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after, parts, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done, !bytes.Equal(before, after), parts
	}
	if done, changed, parts := merge(); !done || changed || parts < 20 {
		t.Fatalf("right after a write: done %v, changed %v, %d parts", done, changed, parts)
	}
	steps, left := 0, 0
	for ; steps < 1000; steps++ {
		done, changed, parts := merge()
		if left = parts; !changed {
			if !done {
				t.Error("nothing was merged, and more is to be done at once")
			}
			break
		}
		if done {
			t.Errorf("step %d: %d parts are left, and the next step is to wait", steps, parts)
			break
		}
	}
	if steps < 2 || left > fewParts {
		t.Errorf("%d steps, %d parts are left", steps, left)
	}
	if done, changed, _ := merge(); !done || changed {
		t.Errorf("once few are left: done %v, changed %v", done, changed)
	}
}

// At an end of a list, where nothing is in the way, items are spread as widely as those
// that are added one after another.
func TestSpreadAtAnEnd(t *testing.T) {
	for name, w := range map[string]window{
		"both":  {isFirst: true, isLast: true, below: 1},
		"first": {isFirst: true, high: 5, below: 1},
		"last":  {isLast: true, low: -5, below: 1},
	} {
		w.items = []ranked{{ID: "a"}, {ID: "b"}}
		rank, ok := w.spread(minRankGap)
		if a, b := w.items[0].Rank, w.items[1].Rank; !ok || rank-a != rankGap || b-rank != rankGap || !w.isFirst && a-w.low != rankGap || !w.isLast && w.high-b != rankGap {
			t.Errorf("%s: %d, %d, %d, %v", name, a, rank, b, ok)
		}
	}
}
