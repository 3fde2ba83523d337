package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A blob has at least no bytes and at most MaxBlob.
func TestSizesOfBlobs(t *testing.T) {
	withRows(t, "", nil, func(tx *store.Tx) error {
		for size, want := range map[int64]bool{-1: false, 0: true, 1: true, store.MaxBlob: true, store.MaxBlob + 1: false} {
			id, err := tx.InsertBlob(size)
			if (err == nil) != want {
				t.Errorf("%d bytes: %v", size, err)
			}
			if n, err := tx.BlobSize(id); want && (n != size || err != nil) {
				t.Errorf("%d bytes, want %d, %v", n, size, err)
			}
		}
		if _, err := tx.BlobSize(99); !errors.Is(err, store.ErrNoRow) {
			t.Errorf("no blob: %v", err)
		}
		return nil
	})
}

// rowsAre checks the rows of a table.
func rowsAre(t *testing.T, tx *store.Tx, table, want string) {
	t.Helper()
	for _, q := range []string{
		`DROP TABLE IF EXISTS temp.wanted`, `CREATE TEMP TABLE wanted AS SELECT * FROM ` + table + ` WHERE 0`, `INSERT INTO temp.wanted VALUES ` +
			want,
	} {
		if _, err := tx.ExecForTest(q); err != nil {
			t.Fatal(err)
		}
	}
	missing, err := tx.ExecForTest(`DELETE FROM temp.wanted WHERE 0 < (SELECT count(*) FROM (SELECT * FROM temp.wanted EXCEPT SELECT * FROM ` +
		table + `))`)
	if err != nil {
		t.Fatal(err)
	}
	others, err := tx.ExecForTest(`DELETE FROM temp.wanted WHERE 0 < (SELECT count(*) FROM (SELECT * FROM ` + table +
		` EXCEPT SELECT * FROM temp.wanted))`)
	if err != nil {
		t.Fatal(err)
	}
	if missing > 0 || others > 0 {
		t.Errorf("the rows of %s are not %s", table, want)
	}
}

// A blob is in use as the file or the preview of an attachment or of a report, and as a
// picture. What nothing uses is found in steps, and released alone, and once; an upload
// that is under way is not touched.
func TestBlobsInUse(t *testing.T) {
	const attachment = `INSERT INTO attachment (id, user_id, blob_id, preview_id, name, mime_type, size, created_at) VALUES `
	const file = `INSERT INTO report_file VALUES `
	withRows(t, "ada", []string{
		`INSERT INTO blob VALUES (1, 'a', 5, 10), (2, 'b', 5, 10), (3, 'c', 5, 10), (4, 'd', 5, 10), (5, 'e', 5, 10),
			(6, 'f', 5, 10), (7, NULL, 5, 10), (8, 'g', 5, 10), (9, NULL, 5, 10)`,
		attachment + `('x', 'ada', 1, 2, 'x', 'x', 5, 0), ('y', 'ada', 1, NULL, 'y', 'y', 5, 0)`,
		`INSERT INTO picture (id, user_id, blob_id, mime_type, created_at) VALUES ('p', 'ada', 3, 'x', 0)`,
		file + `('r', 0, 'ada', 4, 5, '', '', '', 0, 0, 0, 0), ('r', 1, 'ada', 4, NULL, '', '', '', 0, 0, 0, 0)`,
	}, func(tx *store.Tx) error {
		for _, c := range []struct {
			after  int64
			limit  int
			unused string
			last   int64
		}{{0, 9, "[6 8]", 9}, {0, 6, "[6]", 6}, {0, 5, "[]", 5}, {5, 1, "[6]", 6}, {6, 1, "[]", 7}, {6, 2, "[8]", 8}, {8, 9, "[]", 9},
			{9, 9, "[]", 0}} {
			if unused, last, err := tx.UnusedBlobs(c.after, c.limit); fmt.Sprint(unused) != c.unused || last != c.last || err != nil {
				t.Errorf("%d after %d: %v up to %d, want %s up to %d, %v", c.limit, c.after, unused, last, c.unused, c.last, err)
			}
		}
		for id := range int64(7) {
			if err := tx.ReleaseBlob(id + 1); err != nil {
				return err
			}
		}
		rowsAre(t, tx, "blob", `(1, 'a', 5, 10), (2, 'b', 5, 10), (3, 'c', 5, 10), (4, 'd', 5, 10), (5, 'e', 5, 10),
			(6, NULL, 5, 0), (7, NULL, 5, 10), (8, 'g', 5, 10), (9, NULL, 5, 10)`)
		return nil
	})
}

// The id of the newest blob, or ask or offer, is not used again once that is deleted.
func TestIDsAreNotUsedTwice(t *testing.T) {
	withRows(t, "ada", nil, func(tx *store.Tx) error {
		var blobs, intents []int64
		for range 3 {
			id, err := tx.InsertBlob(1)
			blobs = append(blobs, id)
			i := store.Intent{OwnerID: "ada", Kind: "ask", Terms: "x", MatchingMode: "fulfillment", Status: "paused"}
			err = errors.Join(err, tx.InsertIntent(&i))
			intents = append(intents, i.Seq)
			if _, e := tx.ExecForTest(`DELETE FROM intent`); e != nil || err != nil {
				return errors.Join(err, e)
			}
			if err := tx.DropBlob(id); err != nil {
				return err
			}
			if _, err := tx.PruneBlobs(1, 9); err != nil {
				return err
			}
		}
		for _, ids := range [][]int64{blobs, intents} {
			if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != 3 {
				t.Errorf("the ids are %v", ids)
			}
		}
		return nil
	})
}

// twoFiles adds the files "one" and "both" of an account, each with a preview, of 10 to
// 13 bytes, and returns their blobs.
func twoFiles(t *testing.T, db *storetest.DB, userID string) (blobs []int64) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		blobs = nil
		for i := range 4 {
			id, err := tx.InsertBlob(int64(10 + i))
			if err == nil {
				id, err = tx.FinishBlob(id, fmt.Sprintf("%064d", i))
			}
			if err != nil {
				return err
			}
			blobs = append(blobs, id)
		}
		for i, id := range []string{"one", "both"} {
			a := store.Attachment{ID: id, UserID: userID, BlobID: blobs[2*i], PreviewID: blobs[2*i+1], PreviewType: "image/png", Name: id,
				MimeType: "image/png", Size: 1}
			if _, err := tx.InsertAttachment(a, 1000); err != nil {
				return err
			}
		}
		return nil
	})
	return blobs
}

// filesSeen returns which of those files somebody sees.
func filesSeen(t *testing.T, db *storetest.DB, by store.Viewer) (seen string) {
	t.Helper()
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for _, id := range []string{"one", "both"} {
			if _, err := r.Attachment(by, id); err == nil {
				seen += id + " "
			} else if !errors.Is(err, store.ErrNoRow) {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return seen
}

// A file of a message that is deleted is deleted with its blobs and leaves the storage of
// its account, unless another message has it. Those who saw only the deleted message
// do not see the file any more.
func TestFilesOfDeletedMessages(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	blobs := twoFiles(t, db, p.Ada.ID)
	send := func(other string, files ...string) (m store.Message) {
		write(t, db, func(tx *store.Tx) error {
			id, err := tx.InsertGroup(p.Ada.ID, []string{other}, "")
			if err != nil {
				return err
			}
			m = store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "x", AttachmentIDs: files, Attachments: `[{}]`}
			return tx.Send(&m, nil)
		})
		return m
	}
	first, second := send(p.Ben.ID, "one", "both"), send(p.Cleo.ID, "both")
	left := func(bytes int64, ada, ben, cleo string, complete ...int64) {
		t.Helper()
		for want, who := range map[*string]store.User{&ada: p.Ada, &ben: p.Ben, &cleo: p.Cleo} {
			if got := filesSeen(t, db, storetest.Human(who)); got != *want {
				t.Errorf("%s sees the files %q, want %q", who.Name, got, *want)
			}
		}
		write(t, db, func(tx *store.Tx) error {
			if n, err := tx.StorageUsed(p.Ada.ID); n != bytes || err != nil {
				t.Errorf("%d bytes are used, want %d, %v", n, bytes, err)
			}
			for _, id := range blobs {
				n, err := tx.ExecForTest(`UPDATE blob SET size = size WHERE id = ? AND hash IS NOT NULL`, id)
				if whole := n == 1; whole != slices.Contains(complete, id) || err != nil {
					t.Errorf("blob %d of %v is complete: %v, %v", id, blobs, whole, err)
				}
			}
			return nil
		})
	}
	left(46, "one both ", "one both ", "both ", blobs...)
	write(t, db, func(tx *store.Tx) error { m := first; return tx.DeleteMessage(&m) })
	left(25, "both ", "", "both ", blobs[2:]...)
	write(t, db, func(tx *store.Tx) error { m := second; return tx.DeleteMessage(&m) })
	left(0, "", "", "")
}

// Files that no message has are deleted if they are from before a moment, the oldest
// first and up to a number; what a message has stays.
func TestPruneAttachments(t *testing.T) {
	withRows(t, "ada", []string{
		`INSERT INTO blob VALUES (1, 'a', 1, 10)`,
		`INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, created_at, uses)
			SELECT value, 'ada', 1, '', '', 1, value, value = 12 FROM json_each('[13, 12, 11, 14]')`,
		`UPDATE user SET storage_used = 4`,
	}, func(tx *store.Tx) error {
		for i, want := range []struct{ n, used int64 }{{1, 3}, {1, 2}, {0, 2}} {
			if n, err := tx.PruneAttachments(14, 1); n != want.n || err != nil {
				t.Errorf("step %d: %d deleted, want %d, %v", i, n, want.n, err)
			}
			if used, err := tx.StorageUsed("ada"); used != want.used || err != nil {
				t.Errorf("step %d: %d bytes are used, want %d, %v", i, used, want.used, err)
			}
			if _, err := tx.Attachment(human("ada"), "11"); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("the oldest is left: %v", err)
			}
		}
		for _, id := range []string{"12", "14"} {
			if _, err := tx.Attachment(human("ada"), id); err != nil {
				t.Errorf("file %s: %v", id, err)
			}
		}
		return nil
	})
}
