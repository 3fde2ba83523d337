package core

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
)

// RequestHash distinguishes requests with the same id. A length before each part separates the parts.
func RequestHash(parts ...string) []byte {
	var b []byte
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(append(b, ':'), p...)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// NewSecret returns n random bytes as text for addresses.
func NewSecret(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Digest returns the SHA-256 hash of a random secret in hexadecimal, the form in which secrets are stored. Passwords
// need a slow hash instead.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
