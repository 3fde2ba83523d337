package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// benchLists makes a database with a list of each number of items.
func benchLists(b *testing.B, sizes ...int) (db *store.DB, by store.Viewer, lists []string) {
	b.Helper()
	db, err := store.Open(context.Background(), filepath.Join(b.TempDir(), "hearth.db"), store.Options{Schema: storetest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	err = db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := loadRow(tx)
		if err != nil {
			return err
		}
		by = store.Viewer{Kind: store.Human, UserID: u.ID}
		for _, n := range sizes {
			l, err := tx.InsertList(store.List{OwnerID: u.ID, Title: "x", Visibility: "private", Slug: "x"})
			if err != nil {
				return err
			}
			lists = append(lists, l.ID)
			for range n {
				if _, _, err := tx.InsertItem(store.Item{ListID: l.ID, Content: benchText, AuthorID: u.ID}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return db, by, lists
}

// first returns the first item of a list.
func first(r *store.Reader, by store.Viewer, listID string) (store.Item, error) {
	items, err := r.Items(by, listID, 1, 0)
	if err != nil || len(items) == 0 {
		return store.Item{}, fmt.Errorf("no item, %v", err)
	}
	return items[0], nil
}

// BenchmarkItem changes the first of 10,000 items, in turn with the first of
// 40. "ratio" is the time of the one by that of the other; "writer" is the same
// of the time in which no other write can run.
func BenchmarkItem(b *testing.B) {
	for name, position := range map[string]func(n int) int{
		"delete":    nil,
		"to-end":    func(n int) int { return n - 1 },
		"to-middle": func(n int) int { return n / 2 },
	} {
		b.Run(name, func(b *testing.B) {
			db, by, lists := benchLists(b, 10_000, 40)
			var took, writer [2]time.Duration
			for n := range 2 * b.N {
				t, w, err := changeFirst(db, by, lists[n%2], position)
				if err != nil {
					b.Fatal(err)
				}
				took[n%2], writer[n%2] = took[n%2]+t, writer[n%2]+w
			}
			b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "ratio")
			b.ReportMetric(writer[0].Seconds()/writer[1].Seconds(), "writer")
			b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "long-us")
		})
	}
}

// changeFirst moves the first item of a list to a position of its n items, or
// deletes it if position is nil and puts another at the end. It returns the
// time of the change, and that within its write.
func changeFirst(db *store.DB, by store.Viewer, listID string, position func(n int) int) (took, writer time.Duration, err error) {
	var i store.Item
	err = db.Read(context.Background(), func(r *store.Reader) (err error) {
		i, err = first(r, by, listID)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	err = db.Write(context.Background(), func(tx *store.Tx) error {
		start := time.Now()
		defer func() { writer = time.Since(start) }()
		if position == nil {
			return tx.DeleteItem(i)
		}
		l, err := tx.List(by, listID)
		if err != nil {
			return err
		}
		p, err := tx.Place(by, l, i.ID, position(l.ItemCount))
		if err != nil {
			return err
		}
		return tx.MoveItem(i, p)
	})
	took = time.Since(start)
	if err == nil && position == nil {
		err = db.Write(context.Background(), func(tx *store.Tx) error { _, _, err := tx.InsertItem(i); return err })
	}
	return took, writer, err
}
