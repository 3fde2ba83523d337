package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// manyItems makes a database with public and private lists of 2,000 items each, of
// two people. Every second item has the word "common"; every text has ten words of
// a vocabulary in which the frequent ones are much more frequent.
func manyItems(b *testing.B, items int) (db *store.DB, ada, ben store.Viewer) {
	b.Helper()
	db, err := store.Open(context.Background(), filepath.Join(b.TempDir(), "hearth.db"), store.Options{Schema: storetest.Schema(b), Synchronous: "OFF"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	rnd := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(rnd, 1.1, 8, 50_000)
	text := func(n int) string {
		s := fmt.Sprintf("unique%d", n)
		for range 10 {
			s += fmt.Sprintf(" word%d", words.Uint64())
		}
		if n%2 == 0 {
			s += " common"
		}
		return s
	}
	write := func(f func(tx *store.Tx) error) {
		if err := db.Write(context.Background(), f); err != nil {
			b.Fatal(err)
		}
	}
	var people [2]store.User
	write(func(tx *store.Tx) (err error) {
		for n := range people {
			if people[n], err = tx.InsertUser(store.User{Email: fmt.Sprintf("p%d@example.org", n), Name: "P", SignupProvider: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	var list store.List
	for n := 0; n < items; n += 250 {
		write(func(tx *store.Tx) (err error) {
			if n%2000 == 0 {
				owner := people[n/2000%2]
				if list, err = tx.InsertList(store.List{OwnerID: owner.ID, Title: "List", Visibility: []string{"public", "private", "public"}[n/2000%3], Slug: "x"}); err != nil {
					return err
				}
			}
			for k := range 250 {
				if _, _, err := tx.InsertItem(store.Item{ListID: list.ID, Content: text(n + k), AuthorID: list.OwnerID}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	viewer := func(u store.User) store.Viewer { return store.Viewer{Kind: store.Human, UserID: u.ID} }
	return db, viewer(people[0]), viewer(people[1])
}

// BenchmarkSearchItems searches 200,000 items, or a million with HEARTH_LONG, for
// words of all kinds. "p99-us" is the time that one search in a hundred exceeds.
func BenchmarkSearchItems(b *testing.B) {
	items := storetest.Rounds(200_000, 1_000_000)
	db, ada, _ := manyItems(b, items)
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, query := range map[string]func() string{
		"half":           func() string { return "common" },
		"frequent":       func() string { return fmt.Sprintf("word%d", rnd.IntN(3)) },
		"rare":           func() string { return fmt.Sprintf("unique%d", rnd.IntN(items)) },
		"two-frequent":   func() string { return fmt.Sprintf("common word%d", rnd.IntN(4)) },
		"two-rare":       func() string { return fmt.Sprintf("word%d word%d", 500+rnd.IntN(400), 500+rnd.IntN(400)) },
		"frequent-rare":  func() string { return fmt.Sprintf("common word%d", 1000+rnd.IntN(9000)) },
		"none":           func() string { return "absent" },
		"half-and-none":  func() string { return "common absent" },
		"three-frequent": func() string { return "word0 word1 word2" },
	} {
		for who, by := range map[string]store.Viewer{"guest": {}, "owner": ada} {
			b.Run(name+"/"+who, func(b *testing.B) {
				var took []time.Duration
				found := 0
				for range b.N {
					q := store.ListSearch{Terms: []store.Term{{Words: store.Words(query())}}}
					start := time.Now()
					if err := db.Read(context.Background(), func(r *store.Reader) error {
						out, err := r.SearchItems(by, q, 20)
						found += len(out.Rows)
						return err
					}); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
				b.ReportMetric(float64(found)/float64(b.N), "found")
			})
		}
	}
}

// BenchmarkListPage reads a page in the middle of a list of 20,000 items and the
// first of one of 200, in turn. "ratio" is the time of the one by that of the
// other.
func BenchmarkListPage(b *testing.B) {
	db, by, lists := benchLists(b, 20_000, 200)
	var took [2]time.Duration
	for n := range 2 * b.N {
		start := time.Now()
		err := db.Read(context.Background(), func(r *store.Reader) error {
			rows, err := r.Items(by, lists[n%2], 100, []int{10_000, 0}[n%2])
			if err == nil && len(rows) != 100 {
				err = fmt.Errorf("%d rows", len(rows))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		took[n%2] += time.Since(start)
	}
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "ratio")
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "long-us")
}

// BenchmarkLongItems reads a page in the middle of a list of 1,000 items with the
// longest metadata. "MB/s" is of what is returned, so that it falls if more is read.
func BenchmarkLongItems(b *testing.B) {
	db, by, lists := benchLists(b, 0)
	long := `{"x":"` + strings.Repeat("x", 39_000) + `"}`
	for range 10 {
		if err := db.Write(context.Background(), func(tx *store.Tx) error {
			for range 100 {
				if _, _, err := tx.InsertItem(store.Item{ListID: lists[0], Content: benchText, Metadata: long, AuthorID: by.UserID}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(100 * int64(len(long)))
	b.ResetTimer()
	for range b.N {
		err := db.Read(context.Background(), func(r *store.Reader) error {
			rows, err := r.Items(by, lists[0], 100, 500)
			if err == nil && len(rows) != 100 {
				err = fmt.Errorf("%d rows", len(rows))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkListIndex reads the first page of an index of 10,000 public lists.
func BenchmarkListIndex(b *testing.B) {
	db, by, _ := benchLists(b)
	err := db.Write(context.Background(), func(tx *store.Tx) error {
		for n := range 10_000 {
			if _, err := tx.InsertList(store.List{OwnerID: by.UserID, Title: fmt.Sprintf("List %d", n), Visibility: "public", Slug: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		err := db.Read(context.Background(), func(r *store.Reader) error {
			rows, total, err := r.Lists(store.Viewer{}, store.PublicLists, 50, 0)
			if err == nil && (len(rows) != 50 || total != 10_000) {
				err = fmt.Errorf("%d rows of %d", len(rows), total)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
