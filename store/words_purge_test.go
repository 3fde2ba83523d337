package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
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

// manyWordsOf returns a text of n words that no other text has, which begin with prefix.
func manyWordsOf(prefix string, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	return strings.Join(words, " ")
}

// blocks returns how many blocks of an index have a token.
func (w *wordsWorld) blocks(index, token string) (n int) {
	w.Helper()
	file, err := sql.Open("sqlite", "file:"+w.db.Path())
	if err == nil {
		defer file.Close()
		err = file.QueryRow(`SELECT count(*) FROM `+index+`_data WHERE instr(block, CAST(? AS BLOB)) > 0`, token).Scan(&n)
	}
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// While words are marked as removed, of up to 60 tokens each is removed at once, and more
// are marked, too: each would have to be looked up.
func TestRemovalWhileWordsAreMarked(t *testing.T) {
	t.Parallel()
	for n, marked := range map[int]bool{58: false, 59: true} { // with the sender's, and that of every document
		w := newWordsWorld(t)
		m := w.send(w.ada, w.adas, strings.Join(strings.Split(hanOf(0, n), ""), " ")) // of as many tokens
		long := w.send(w.ada, w.adas, manyWordsOf("long", 400))
		w.send(w.ada, w.adas, slices.Repeat([]string{"more"}, 65)...) // so that those are in the index
		w.write(func(tx *store.Tx) error { m := long; return tx.DeleteMessage(&m) })
		w.write(func(tx *store.Tx) error { return tx.SetSetting("words_purge", "runs") })
		w.write(func(tx *store.Tx) error { m := m; return tx.DeleteMessage(&m) })
		if got := column(t, w.db, `SELECT value FROM setting WHERE name = 'words_purge'`)[0]; got != map[bool]string{false: "runs", true: "repeats"}[marked] {
			t.Errorf("after %d words were removed the state is %q", n, got)
		}
	}
}

// The words of a long text that is edited or deleted are marked as removed, found no
// more, and in no part of the index once that was purged by the server; those of a short
// one are gone at once.
func TestWordsOfLongTexts(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	var short, edited, deleted store.Message
	var list store.List
	var item, dropped store.Item
	w.write(func(tx *store.Tx) (err error) {
		for m, content := range map[*store.Message]string{&short: manyWordsOf("zs", 20), &edited: manyWordsOf("ze", 400), &deleted: manyWordsOf("zd", 400)} {
			tx.Now = tx.Tick()
			*m = store.Message{ConversationID: w.adas, SenderID: w.Ada.ID, Content: content}
			if err = tx.Send(m, nil); err != nil {
				return err
			}
		}
		if list, err = tx.InsertList(store.List{OwnerID: w.Ada.ID, Title: "x", Visibility: "private", Slug: "x"}); err == nil {
			item, _, err = tx.InsertItem(store.Item{ListID: list.ID, Content: manyWordsOf("yi", 400)})
		}
		if err == nil {
			dropped, _, err = tx.InsertItem(store.Item{ListID: list.ID, Content: manyWordsOf("yd", 400)})
		}
		return err
	})
	// So that those of messages are in the index.
	w.send(w.ada, w.adas, slices.Repeat([]string{"more"}, 65)...)
	setting := func(name string) (v string) {
		t.Helper()
		if err := w.db.Read(t.Context(), func(r *store.Reader) (err error) {
			v, err = r.Setting(name)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return v
	}
	w.write(func(tx *store.Tx) error { m := short; return tx.EditMessage(&m, store.PrepareText("now")) })
	if w.blocks("message_word", "zs0") > 0 || setting("words_purge") != "" {
		t.Error("the words of a short text are left")
	}
	w.write(func(tx *store.Tx) error {
		m := edited
		return tx.EditMessage(&m, store.PrepareText("now"))
	})
	w.write(func(tx *store.Tx) error { m := deleted; return tx.DeleteMessage(&m) })
	w.write(func(tx *store.Tx) error {
		i := item
		i.Content = "now"
		return tx.UpdateItem(item, i)
	})
	w.write(func(tx *store.Tx) error { return tx.DeleteItem(dropped) })
	if setting("words_purge") != "begin" || setting("list_words_purge") != "begin" {
		t.Error("the words of long texts are not marked")
	}
	for _, word := range []string{"ze0001", "zd0001"} {
		if got, _ := w.search(w.ada, store.Search{Terms: []store.Term{{Words: store.Words(word)}}}, 10); len(got) > 0 {
			t.Errorf("%s is found in %q", word, got)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.db.KeepWords(ctx, slog.New(slog.DiscardHandler)) }()
	for deadline := time.Now().Add(30 * time.Second); setting("words_purge")+setting("list_words_purge") != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the indexes are not purged")
		}
	}
	stop()
	<-ended
	for word, index := range map[string]string{"ze0": "message_word", "zd0": "message_word", "yi0": "list_word", "yd0": "list_word"} {
		if n := w.blocks(index, word); n > 0 {
			t.Errorf("%s is in %d blocks of %s", word, n, index)
		}
	}
}

// What is marked while an index is purged is purged by a further pass.
func TestMarkedDuringAPurge(t *testing.T) {
	w := newWordsWorld(t)
	for n := range 3 { // parts of the index
		texts := make([]string, 65)
		for i := range texts {
			texts[i] = fmt.Sprintf("word%d many%d", 100*n+i, n)
		}
		w.send(w.ada, w.adas, texts...)
	}
	var first, second store.Message
	w.write(func(tx *store.Tx) error {
		for _, m := range []*store.Message{&first, &second} {
			tx.Now = tx.Tick()
			*m = store.Message{ConversationID: w.adas, SenderID: w.Ada.ID, Content: manyWordsOf("za", 400)}
			if err := tx.Send(m, nil); err != nil {
				return err
			}
		}
		return nil
	})
	remove := func(m store.Message) { w.write(func(tx *store.Tx) error { m := m; return tx.DeleteMessage(&m) }) }
	purge := func() (more bool) {
		w.write(func(tx *store.Tx) (err error) { more, err = tx.PurgeWords(1); return err })
		return more
	}
	remove(first)
	if !purge() {
		t.Fatal("it ends with the first step")
	}
	remove(second)
	for range 2 {
		for steps := 0; purge(); steps++ {
			if steps == 200 {
				t.Fatal("it does not end")
			}
		}
	}
	if n := w.blocks("message_word", "za0"); n > 0 || purge() {
		t.Errorf("the words are in %d blocks", n)
	}
}

// What one write adds to an index of words, or removes, is bounded by its length.
func TestWordsOfAWrite(t *testing.T) {
	w := newWordsWorld(t)
	w.send(w.ada, w.adas, manyWordsOf("za", 3000), manyWordsOf("zb", 3000), manyWordsOf("zc", 3000), manyWordsOf("zd", 3000), manyWordsOf("ze", 3000))
	if got := column(t, w.db, `SELECT count(*) FROM message_unindexed WHERE octet_length(words) > 16384`)[0]; got != "5" {
		t.Errorf("%s long messages wait for the index", got)
	}
	var list store.List
	w.write(func(tx *store.Tx) (err error) {
		if list, err = tx.InsertList(store.List{OwnerID: w.Ada.ID, Title: "x", Visibility: "private", Slug: "x"}); err != nil {
			return err
		}
		for n := range 30 {
			if _, _, err := tx.InsertItem(store.Item{ListID: list.ID, Content: manyWordsOf(fmt.Sprintf("y%02d", n), 280)}); err != nil {
				return err
			}
		}
		return nil
	})
	indexed := func(condition string) string {
		return column(t, w.db, `SELECT count(*) FROM list_document WHERE item_id IS NOT NULL AND list_id = '`+list.ID+`'`+condition)[0]
	}
	if got := indexed(""); got != "7" {
		t.Errorf("%s items of 2,239 bytes are indexed as they are added", got)
	}
	writes := 0
	for n := int64(1); n > 0; writes++ {
		w.write(func(tx *store.Tx) (err error) { n, err = tx.ReindexLists(100); return err })
	}
	if got := indexed(""); got != "30" || writes != 5 {
		t.Errorf("%s items are indexed after %d writes", got, writes)
	}
	w.write(func(tx *store.Tx) error {
		l := list
		l.Visibility = "public"
		return tx.UpdateList(list, l)
	})
	if got := indexed(" AND public"); got != "7" {
		t.Errorf("%s items are indexed for everybody at once", got)
	}
	w.write(func(tx *store.Tx) error { return tx.DeleteList(list) })
	for left, n := 30, int64(1); n > 0; left -= int(n) {
		if n > 7 {
			t.Errorf("%d items are deleted in one write", n)
		}
		w.write(func(tx *store.Tx) (err error) { n, err = tx.DropLists(100); return err })
	}
}

// purge does steps of the purge of the index of messages, of so many pages, until it ends.
func (w *wordsWorld) purge(pages int) {
	w.Helper()
	for steps, more := 0, true; more; steps++ {
		if steps == 200 {
			w.Fatal("it does not end")
		}
		w.write(func(tx *store.Tx) (err error) { more, err = tx.PurgeWords(pages); return err })
	}
}

// bulk sends n messages, each of twelve words that no other one has, in one write.
func (w *wordsWorld) bulk(n int) {
	w.Helper()
	texts := make([]string, n)
	for i := range texts {
		for range 12 {
			w.bulked++
			texts[i] += strconv.FormatUint(w.bulked*0x9e3779b97f4a7c15>>32|1<<31, 36) + " "
		}
	}
	w.send(w.ada, w.adas, texts...)
}

func (w *wordsWorld) delete(m store.Message) {
	w.Helper()
	w.write(func(tx *store.Tx) error { m := m; return tx.DeleteMessage(&m) })
}

// A purge does not end before what it began with is merged, however many parts come
// between its steps.
func TestPurgeOfFewParts(t *testing.T) {
	t.Parallel()
	for between := 1; between <= 3; between++ {
		w := newWordsWorld(t)
		long := w.send(w.ada, w.adas, manyWordsOf("zv", 400))
		w.bulk(800)
		w.bulk(800)
		w.write(func(tx *store.Tx) error { return tx.MergeWords(-1000) })
		w.delete(long)
		w.write(func(tx *store.Tx) error {
			more, err := tx.PurgeWords(8)
			if !more {
				t.Error("the first step is the only one")
			}
			return err
		})
		for range between {
			w.bulk(70)
		}
		if w.purge(8); w.blocks("message_word", "zv0") > 0 {
			t.Errorf("%d parts came meanwhile: the words are left", between)
		}
	}
}

// A purge leaves no marks in an index whose parts a large write has moved to one level,
// nor in one that is a single part.
func TestPurgeOfOneLevel(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	for n, size := range []int{100, 70, 1500} {
		prefix := []string{"zf", "zs", "zt"}[n]
		long := w.send(w.ada, w.adas, manyWordsOf(prefix, 400))
		w.bulk(size)
		w.delete(long)
		if w.purge(500); w.blocks("message_word", prefix+"0") > 0 {
			t.Errorf("purge %d: the words are left", n)
		}
	}
	long := w.send(w.ada, w.adas, manyWordsOf("zl", 400))
	w.bulk(2000) // more than there was
	w.delete(long)
	w.write(func(tx *store.Tx) error { return tx.MergeWords(-1000) })
	if w.purge(500); w.blocks("message_word", "zl0") > 0 {
		t.Error("the words are left in a single part")
	}
}

// A purge goes on in a file that is opened again.
func TestPurgeAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	long := w.send(w.ada, w.adas, manyWordsOf("zv", 400))
	w.bulk(200)
	w.delete(long)
	w.write(func(tx *store.Tx) error { _, err := tx.PurgeWords(1); return err })
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), w.db.Path(), store.Options{Schema: storetest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for steps, more := 0, true; more; steps++ {
		if steps == 200 {
			t.Fatal("it does not end")
		}
		if err := db.Write(t.Context(), func(tx *store.Tx) (err error) { more, err = tx.PurgeWords(1); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if w.blocks("message_word", "zv0") > 0 {
		t.Error("the words are left")
	}
}
