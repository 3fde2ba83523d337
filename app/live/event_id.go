package live

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"

	"hearth/store"
)

// eventIDs encrypts the numbers of events for clients. Events are numbered
// consecutively for the whole server, so plain numbers would reveal to
// strangers how much happens elsewhere. It is safe for concurrent use.
type eventIDs struct{ block cipher.Block }

// eventIDKey is the setting that holds the key, 32 hex characters. It is part
// of the database, so clients can resume after a restart or a move.
const eventIDKey = "event_id_key"

func loadEventIDs(ctx context.Context, db *store.DB) (n eventIDs, err error) {
	var text string
	err = db.Write(ctx, func(tx *store.Tx) (err error) {
		text, err = tx.Secret(eventIDKey, func() string {
			var key [16]byte
			rand.Read(key[:])
			return hex.EncodeToString(key[:])
		})
		return err
	})
	if err != nil {
		return n, err
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != 16 {
		return n, fmt.Errorf("the setting %s of the database must be 32 hex characters; delete it, and a new one is generated at the next start", eventIDKey)
	}
	n.block, err = aes.NewCipher(key)
	return n, err
}

// Seal returns the number as clients see it, 32 hex characters: always the
// same for the same number, and without its order.
func (n eventIDs) Seal(id int64) string { return n.seal(id, 0) }

// SealPosition returns the position at which a stream begins, after the event
// with the number. It is different each time, because the same one twice would
// reveal to strangers that nothing happened elsewhere in between.
func (n eventIDs) SealPosition(id int64) string { return n.seal(id, mathrand.Uint32()) }

func (n eventIDs) seal(id int64, salt uint32) string {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[:8], uint64(id))
	binary.BigEndian.PutUint32(b[8:12], salt)
	n.block.Encrypt(b[:], b[:])
	return hex.EncodeToString(b[:])
}

// Open returns the number that was sealed; ok is false for what neither Seal
// nor SealPosition returns.
func (n eventIDs) Open(sealed string) (id int64, ok bool) {
	b, err := hex.DecodeString(sealed)
	if err != nil || len(b) != aes.BlockSize {
		return 0, false
	}
	n.block.Decrypt(b, b)
	id = int64(binary.BigEndian.Uint64(b[:8]))
	return id, id >= 0 && id < 1<<48 && binary.BigEndian.Uint32(b[12:]) == 0
}
