package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// rankWorld is a database with one list of n items.
type rankWorld struct {
	t   testing.TB
	db  *DB
	by  Viewer
	id  string
	ids []string // of the items, in order
}

func newRankWorld(t testing.TB, n int) *rankWorld {
	t.Helper()
	db, err := Open(context.Background(), filepath.Join(t.TempDir(), "hearth.db"),
		Options{Schema: readText(t, "../schema.sql"), Synchronous: "OFF"})
	if err != nil {
		t.Fatal(err)
	}
	w := &rankWorld{t: t, db: db}
	t.Cleanup(func() {
		if broken, err := db.Check(context.Background()); err != nil || len(broken) > 0 {
			t.Errorf("%v %v", broken, err)
		}
		db.Close()
	})
	w.write(func(tx *Tx) error {
		u, err := tx.InsertUser(User{Email: "ada@example.org", Name: "Ada", SignupProvider: "magic-link"})
		if err != nil {
			return err
		}
		w.by = Viewer{Kind: Human, UserID: u.ID}
		l, err := tx.InsertList(List{OwnerID: u.ID, Title: "x", Visibility: "private", Slug: "x"})
		w.id = l.ID
		return err
	})
	w.add(n)
	return w
}

func (w *rankWorld) write(f func(tx *Tx) error) {
	w.t.Helper()
	if err := w.db.Write(context.Background(), f); err != nil {
		w.t.Fatal(err)
	}
}

// add adds n items at the end.
func (w *rankWorld) add(n int) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		for range n {
			i, position, err := tx.InsertItem(Item{ListID: w.id, Content: "x", AuthorID: w.by.UserID})
			if err != nil {
				return err
			}
			if position != len(w.ids) {
				return fmt.Errorf("added at %d, want %d", position, len(w.ids))
			}
			w.ids = append(w.ids, i.ID)
		}
		return nil
	})
}

// move moves the item at one position to another and returns how many rows of
// all tables that changed.
func (w *rankWorld) move(from, to int) (rows int) {
	w.t.Helper()
	id := w.ids[from]
	w.write(func(tx *Tx) error {
		i, err := tx.Item(w.by, w.id, id)
		if err != nil {
			return err
		}
		l, err := tx.List(w.by, w.id)
		if err != nil {
			return err
		}
		p, err := tx.Place(w.by, l, id, to)
		if err != nil || i.IsIn(p) != (from == to) {
			return fmt.Errorf("from %d to %d: in its place is %v, %v", from, to, i.IsIn(p), err)
		}
		before := totalChanges(tx)
		if from != to {
			err = tx.MoveItem(i, p)
		}
		rows = totalChanges(tx) - before
		return err
	})
	w.ids = slices.Insert(slices.Delete(w.ids, from, from+1), to, id)
	return rows
}

func (w *rankWorld) remove(at int) (rows int) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		i, err := tx.Item(w.by, w.id, w.ids[at])
		if err != nil {
			return err
		}
		before := totalChanges(tx)
		err = tx.DeleteItem(i)
		rows = totalChanges(tx) - before
		return err
	})
	w.ids = slices.Delete(w.ids, at, at+1)
	return rows
}

func totalChanges(tx *Tx) (n int) {
	if err := tx.value([]any{&n}, `SELECT total_changes()`); err != nil {
		panic(err)
	}
	return n
}

// check compares the order, and the position of some items, with the model.
func (w *rankWorld) check() {
	w.t.Helper()
	err := w.db.Read(context.Background(), func(r *Reader) error {
		items, err := r.Items(w.by, w.id, len(w.ids)+1, 0)
		var got []string
		for _, i := range items {
			got = append(got, i.ID)
		}
		if !slices.Equal(got, w.ids) {
			w.t.Fatalf("the order is not that of the model (%d items, want %d)", len(got), len(w.ids))
		}
		for n := 0; err == nil && n < len(w.ids); n += 1 + len(w.ids)/7 {
			var position int
			if position, err = r.ItemPosition(w.by, w.id, w.ids[n]); position != n {
				w.t.Fatalf("item %d has the position %d", n, position)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// However items are moved, the rows changed by a move are few on average.
func TestMovesChangeFewRows(t *testing.T) {
	t.Parallel()
	const n, moves = 300, 400
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, next := range map[string]func(k int) (from, to int){
		"last to the middle":       func(int) (int, int) { return n - 1, n / 2 },
		"both ends to the middle":  func(k int) (int, int) { return k % 2 * (n - 1), n / 2 },
		"last to the second place": func(int) (int, int) { return n - 1, 1 },
		"two that change places":   func(int) (int, int) { return 200, 201 },
		"last to first":            func(int) (int, int) { return n - 1, 0 },
		"anywhere":                 func(int) (int, int) { return rnd.IntN(n), rnd.IntN(n) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newRankWorld(t, n)
			total, most := 0, 0
			for k := range moves {
				rows := w.move(next(k))
				total, most = total+rows, max(most, rows)
			}
			w.check()
			if mean := float64(total) / moves; mean > 16 {
				t.Errorf("a move changes %.1f rows on average, %d at most", mean, most)
			} else {
				t.Logf("a move changes %.1f rows on average, %d at most", mean, most)
			}
		})
	}
}

// A deletion changes the item, its list and its row in the queue of the search index,
// wherever the item is.
func TestDeletionsChangeFewRows(t *testing.T) {
	t.Parallel()
	w := newRankWorld(t, 300)
	for _, at := range []int{0, 298, 150, 1} {
		if rows := w.remove(at); rows > 3 {
			t.Errorf("deleting item %d changes %d rows", at, rows)
		}
	}
	w.check()
	for len(w.ids) > 0 {
		w.remove(0)
	}
	w.add(3)
	w.move(2, 0)
	w.check()
}

// Every move within short lists gives the order asked for.
func TestSmallListsInEveryOrder(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		w := newRankWorld(t, n)
		for from := range n {
			for to := range n {
				w.move(from, to)
				w.check()
			}
		}
	}
}

// pack gives the items ranks one after another, so that the next move to a place
// between two of them spreads items.
func (w *rankWorld) pack() {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		for n, id := range w.ids {
			if err := tx.exec1(`UPDATE item SET rank = ? WHERE id = ?`, n-len(w.ids)/2, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// ranks returns the ranks of a list.
func (w *rankWorld) ranks(list string) (text string) {
	w.t.Helper()
	w.write(func(tx *Tx) error {
		return tx.value([]any{&text}, `SELECT coalesce(group_concat(i.rank, ' ' ORDER BY i.id), '') FROM item i
			WHERE i.list_id = ? /* server: a test */`, list)
	})
	return text
}

// When there is no room between two items, the list is spread in its order, and no
// items of other lists.
func TestSpreadWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 9, 40} {
		w := newRankWorld(t, n)
		w.pack()
		other := *w
		other.ids = nil
		w.write(func(tx *Tx) error {
			l, err := tx.InsertList(List{OwnerID: w.by.UserID, Title: "other", Visibility: "private", Slug: "other"})
			other.id = l.ID
			return err
		})
		other.add(n)
		other.pack()
		before := w.ranks(other.id)
		for _, from := range []int{0, n / 2, n - 1} {
			for to := range n {
				if to%(1+n/20) != 0 && to != 8 && to != n-9 {
					continue
				}
				w.move(from, to)
				w.check()
				w.pack()
			}
		}
		if after := w.ranks(other.id); after != before {
			t.Errorf("the ranks of another list of %d items have changed: %s", n, after)
		}
	}
}
