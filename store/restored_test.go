package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// After a backup is restored the next events have greater numbers than any that can have
// been given out, from the greatest of the backup on, and later times than it has.
func TestEventsOfRestored(t *testing.T) {
	db, backup := madeBackup(t)
	os.Remove(store.ManifestPath(backup))
	alter(t, backup, `INSERT INTO event (id, topic, kind, object_id, at) VALUES (7, 't', 'k', 'o', 20), (5000, 't', 'k', 'o', 30); UPDATE clock SET at = max(at, 30)`)
	if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil); err != nil {
		t.Fatal(err)
	}
	file, err := sql.Open("sqlite", "file:"+db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var id, at int64
	if err := file.QueryRow(`SELECT id, at FROM event WHERE kind = 'restored'`).Scan(&id, &at); err != nil || id != 5000+1<<32 || at != 30 {
		t.Errorf("the event %d of the moment %d, %v", id, at, err)
	}
}

// The accounts that were deleted from a database that is replaced by a backup are in the
// text file beside it, however its path is given. If they cannot be read the restore is
// refused, and says why.
func TestLedgerOfReplaced(t *testing.T) {
	db, backup := madeBackup(t)
	ids := []string{store.NewID(), store.NewID()}
	slices.Sort(ids)
	alter(t, db, fmt.Sprintf(`INSERT INTO erased VALUES ('%s', 1000000); INSERT INTO erasing VALUES ('%s', 1000000, 'frozen')`, ids[0], ids[1]))
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(db, link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{link, db} {
		if _, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, to, storetest.Epoch, nil); err != nil {
			t.Fatal(err)
		}
		ledger, err := store.ReadLedger(db)
		got, err := texts(ledger, err, func(e store.Erased) string { return e.UserID })
		if slices.Sort(got); !slices.Equal(got, ids) || err != nil {
			t.Errorf("through %s: %q, want %q, %v", filepath.Base(to), got, ids, err)
		}
	}
	os.Remove(store.LedgerPath(db))
	if err := os.Mkdir(store.LedgerPath(db), 0o700); err != nil {
		t.Fatal(err)
	}
	before := read(t, db)
	_, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil)
	if err == nil || !strings.Contains(err.Error(), "cannot read which accounts were deleted") || string(read(t, db)) != string(before) {
		t.Errorf("the ledger cannot be read: %v", err)
	}
}

// The events of a write are given to the functions of OnCommit once it is done, and none
// of a write that failed.
func TestEventsArePublished(t *testing.T) {
	db := storetest.Open(t)
	told := make(chan string, 9)
	db.OnCommit(func(events []store.Event) {
		for _, e := range events {
			told <- e.ObjectID
		}
	})
	undo := errors.New("undo")
	for i, want := range []error{nil, undo, nil} {
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.Emit(store.Event{Topic: "t", Kind: "k", ObjectID: fmt.Sprint(i)}); err != nil {
				return err
			}
			return want
		}); !errors.Is(err, want) {
			t.Error(err)
		}
	}
	for _, want := range []string{"0", "2"} {
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told of the event %s, want %s", got, want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("not told of the event %s for 5 seconds", want)
		}
	}
}
