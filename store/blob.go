package store

import (
	"errors"
	"fmt"
)

// PartSize is how many bytes each part of a blob has; the last has the rest.
// With 64 KiB a part is one write that holds others up for less than half a
// millisecond.
const PartSize = 64 << 10

// partsPerBlob is how many ids of parts a blob has.
const partsPerBlob = 1 << 16

// MaxBlob is the size of the largest blob.
const MaxBlob = PartSize * partsPerBlob

// InsertBlob adds a blob of size bytes without content and returns its id. It is
// incomplete until FinishBlob; what stays incomplete is deleted. An id is never used
// again, because parts of its old blob may still be read.
func (tx *Tx) InsertBlob(size int64) (int64, error) {
	if size < 0 || size > MaxBlob {
		return 0, fmt.Errorf("store: a blob of %d bytes", size)
	}
	var id int64
	err := tx.value([]any{&id}, `UPDATE sequence SET last = max(last, (SELECT coalesce(max(b.id), 0) FROM blob b /* server: ids */)) + 1
		WHERE name = 'blob' RETURNING last`)
	if err != nil {
		return 0, err
	}
	return id, tx.exec(`INSERT INTO blob (id, size, created_at) VALUES (?, ?, ?)`, id, size, tx.Now)
}

// WritePart adds part n of an incomplete blob; ErrNoRow if there is no such blob
// any more.
func (tx *Tx) WritePart(blobID int64, n int, data []byte) error {
	return tx.exec1(`INSERT INTO blob_part (id, data) SELECT ?1, ?2 FROM blob b WHERE b.id = ?3 AND b.hash IS NULL /* server: upload */`,
		blobID*partsPerBlob+int64(n), data, blobID)
}

// FinishBlob completes a blob that has all of its parts and the SHA-256 hash, in
// hexadecimal, and returns its id. If there is a blob with this content already,
// it returns the id of that one, and the new one is deleted. The same write must
// add what has the blob.
func (tx *Tx) FinishBlob(id int64, hash string) (int64, error) {
	var same int64
	err := tx.value([]any{&same}, `SELECT b.id FROM blob b WHERE b.hash = ? /* server: one blob for each content */`, hash)
	switch {
	case err == nil:
		return same, tx.DropBlob(id)
	case !errors.Is(err, ErrNoRow):
		return 0, err
	}
	return id, tx.exec1(`UPDATE blob SET hash = ?2 WHERE id = ?1 AND hash IS NULL`, id, hash)
}

// A dropped blob is incomplete and of the time 0. PruneBlobs deletes it
// within a minute: it takes storage that counts for no account any more.

// DropBlob has an incomplete blob deleted.
func (tx *Tx) DropBlob(id int64) error {
	return tx.exec(`UPDATE blob SET created_at = 0 WHERE id = ? AND hash IS NULL`, id)
}

// DropBlobs is DropBlob for all incomplete blobs. No upload may be under way.
func (tx *Tx) DropBlobs() error {
	return tx.exec(`UPDATE blob SET created_at = 0 WHERE hash IS NULL AND created_at > 0`)
}

// BlobPart returns part n of a blob that is or was complete. The caller must have
// read the blob's id from a row that its viewer may see.
func (r *Reader) BlobPart(blobID int64, n int) ([]byte, error) {
	return one[[]byte](r, `SELECT p.data FROM blob_part p WHERE p.id = ? /* server: of a visible row */`, blobID*partsPerBlob+int64(n))
}

// BlobSize returns the size of a blob, as BlobPart.
func (r *Reader) BlobSize(id int64) (int64, error) {
	return one[int64](r, `SELECT b.size FROM blob b WHERE b.id = ? /* server: of a visible row */`, id)
}

// unusedBlob is the condition that nothing has a blob b.
const unusedBlob = `NOT EXISTS (SELECT 1 FROM attachment a WHERE a.blob_id = b.id) AND
	NOT EXISTS (SELECT 1 FROM attachment a WHERE a.preview_id = b.id) AND
	NOT EXISTS (SELECT 1 FROM picture p WHERE p.blob_id = b.id) AND
	NOT EXISTS (SELECT 1 FROM report_file f WHERE f.blob_id = b.id) AND
	NOT EXISTS (SELECT 1 FROM report_file f WHERE f.preview_id = b.id)`

// ReleaseBlob drops the blobs that nothing has any more. They are not found by their
// content from then on.
func (tx *Tx) ReleaseBlob(ids ...int64) error {
	return tx.exec(`UPDATE blob AS b SET hash = NULL, created_at = 0 WHERE b.id IN (SELECT value FROM json_each(?))
		AND b.hash IS NOT NULL AND `+unusedBlob+
		` /* server: what nothing has */`, jsonList(ids))
}

// UnusedBlobs looks at up to limit complete blobs with ids above after. It
// returns those that nothing has, and the last id it looked at; 0 at the end.
func (r *Reader) UnusedBlobs(after int64, limit int) (unused []int64, last int64, err error) {
	err = r.value([]any{&last}, `SELECT coalesce(max(id), 0) FROM (SELECT b.id FROM blob b WHERE b.id > ? ORDER BY b.id LIMIT ?)
		/* server: tidying */ /* scan: the rows up to the limit */`, after, limit)
	if err != nil || last == 0 {
		return nil, 0, err
	}
	unused, err = all[int64](r, `SELECT b.id FROM blob b WHERE b.id > ? AND b.id <= ? AND b.hash IS NOT NULL AND `+unusedBlob+
		` /* server: tidying */`, after, last)
	return unused, last, err
}

// PruneBlobs deletes up to limit parts of one incomplete blob from before a
// moment, and the blob with its last part. It reports whether there is more.
func (tx *Tx) PruneBlobs(before Time, limit int) (more bool, err error) {
	var id int64
	err = tx.value([]any{&id}, `SELECT b.id FROM blob b WHERE b.hash IS NULL AND b.created_at < ? ORDER BY b.created_at LIMIT 1
		/* server: pruning */`, before)
	if errors.Is(err, ErrNoRow) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := tx.execCount(`DELETE FROM blob_part WHERE id IN (SELECT p.id FROM blob_part p WHERE p.id >= ?1 AND p.id < ?2
		ORDER BY p.id LIMIT ?3) /* server: pruning */`,
		id*partsPerBlob, (id+1)*partsPerBlob, limit)
	if err == nil && n < int64(limit) {
		err = tx.exec1(`DELETE FROM blob WHERE id = ? AND hash IS NULL`, id)
	}
	return true, err
}

// DatabaseBytes returns how many bytes the database takes, without pages that
// are free for reuse and without its log.
func (r *Reader) DatabaseBytes() (int64, error) {
	return one[int64](r, `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size /* scan: one row */`)
}
