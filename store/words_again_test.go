package store_test

import (
	"database/sql"
	"math/rand/v2"
	"slices"
	"testing"

	"hearth/store"
)

// Words that are marked as removed, added again and merged meanwhile are gone when they
// are removed at once. storetest compares the index with the messages at the end.
func TestWordsAddedAgain(t *testing.T) {
	t.Parallel()
	w := newWordsWorld(t)
	m := w.send(w.ada, w.adas, manyWordsOf("zv", 40)+" "+manyWordsOf("zw", 400))
	w.bulk(800)
	w.write(func(tx *store.Tx) error { return tx.MergeWords(-500) })
	edit := func(text string) {
		out := m
		w.write(func(tx *store.Tx) error { out = m; return tx.EditMessage(&out, store.PrepareText(text)) })
		m = out
	}
	edit("x")
	edit(manyWordsOf("zv", 40))
	for range 3 {
		w.bulk(70)
	}
	w.write(func(tx *store.Tx) error { return tx.MergeWords(500) })
	edit("y")
	if w.purge(500); w.blocks("message_word", "zv00") > 0 {
		t.Error("the words are left")
	}
}

// sameAsNew compares the size of an index that was purged with that of one that had no
// other documents.
func sameAsNew(t *testing.T, path, index string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		`CREATE VIRTUAL TABLE temp.was USING fts5vocab('main', '` + index + `', 'instance')`,
		`CREATE VIRTUAL TABLE temp.new USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii')`,
		`INSERT INTO temp.new (rowid, words) VALUES (0, 'x')`,
		`INSERT INTO temp.new (new, rowid, words) VALUES ('delete', 0, 'x')`,
		`INSERT INTO temp.new (rowid, words) SELECT doc, group_concat(term, ' ') FROM temp.was GROUP BY doc ORDER BY doc`,
		`INSERT INTO temp.new (new) VALUES ('optimize')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	var got, want int
	err = db.QueryRow(`SELECT (SELECT sum(length(block)) FROM `+index+`_data WHERE id > 10), (SELECT sum(length(block)) FROM temp.new_data WHERE id > 10)`).Scan(&got, &want)
	if err != nil || max(got-want, want-got) > 100 { // entries that were added again take two bytes more
		t.Errorf("%s has %d bytes, a new index %d: %v", index, got, want, err)
	}
}

// Whatever is written between the steps of purges, once they end the indexes are as
// large as new ones. storetest compares their entries with the messages and lists.
func TestPurgesAmongWrites(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		w := newWordsWorld(t)
		r := rand.New(rand.NewPCG(seed, 1))
		// The same texts again and again, so that words are removed and added again.
		text := func() string {
			return manyWordsOf(string(rune('a'+r.IntN(3))), []int{5, 40, 350}[r.IntN(3)])
		}
		var list store.List
		var items []store.Item
		var messages []store.Message
		w.write(func(tx *store.Tx) (err error) {
			items = nil
			if list, err = tx.InsertList(store.List{OwnerID: w.Ada.ID, Title: "x", Visibility: "private", Slug: "x"}); err != nil {
				return err
			}
			for range 4 {
				i, _, err := tx.InsertItem(store.Item{ListID: list.ID, Content: text()})
				if err != nil {
					return err
				}
				items = append(items, i)
			}
			return nil
		})
		for range 80 {
			for len(messages) < 4 {
				messages = append(messages, w.send(w.ada, w.adas, text()))
			}
			n, content, pages := r.IntN(4), text(), 1+r.IntN(3)
			switch r.IntN(8) {
			case 0:
				w.bulk(65)
			case 1, 2:
				m := messages[n]
				w.write(func(tx *store.Tx) error { m = messages[n]; return tx.EditMessage(&m, store.PrepareText(content)) })
				messages[n] = m
			case 3:
				w.delete(messages[n])
				messages = slices.Delete(messages, n, n+1)
			case 4:
				l := list
				l.Visibility = []string{"private", "public"}[r.IntN(2)]
				w.write(func(tx *store.Tx) error { return tx.UpdateList(list, l) })
				list = l
			case 5:
				i := items[n]
				i.Content = content
				w.write(func(tx *store.Tx) error { return tx.UpdateItem(items[n], i) })
				items[n] = i
			case 6:
				w.write(func(tx *store.Tx) error { return tx.MergeWords(pages) })
			default:
				w.write(func(tx *store.Tx) error { _, err := tx.PurgeWords(pages); return err })
				w.write(func(tx *store.Tx) error { _, err := tx.PurgeListWords(pages); return err })
			}
		}
		for index, purge := range map[string]func(*store.Tx, int) (bool, error){"message_word": (*store.Tx).PurgeWords, "list_word": (*store.Tx).PurgeListWords} {
			setting := map[string]string{"message_word": "words_purge", "list_word": "list_words_purge"}[index]
			// What runs ends, and one more purge merges all in one step.
			for range 2 {
				for steps, more := 0, true; more; steps++ {
					if steps == 200 {
						t.Fatal("it does not end")
					}
					w.write(func(tx *store.Tx) (err error) { more, err = purge(tx, 2); return err })
				}
			}
			w.write(func(tx *store.Tx) error { return tx.SetSetting(setting, "begin") })
			w.write(func(tx *store.Tx) error {
				more, err := purge(tx, 100_000)
				if more {
					t.Error("there is more to do")
				}
				return err
			})
			sameAsNew(t, w.db.Path(), index)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
