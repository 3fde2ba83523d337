package store_test

import (
	"context"
	"errors"
	"fmt"
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
		n, err := tx.Prune("quota", tx.Reader.Now(), 1)
		if n != 1 {
			t.Errorf("%d windows deleted", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What an account stores may take exactly its quota, and not a byte more. A picture
// takes the place of the one before, and that of a group or the community counts for
// nobody.
func TestStorageQuota(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	const quota = 1000
	files := 0
	blob := func(tx *store.Tx, size int64) int64 {
		t.Helper()
		id, err := tx.InsertBlob(size)
		if err == nil {
			err = tx.WritePart(id, 0, make([]byte, size))
		}
		if err == nil {
			files++
			id, err = tx.FinishBlob(id, fmt.Sprintf("%064d", files))
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for step, tc := range []struct {
		file, preview, picture int64
		who                    string // whose picture; "" for the community
		want                   error
		used                   int64
	}{
		{file: 600, used: 600},
		{file: 401, used: 600, want: store.ErrQuota},
		{file: 300, preview: 101, used: 600, want: store.ErrQuota},
		{file: 200, preview: 100, used: 900},
		{picture: 101, who: p.Ada.ID, used: 900, want: store.ErrQuota},
		{picture: 100, who: p.Ada.ID, used: 1000},
		{picture: 101, who: p.Ada.ID, used: 1000, want: store.ErrQuota},
		{picture: 50, who: p.Ada.ID, used: 950},
		{picture: 1001, used: 950},
		{file: 51, used: 950, want: store.ErrQuota},
		{file: 50, used: 1000},
		{file: 1, used: 1000, want: store.ErrQuota},
	} {
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if tc.picture > 0 {
				_, err := tx.SetPicture(store.Picture{UserID: tc.who, BlobID: blob(tx, tc.picture), MimeType: "image/png"}, quota)
				return err
			}
			a := store.Attachment{UserID: p.Ada.ID, BlobID: blob(tx, tc.file), Name: "n", MimeType: "text/plain", Size: tc.file}
			if tc.preview > 0 {
				a.PreviewID, a.PreviewType = blob(tx, tc.preview), "image/png"
			}
			_, err := tx.InsertAttachment(a, quota)
			return err
		})
		var used, others int64
		if e := db.Read(t.Context(), func(r *store.Reader) (err error) {
			if used, err = r.StorageUsed(p.Ada.ID); err == nil {
				others, err = r.StorageUsed(p.Ben.ID)
			}
			return err
		}); e != nil || !errors.Is(err, tc.want) || used != tc.used || others != 0 {
			t.Errorf("step %d: %v, want %v; %d bytes, want %d; another: %d; %v", step, err, tc.want, used, tc.used, others, e)
		}
	}
}
