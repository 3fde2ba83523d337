package store_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

func TestUserCache(t *testing.T) {
	c := store.NewUserCache[string, int]()
	has := func(want bool, why string) {
		t.Helper()
		if v, ok := c.Get("k"); ok != want || ok && v != 7 {
			t.Errorf("%s: %d, %v", why, v, ok)
		}
	}
	put := func(generation uint64) { c.Put("k", "ada", 7, generation) }
	has(false, "empty")
	put(c.Generation())
	has(true, "after Put")
	c.Invalidate([]string{"ben"})
	has(true, "after a change of another account")
	c.Invalidate([]string{"ada"})
	has(false, "after a change of its account")
	before := c.Generation()
	c.Invalidate([]string{"ada"})
	put(before)
	has(false, "read before a change and cached after it")
	put(c.Generation())
	has(true, "read again")
}

// senderName returns the name of an account as messages show it.
func senderName(ctx context.Context, db *store.DB, id string) (name string, err error) {
	err = db.Read(ctx, func(r *store.Reader) error {
		s, err := r.Sender(id)
		name = s.Name
		return err
	})
	return name, err
}

func setName(ctx context.Context, db *store.DB, u *store.User, name string) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		renamed := *u
		renamed.Name = name
		_, err := tx.UpdateUser(renamed)
		return err
	})
}

// A read that starts after a rename has returned reads the new name.
func TestRenameDuringReads(t *testing.T) {
	db, ada := openWithUser(t)
	ctx := context.Background()
	var written atomic.Int64 // the name is at least this number
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				least := written.Load()
				name, err := senderName(ctx, db, ada.ID)
				if n, bad := strconv.ParseInt(name, 10, 64); err != nil || bad != nil || n < least {
					t.Errorf("the name is %q after it was changed to %d, %v", name, least, err)
					return
				}
			}
		})
	}
	for n := range int64(300) {
		if err := setName(ctx, db, &ada, strconv.FormatInt(n, 10)); err != nil {
			t.Error(err)
		}
		written.Store(n)
	}
	close(stop)
	wg.Wait()
}

// openWithUser opens a new database with an account named 0.
func openWithUser(t *testing.T) (db *store.DB, ada store.User) {
	t.Helper()
	db = storetest.Open(t).DB
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		ada, err = tx.InsertUser(store.User{Email: "ada@example.org", Name: "0", SignupProvider: "magic-link"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, ada
}
