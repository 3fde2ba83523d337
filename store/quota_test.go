package store_test

import (
	"context"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

func TestQuota(t *testing.T) {
	db := storetest.Open(t)
	ctx := context.Background()
	use := func(name string) (wait time.Duration) {
		t.Helper()
		if err := db.Write(ctx, func(tx *store.Tx) (err error) { wait, err = tx.UseQuota(name, 3, time.Hour); return err }); err != nil {
			t.Fatal(err)
		}
		return wait
	}
	used := func(name string) (n int) {
		t.Helper()
		if err := db.Write(ctx, func(tx *store.Tx) (err error) { n, err = tx.QuotaUsed(name); return err }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 3 {
		if n := used("a"); n != i {
			t.Errorf("%d uses counted, want %d", n, i)
		}
		if wait := use("a"); wait != 0 {
			t.Fatalf("use %d has to wait for %v", i+1, wait)
		}
		db.Clock.Advance(10 * time.Minute)
	}
	for range 2 { // a refused use is not counted
		if wait := use("a"); wait <= 29*time.Minute || wait > 30*time.Minute+time.Millisecond {
			t.Errorf("the fourth has to wait for %v", wait)
		}
	}
	if wait := use("b"); wait != 0 {
		t.Errorf("another name has to wait for %v", wait)
	}
	db.Clock.Advance(31 * time.Minute)
	if n := used("a"); n != 0 {
		t.Errorf("%d uses in the next window", n)
	}
	if wait := use("a"); wait != 0 {
		t.Errorf("the next window has to wait for %v", wait)
	}
	db.Clock.Advance(61 * time.Minute)
	err := db.Write(ctx, func(tx *store.Tx) error {
		n, err := tx.PruneQuotas(1)
		if n != 1 {
			t.Errorf("%d windows deleted", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTidyingSignIns: what is over is deleted, what lives stays.
func TestTidyingSignIns(t *testing.T) {
	db := storetest.Open(t)
	ctx := context.Background()
	ada := storetest.People(t, db).Ada
	err := db.Write(ctx, func(tx *store.Tx) error {
		parent, err := tx.InsertSession(store.Session{UserID: ada.ID, Kind: "browser", TokenHash: "h", Epoch: 1, ExpiresAt: tx.Now.Add(time.Hour)})
		if err != nil {
			return err
		}
		for _, s := range []store.Session{
			{UserID: ada.ID, Kind: "embedded", ParentID: parent.ID, Epoch: 1, ExpiresAt: tx.Now.Add(time.Minute)},
			{UserID: ada.ID, Kind: "token", Epoch: 1, ExpiresAt: tx.Now.Add(3 * time.Hour)},
		} {
			if _, err := tx.InsertSession(s); err != nil {
				return err
			}
		}
		for token, life := range map[string]time.Duration{"short": time.Minute, "long": 3 * time.Hour} {
			if err := tx.InsertLink(store.LoginLink{TokenHash: token, Email: ada.Email, CodeHash: "c", ExpiresAt: tx.Now.Add(life)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Clock.Advance(2 * time.Hour)
	err = db.Write(ctx, func(tx *store.Tx) error {
		// The embedded one counts only if it did not end with its parent.
		if n, err := tx.PruneSessions(10); n < 1 || n > 2 || err != nil {
			t.Errorf("%d sessions deleted, %v", n, err)
		}
		if rows, err := tx.Sessions(storetest.Human(ada)); len(rows) != 1 || err != nil {
			t.Errorf("%d sessions left, %v", len(rows), err)
		}
		if n, err := tx.PruneLinks(10); n != 1 || err != nil {
			t.Errorf("%d links deleted, %v", n, err)
		}
		if _, err := tx.LoginLink("long"); err != nil {
			t.Errorf("a link that lives: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
