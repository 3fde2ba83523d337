package core

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
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
