package store

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// NewID returns a random (version 4) identifier, which does not show when it was
// made: for what strangers may see.
func NewID() string { return uuid.NewString() }

// NewTimeID returns a version 7 identifier for the moment t: for what is shown
// together with its creation time only. Ids of later writes sort later.
func NewTimeID(t Time) string {
	var b [16]byte
	rand.Read(b[:])
	ms := uint64(t) / 1000
	binary.BigEndian.PutUint16(b[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(b[2:], uint32(ms))
	// The twelve bits after the version carry the part below a millisecond
	// (RFC 9562, method 3), so that text order is time order to 250 ns.
	frac := uint16(uint64(t) % 1000 * 4096 / 1000)
	b[6] = 0x70 | byte(frac>>8)
	b[7] = byte(frac)
	b[8] = 0x80 | b[8]&0x3f
	return uuid.UUID(b).String()
}

// ValidID reports whether s is a lower-case UUID in its 36 character form.
func ValidID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			continue
		}
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IDs is a list of ids, stored as one text in which each has 36 characters.
type IDs []string

// ScanText implements engine.TextScanner.
func (ids *IDs) ScanText(t string) error {
	if len(t)%36 != 0 {
		return fmt.Errorf("store: a text of %d bytes is no list of ids", len(t))
	}
	*ids = make(IDs, 0, len(t)/36)
	for ; len(t) > 0; t = t[36:] {
		*ids = append(*ids, t[:36])
	}
	return nil
}
