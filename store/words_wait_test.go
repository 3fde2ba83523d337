package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hearth/store"
)

// hanOf returns n different Han characters.
func hanOf(from, n int) string {
	r := make([]rune, n)
	for i := range r {
		r[i] = rune(0x4e00 + (from+i*7919)%20900)
	}
	return string(r)
}

// hangulOf returns as many Korean characters as Han characters.
func hangulOf(han string) string {
	return strings.Map(func(r rune) rune { return '가' + (r-0x4e00)/2 }, han)
}

// waits returns how many bytes of tokens of long documents wait for the index.
func (w *wordsWorld) waits() (n int) {
	w.Helper()
	fmt.Sscan(column(w.T, w.db, `SELECT coalesce(sum(octet_length(words)), 0) FROM message_unindexed WHERE octet_length(words) > 16384`)[0], &n)
	return n
}

// stale returns how many bytes of tokens wait to be removed from the index.
func (w *wordsWorld) stale() (n int) {
	w.Helper()
	fmt.Sscan(column(w.T, w.db, `SELECT coalesce(sum(octet_length(words)), 0) FROM message_stale`)[0], &n)
	return n
}

func (w *wordsWorld) indexLong() (was bool) {
	w.Helper()
	w.write(func(tx *store.Tx) (err error) { was, err = tx.ChangeLong(); return err })
	return was
}

// A long message is written to the index in parts of a bounded length, behind its own write,
// and found at once.
func TestLongMessageIsIndexedInParts(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	w.send(w.ada, w.adas, slices.Repeat([]string{"short"}, 1100)...) // so that a search reads the index
	text := hanOf(0, 5000)
	runes := []rune(text)
	w.send(w.ada, w.adas, text)
	left := w.waits()
	if left < 50_000 {
		t.Errorf("%d bytes wait for the index", left)
	}
	for steps := 0; ; steps++ {
		for _, at := range []int{0, 2500, 4998} {
			if got, _ := w.search(w.ada, words(string(runes[at:at+2])), 10); !slices.Equal(got, []string{text}) {
				t.Errorf("%d messages are found after %d steps", len(got), steps)
			}
		}
		was := w.indexLong()
		now := w.waits()
		if left-now > 32<<10 || was != (left > 0) {
			t.Errorf("step %d adds %d of %d bytes", steps, left-now, left)
		}
		if left = now; !was {
			break
		}
	}
}

// Of a long message that is edited or deleted before it is in the index, or while parts of it
// are, the index has no other words in the end than its own, which is checked when the
// database is closed.
func TestLongMessageThatChangesWhileItWaits(t *testing.T) {
	t.Parallel()
	text := hanOf(0, 5000)
	other := hangulOf(text)
	for name, c := range map[string]struct {
		parts int    // of three are in the index
		edit  string // "" deletes it
		waits int    // bytes that are added later, at least
		stale int    // bytes that are removed later, at least
		marks bool   // words are marked as removed
	}{
		"deleted before":               {0, "", 0, 0, false},
		"deleted while":                {1, "", 0, 0, true},
		"deleted after":                {3, "", 0, 50_000, false},
		"edited while":                 {1, "short", 0, 0, true},
		"edited after":                 {3, "short", 0, 50_000, false},
		"edited to another one before": {0, other, 40_000, 0, false},
		"edited to another one while":  {2, other, 40_000, 30_000, false},
		"edited a little while":        {1, text + "!x", 30_000, 0, false},
		"edited to the same while":     {2, text, 20_000, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWordsWorld(t)
			m := w.send(w.ada, w.adas, text)
			for n := range c.parts {
				if !w.indexLong() {
					t.Errorf("it has %d parts", n)
				}
			}
			w.write(func(tx *store.Tx) error {
				m := m
				if c.edit == "" {
					return tx.DeleteMessage(&m)
				}
				return tx.EditMessage(&m, store.PrepareText(c.edit))
			})
			if got := w.waits(); got < c.waits || c.waits == 0 && got > 0 {
				t.Errorf("%d bytes wait", got)
			}
			if got := w.stale(); got < c.stale || c.stale == 0 && got > 0 {
				t.Errorf("%d bytes are removed later", got)
			}
			var marked bool
			if err := w.db.Read(t.Context(), func(r *store.Reader) (err error) { marked, err = r.WordsMarked(); return err }); marked != c.marks || err != nil {
				t.Errorf("words are marked as removed: %v, %v", marked, err)
			}
			for before := w.stale(); before > 0; before = w.stale() {
				if was := w.indexLong(); !was || before-w.stale() > 16<<10 {
					t.Fatalf("of %d bytes %d are left to be removed", before, w.stale())
				}
			}
			if c.waits > 0 && !w.indexLong() {
				t.Error("nothing is added later")
			}
		})
	}
}

// Words that the index loses later find nothing.
func TestStaleWords(t *testing.T) {
	text := hanOf(0, 5000)
	for _, edit := range []string{"", hangulOf(text)} {
		w := newWordsWorld(t)
		w.send(w.ada, w.adas, slices.Repeat([]string{"short"}, 1100)...) // so that a search reads the index
		m := w.send(w.ada, w.adas, text)
		for w.indexLong() {
		}
		w.write(func(tx *store.Tx) error {
			m := m
			if edit == "" {
				return tx.DeleteMessage(&m)
			}
			return tx.EditMessage(&m, store.PrepareText(edit))
		})
		for more := true; more; more = w.indexLong() {
			if got, _ := w.search(w.ada, words(string([]rune(text)[2500:2502])), 10); len(got) > 0 {
				t.Errorf("edited to %.10q, %d messages are found by what it was", edit, len(got))
			}
			if edit == "" {
				continue
			}
			if got, _ := w.search(w.ada, words(string([]rune(edit)[2500:2502])), 10); !slices.Equal(got, []string{edit}) {
				t.Errorf("%d messages are found by what it is", len(got))
			}
		}
		if n := w.stale(); n > 0 {
			t.Errorf("%d bytes stay", n)
		}
	}
}

// Long and short messages are sent, edited, deleted and indexed in any order; the index is
// checked when the database is closed.
func TestLongMessagesChangeInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string { // they differ by more words than are removed one by one
		han := hanOf(0, 600+r.IntN(3)*1200)
		if r.IntN(2) > 0 {
			return hangulOf(han)
		}
		return han
	}
	var ms []store.Message
	for range 30 {
		n := r.IntN(6)
		if n < 2 || len(ms) == 0 {
			ms = append(ms, w.send(w.ada, w.adas, text()))
			continue
		}
		m := &ms[r.IntN(len(ms))]
		switch n {
		case 2:
			content, edited := text(), *m
			w.write(func(tx *store.Tx) error {
				edited = *m
				return tx.EditMessage(&edited, store.PrepareText(content))
			})
			*m = edited
		case 3:
			w.write(func(tx *store.Tx) error { x := *m; return tx.DeleteMessage(&x) })
			*m = ms[len(ms)-1]
			ms = ms[:len(ms)-1]
		default:
			w.indexLong()
		}
	}
}

// A long message is written to the index at once if very many of them wait.
func TestVeryManyLongMessages(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	wait := func(n int) {
		w.write(func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1) INSERT INTO message_unindexed (id, words) SELECT -n, zeroblob(16385) || '' FROM n`, n)
			return err
		})
	}
	for _, n := range []int{511, 512} {
		wait(n)
		before := w.waits()
		w.send(w.ada, w.adas, hanOf(0, 2000))
		if waits := w.waits() > before; waits != (n < 512) {
			t.Errorf("beside %d others it waits: %v", n, waits)
		}
		w.write(func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`DELETE FROM message_unindexed WHERE id < 0`)
			return err
		})
	}
}

// The words of a long message are marked as removed at once if those of very many wait.
func TestVeryManyStaleMessages(t *testing.T) {
	w := newWordsWorld(t)
	for n, waits := range map[int]bool{511: true, 512: false} {
		m := w.send(w.ada, w.adas, hanOf(n, 3000))
		for w.indexLong() {
		}
		w.write(func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`WITH n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1) INSERT INTO message_stale (id, words) SELECT -n, 'x' FROM n`, n)
			return err
		})
		before := w.stale()
		w.write(func(tx *store.Tx) error { m := m; return tx.DeleteMessage(&m) })
		if got := w.stale() > before; got != waits {
			t.Errorf("beside %d others its words wait: %v", n, got)
		}
		w.write(func(tx *store.Tx) error {
			_, err := tx.ExecForTest(`DELETE FROM message_stale WHERE id < 0`)
			return err
		})
	}
}

// Short documents wait for the index up to 32 KiB of their tokens together.
func TestBytesThatWait(t *testing.T) {
	w := newWordsWorld(t)
	for _, want := range []string{"3", "4", "0", "1"} { // with two short ones
		w.send(w.ada, w.adas, hanOf(0, 1000)) // 11 KiB of tokens
		if got := column(t, w.db, `SELECT count(*) FROM message_unindexed`)[0]; got != want {
			t.Errorf("%s wait, want %s", got, want)
		}
	}
}

// One write adds messages with 64 KiB of text to the index, and deletes as many of an
// account that is deleted.
func TestLongMessagesInOneWrite(t *testing.T) {
	w := newWordsWorld(t)
	texts := slices.Repeat([]string{strings.Repeat("many words ", 1000)}, 20) // 11,000 bytes each
	w.send(w.ada, w.adas, texts...)
	w.write(func(tx *store.Tx) error { return tx.ForgetWordsForTest() })
	for steps, done := 0, false; !done; {
		w.write(func(tx *store.Tx) (err error) {
			done, err = tx.IndexOlder(100)
			return err
		})
		if steps++; done != (steps == 4) { // 5 at a time
			t.Fatalf("after %d writes all are in the index: %v", steps, done)
		}
	}
	w.write(func(tx *store.Tx) error { return tx.Freeze(w.ada.UserID) })
	w.write(func(tx *store.Tx) error {
		a, err := tx.Authored(w.ada.UserID)
		if err == nil {
			_, err = tx.Redact(a)
		}
		return err
	})
	for left, more := 100, true; more; {
		w.write(func(tx *store.Tx) (err error) {
			more, err = tx.Scrub(w.ada.UserID, 100)
			return err
		})
		var n int
		fmt.Sscan(column(t, w.db, `SELECT count(*) FROM message WHERE length(content) > 10000`)[0], &n)
		if left-n > 5 && left < 100 || n < 15 && left == 100 {
			t.Errorf("of %d messages %d are left after a write", left, n)
		}
		left = n
	}
}
