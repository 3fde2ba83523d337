package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
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
	var l store.List
	var i store.Item
	var p store.Place
	err = db.Read(context.Background(), func(r *store.Reader) (err error) {
		if i, err = first(r, by, listID); err != nil {
			return err
		}
		start := time.Now()
		if l, err = r.List(by, listID); err == nil && position != nil {
			p, err = r.Place(by, l, i.ID, position(l.ItemCount))
		}
		took = time.Since(start)
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
		if err == nil {
			p, err = tx.PlaceNow(by, l, i.ID, position(l.ItemCount), p)
		}
		if err == nil {
			err = tx.MoveItem(i, p)
		}
		return err
	})
	took += time.Since(start)
	if err == nil && position == nil {
		err = db.Write(context.Background(), func(tx *store.Tx) error { _, _, err := tx.InsertItem(i); return err })
	}
	return took, writer, err
}

// BenchmarkSendBesideDeletions sends from 8 callers while 4 others delete the
// first item of a list of 12,000, in turn with the same sends alone, in short
// turns. "ratio" is the rate of the one by that of the other.
func BenchmarkSendBesideDeletions(b *testing.B) {
	db, by, lists := benchLists(b, 0)
	var conversationID string
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		conversationID, err = tx.InsertGroup(by.UserID, nil, "Bench")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	send := func() {
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			return tx.Send(&store.Message{ConversationID: conversationID, SenderID: by.UserID, Content: benchText}, nil)
		})
		if err != nil {
			b.Error(err)
		}
	}
	var alone, beside time.Duration
	deleted := 0
	const turns = 8
	for turn := range turns {
		n := b.N*(turn+1)/turns - b.N*turn/turns
		alone += sends(n, send)
		stop := deleteFirsts(b, db, by, lists[0])
		beside += sends(n, send)
		deleted += stop()
	}
	b.ReportMetric(alone.Seconds()/beside.Seconds(), "ratio")
	b.ReportMetric(float64(deleted)/beside.Seconds(), "deletions/s")
	b.ReportMetric(float64(b.N)/alone.Seconds(), "sends/s")
}

func sends(n int, send func()) time.Duration {
	var next atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range 8 {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				send()
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// deleteFirsts fills a list up to 12,000 items and deletes the first from 4
// callers until stop is called, which returns how many they were.
func deleteFirsts(b *testing.B, db *store.DB, by store.Viewer, listID string) (stop func() int) {
	items := make([]store.Item, 0, 12_000)
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		l, err := tx.List(by, listID)
		for n := l.ItemCount; err == nil && n < cap(items); n++ {
			_, _, err = tx.InsertItem(store.Item{ListID: listID, Content: benchText, AuthorID: by.UserID})
		}
		if err == nil {
			items, err = tx.Items(by, listID, cap(items), 0)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := next.Add(1) - 1; ctx.Err() == nil && n < int64(len(items)); n = next.Add(1) - 1 {
				if err := db.Write(context.Background(), func(tx *store.Tx) error { return deleteItem(tx, by, items[n]) }); err != nil {
					b.Error(err)
				}
			}
		})
	}
	return func() int {
		cancel()
		wg.Wait()
		return int(min(next.Load(), int64(len(items))))
	}
}

// deleteItem is what deleting an item does in its write.
func deleteItem(tx *store.Tx, by store.Viewer, i store.Item) error {
	if _, err := tx.List(by, i.ListID); err != nil {
		return err
	}
	if _, err := tx.Item(by, i.ListID, i.ID); err != nil {
		return err
	}
	if err := tx.DeleteItem(i); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: i.ListID, Kind: "item.deleted", ObjectID: i.ID, ActorID: by.UserID})
}
