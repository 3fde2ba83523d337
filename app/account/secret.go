package account

import (
	"crypto/rand"
	"hash/crc32"
	"strings"
)

const (
	agentPrefix = "oc_"
	listPrefix  = "cl_"

	keyRandom   = 43 // 256 bits
	keyChecksum = 6
	shownPrefix = 11 // characters that are stored to identify a key in a list

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newKey ends with the CRC-32 of the random characters, so that scanners recognize leaked keys.
func newKey(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for one := make([]byte, 1); b.Len() < len(prefix)+keyRandom; {
		// 248 is the largest multiple of 62 in a byte; larger values would make some characters more likely.
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

func validKey(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != keyRandom+keyChecksum || strings.Trim(rest, base62) != "" {
		return false
	}
	return checksum(s[:len(prefix)+keyRandom]) == s[len(prefix)+keyRandom:]
}
