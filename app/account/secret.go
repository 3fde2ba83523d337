package account

import (
	"crypto/rand"
	"hash/crc32"
	"strings"
)

const (
	agentPrefix = "oc_"
	listPrefix  = "cl_"

	keyRandom   = 43 // characters, 256 bits
	keyChecksum = 6
	shownPrefix = 11 // how much of a key is stored to identify it in a list

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newKey returns prefix, 43 random base62 characters, and the CRC-32 of these in
// six more, which lets scanners recognize leaked keys.
func newKey(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for one := make([]byte, 1); b.Len() < len(prefix)+keyRandom; {
		// Bytes from 248 on would make some characters more likely: 248 is the
		// largest multiple of 62 in a byte.
		if rand.Read(one); one[0] < 248 {
			b.WriteByte(base62[one[0]%62])
		}
	}
	return b.String() + checksum(b.String())
}

func checksum(s string) string {
	var out [keyChecksum]byte
	sum := crc32.ChecksumIEEE([]byte(s))
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// validKey reports whether s has the form of a key with the prefix. It avoids a
// query for other text.
func validKey(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != keyRandom+keyChecksum || strings.Trim(rest, base62) != "" {
		return false
	}
	return checksum(s[:len(prefix)+keyRandom]) == s[len(prefix)+keyRandom:]
}
