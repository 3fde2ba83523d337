package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Parts of the index are merged when nothing was written since they were looked at last,
// one write after another until few are left, and not where that changes nothing.
func TestPartsAreMergedInQuietMoments(t *testing.T) {
	w := newRankWorld(t, 0)
	for n := range 20 {
		w.write(func(tx *Tx) error {
			_, err := tx.exec(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
				INSERT INTO message_word (rowid, words) SELECT 1000 * ?1 + n, 'word' || ?1 || 'of' || n FROM n /* server: a test */ /* scan: a test */`, n+1)
			return err
		})
	}
	merge := func(k *wordKeeper) (done, changed bool, parts int) {
		t.Helper()
		before, _, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done, err = k.merge(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, parts, err := k.look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return done, !bytes.Equal(before, after), parts
	}
	state, parts, err := messageKeeper(w.db).look(t.Context())
	if parts <= fewParts || parts > manyParts || err != nil {
		t.Fatalf("%d parts, %v", parts, err)
	}
	if done, changed, _ := merge(&wordKeeper{db: w.db, index: messageWords, many: manyParts, pages: minPages, state: state, idle: state}); !done || changed {
		t.Errorf("where there was nothing to merge: done %v, changed %v", done, changed)
	}
	k := messageKeeper(w.db)
	if done, changed, _ := merge(k); !done || changed {
		t.Errorf("beside writes: done %v, changed %v", done, changed)
	}
	for n := 0; ; n++ {
		k.pages = 1
		done, changed, left := merge(k)
		if done && !changed {
			if n < 2 || left >= parts {
				t.Errorf("after %d writes %d of %d parts are left", n, left, parts)
			}
			break
		}
		if done || n == 100 {
			t.Fatalf("write %d: done %v, changed %v, %d parts", n, done, changed, left)
		}
	}
}

// addParts adds parts of one document each to the index.
func (w *rankWorld) addParts(n int) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		if _, err := tx.exec(`INSERT INTO message_word (message_word, rank) VALUES ('crisismerge', 100) /* server: a test */`); err != nil {
			return err
		}
		for n := range n {
			if err := tx.execAll(
				statement{`INSERT INTO message_word (rowid, words) VALUES (?, 'word')`, []any{n + 1}},
				statement{`INSERT INTO message_word (message_word) VALUES ('flush') /* server: a test */`, nil},
			); err != nil {
				return err
			}
		}
		return nil
	})
}

// A few parts of the index stay. More of them are merged in quiet moments, where the next
// step follows at once, and beside writes if there are many.
func TestHowManyPartsAreMerged(t *testing.T) {
	for _, c := range []struct {
		parts         int
		quiet, merged bool
	}{
		{fewParts, true, false}, {fewParts, false, false}, {fewParts + 1, true, true}, {fewParts + 1, false, false},
		{manyParts, true, true}, {manyParts, false, false}, {manyParts + 1, false, true},
	} {
		w := newRankWorld(t, 0)
		w.addParts(c.parts)
		k := messageKeeper(w.db)
		before, parts, err := k.look(t.Context())
		if parts != c.parts || err != nil {
			t.Fatalf("%d parts, want %d, %v", parts, c.parts, err)
		}
		if c.quiet {
			k.state = before
		}
		done, err := k.merge(t.Context())
		if want := !c.quiet || !c.merged; done != want || err != nil {
			t.Errorf("%d parts, quiet %v: done %v, %v", c.parts, c.quiet, done, err)
		}
		after, _, err := k.look(t.Context())
		if merged := !bytes.Equal(before, after); merged != c.merged || err != nil {
			t.Errorf("%d parts, quiet %v: merged %v, want %v, %v", c.parts, c.quiet, merged, c.merged, err)
		}
	}
}

// Parts that cannot be merged are left as they are, and the next step can wait: of each
// size there are fewer than are merged.
func TestPartsThatStay(t *testing.T) {
	w := newRankWorld(t, 0)
	for range 2 {
		w.partsOfWords(4)
		w.write(func(tx *Tx) error { return tx.MergeWords(maxPages) })
	}
	w.addParts(3)
	k := messageKeeper(w.db)
	state, parts, err := k.look(t.Context())
	if parts != fewParts+1 || err != nil {
		t.Fatalf("%d parts, %v", parts, err)
	}
	k.state = state
	if done, err := k.merge(t.Context()); !done || err != nil || !bytes.Equal(k.idle, state) {
		t.Errorf("done %v, idle %x after %x, %v", done, k.idle, state, err)
	}
}

// times has the moments at which something is written to it.
type times []time.Time

func (at *times) Write(b []byte) (int, error) {
	*at = append(*at, time.Now())
	return len(b), nil
}

// A write to the index of words that fails is logged and tried again after ten seconds.
func TestKeepWordsTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		now := time.Now()
		var writes atomic.Int64
		db, err := Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF", Now: func() time.Time {
			if writes.Add(1) == 200 { // without a pause the time limit would never come
				cancel()
			}
			return now
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Write(t.Context(), func(tx *Tx) error { return tx.SetSetting(wordsSetting, "unreadable") }); err != nil {
			t.Fatal(err)
		}
		var logged times
		db.KeepWords(ctx, slog.New(slog.NewTextHandler(&logged, nil)))
		if want := []time.Time{now, now.Add(10 * time.Second), now.Add(20 * time.Second)}; !slices.EqualFunc(logged, want, time.Time.Equal) {
			t.Errorf("logged at %v, want %v", logged, want)
		}
	})
}

// The keeper adds long documents part by part without waiting in between, and merges the
// parts.
func TestKeeperAddsLongDocuments(t *testing.T) {
	w := newRankWorld(t, 0)
	words := make([]string, 30_000)
	for n := range words {
		words[n] = fmt.Sprintf("%05d", n)
	}
	w.write(func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO message_unindexed (id, words) VALUES (1, ?1), (2, ?1), (3, 'short')`, strings.Join(words, " "))
		return err
	})
	k := messageKeeper(w.db)
	steps, done := 0, false
	for ; !done && steps < 100; steps++ {
		var err error
		if done, err = k.keep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, parts, err := k.look(t.Context())
	if steps < 20 || steps > 60 || parts > fewParts || err != nil {
		t.Errorf("%d steps, and %d parts of the index, %v", steps, parts, err)
	}
	if err := w.db.Read(t.Context(), func(r *Reader) error {
		for _, word := range []string{"00000", "15000", "29999"} {
			ids, err := r.entries(word, 0, 10, 10)
			if !slices.Equal(ids, []int64{2, 1}) {
				t.Errorf("%s is in %v, %v", word, ids, err)
			}
		}
		ids, err := r.unindexed(0, 10)
		if !slices.Equal(ids, []int64{3}) {
			t.Errorf("%v wait", ids)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	w.write(func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM message_unindexed WHERE id = 3`)
		return err
	})
	w.write(func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO message_word (message_word) VALUES ('delete-all') /* server: a test */`)
		return err
	})
}
