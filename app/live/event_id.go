package live

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// eventIDs encrypts the numbers of events for clients. Events are numbered consecutively for the whole server,
// so plain numbers would reveal to strangers how much happens elsewhere. It is safe for concurrent use.
type eventIDs struct{ block cipher.Block }

func newEventIDs(key []byte) eventIDs {
	sum := sha256.Sum256(append([]byte("event ids\x00"), key...))
	block, _ := aes.NewCipher(sum[:]) // 32 bytes are a key
	return eventIDs{block}
}

// Seal returns the number as clients see it, 32 hex characters: always the same for the same number, and
// without its order.
func (n eventIDs) Seal(id int64) string { return n.seal(id, 0) }

// SealPosition returns the position at which a stream begins, after the event with the number. It is different
// each time, because the same one twice would reveal to strangers that nothing happened elsewhere in between.
func (n eventIDs) SealPosition(id int64) string { return n.seal(id, rand.Uint32()) }

func (n eventIDs) seal(id int64, salt uint32) string {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint64(b[:8], uint64(id))
	binary.BigEndian.PutUint32(b[8:12], salt)
	n.block.Encrypt(b[:], b[:])
	return hex.EncodeToString(b[:])
}

// Open returns the number that was sealed; ok is false for what neither Seal nor SealPosition returns.
func (n eventIDs) Open(sealed string) (id int64, ok bool) {
	b, err := hex.DecodeString(sealed)
	if err != nil || len(b) != aes.BlockSize {
		return 0, false
	}
	n.block.Decrypt(b, b)
	id = int64(binary.BigEndian.Uint64(b[:8]))
	return id, id >= 0 && id < 1<<48 && binary.BigEndian.Uint32(b[12:]) == 0
}
