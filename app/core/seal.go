package core

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
)

// Seal encrypts plain. Only Open with the same secret and the same bind returns it.
func Seal(secret []byte, bind string, plain []byte) []byte {
	return randomBox(secret).Seal(nil, nil, plain, []byte(bind))
}

// Open returns the sealed text, and reports whether secret and bind are the same as in Seal.
func Open(secret []byte, bind string, sealed []byte) (plain []byte, ok bool) {
	plain, err := randomBox(secret).Open(nil, nil, sealed, []byte(bind))
	return plain, err == nil
}

// randomBox begins what it seals with a random nonce.
func randomBox(secret []byte) cipher.AEAD { return must(cipher.NewGCMWithRandomNonce(blockOf(secret))) }

func blockOf(secret []byte) cipher.Block {
	key := sha256.Sum256(secret)
	return must(aes.NewCipher(key[:]))
}

// must is for errors that a key of 32 bytes never has.
func must[T any](v T, err error) T {
	if err != nil {
		panic("core: " + err.Error())
	}
	return v
}
