package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// maxBrokenBlobs bounds how many blobs verifyBlobs reports.
const maxBrokenBlobs = 100

// verifyBlobs compares the content of the blobs that are complete with their hashes.
func verifyBlobs(ctx context.Context, c *Conn) (broken []string, err error) {
	var id int64
	for ctx.Err() == nil && len(broken) < maxBrokenBlobs {
		var hash string
		var size int64
		err := c.Value([]any{&id, &hash, &size},
			`SELECT b.id, b.hash, b.size FROM blob b WHERE b.id > ? AND b.hash IS NOT NULL ORDER BY b.id LIMIT 1 /* server: verification */`, id)
		if errors.Is(err, ErrNoRow) {
			return broken, nil
		}
		if err != nil {
			return broken, err
		}
		got, err := hashOfBlob(c, id, size)
		if err != nil && !errors.Is(err, ErrNoRow) {
			return broken, err
		}
		if got != hash {
			broken = append(broken, fmt.Sprintf("blob %d: its content is not what was stored", id))
		}
	}
	return broken, ctx.Err()
}

// hashOfBlob returns the hash of the content of a blob, "" if it has another size.
func hashOfBlob(c *Conn, id, size int64) (string, error) {
	sum, left := sha256.New(), size
	for part := id * partsPerBlob; left > 0; part++ {
		var data []byte
		if err := c.Value([]any{&data}, `SELECT p.data FROM blob_part p WHERE p.id = ? /* server: verification */`, part); err != nil {
			return "", err
		}
		sum.Write(data)
		if left -= int64(len(data)); len(data) == 0 {
			break
		}
	}
	if left != 0 {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
