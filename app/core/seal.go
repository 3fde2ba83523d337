package core

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/go-json-experiment/json"
)

// Seal encrypts plain. Only Open with the same secret and the same bind returns it.
func Seal(secret []byte, bind string, plain []byte) []byte {
	box := boxOf(secret)
	nonce := make([]byte, box.NonceSize())
	rand.Read(nonce)
	return box.Seal(nonce, nonce, plain, []byte(bind))
}

// Open returns the sealed text, and reports whether secret and bind are the same as in Seal.
func Open(secret []byte, bind string, sealed []byte) (plain []byte, ok bool) {
	box := boxOf(secret)
	if len(sealed) < box.NonceSize() {
		return nil, false
	}
	plain, err := box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], []byte(bind))
	return plain, err == nil
}

func boxOf(secret []byte) cipher.AEAD {
	key := sha256.Sum256(secret)
	block, err := aes.NewCipher(key[:])
	if err == nil {
		var box cipher.AEAD
		if box, err = cipher.NewGCM(block); err == nil {
			return box
		}
	}
	panic("core: " + err.Error()) // a key of 32 bytes is always valid
}

// Hide is Seal with encryption: pos may contain data that the caller may not see.
func (c *Cursors) Hide(bind string, pos any) string {
	payload, err := json.Marshal(pos, json.Deterministic(true))
	if err != nil {
		panic("core.Cursors.Hide: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(Seal(c.key, bind, payload))
}

// Reveal decodes the position in a cursor of Hide into pos. A cursor that is invalid or has another bind is an
// Invalid Error with the code bad_cursor.
func (c *Cursors) Reveal(bind, cursor string, pos any) error {
	if len(cursor) > maxCursor {
		return badCursor()
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return badCursor()
	}
	payload, ok := Open(c.key, bind, sealed)
	if !ok || json.Unmarshal(payload, pos) != nil {
		return badCursor()
	}
	return nil
}
