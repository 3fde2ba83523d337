package core

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns the SHA-256 hash of a random secret in hexadecimal, which is
// the form in which secrets are stored. Passwords need a slow hash instead.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
