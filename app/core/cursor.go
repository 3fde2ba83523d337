package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/go-json-experiment/json"
)

// maxCursor is far above every cursor Seal makes, in bytes.
const maxCursor = 2048

// Cursors seals positions in a list into opaque texts and opens them again.
// A cursor is authenticated and not secret: seal no position that the caller
// could not have derived from what was shown.
type Cursors struct{ key []byte }

// NewCursors returns the Cursors of a server; key is 32 random bytes or more
// that stay the same for as long as cursors shall be valid. A shorter key is a
// mistake of the program, and panics.
func NewCursors(key []byte) *Cursors {
	if len(key) < 32 {
		panic("core.NewCursors: the key must have at least 32 bytes")
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte("hearth cursor 1"))
	return &Cursors{key: h.Sum(nil)}
}

// Seal returns the cursor for pos, which must encode as JSON. bind names all
// that a cursor may be used with: the account, the path and the filters.
func (c *Cursors) Seal(bind string, pos any) string {
	payload, err := json.Marshal(pos, json.Deterministic(true))
	if err != nil {
		panic("core.Cursors.Seal: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(append(c.mac(bind, payload), payload...))
}

// Open decodes the position in cursor into pos. A cursor that was changed,
// was sealed with another bind or is not one of ours is an Invalid Error with
// the code bad_cursor; pos is then unchanged.
func (c *Cursors) Open(bind, cursor string, pos any) error {
	// The decoder skips line breaks; exactly one text shall stand for a position.
	if len(cursor) > maxCursor || strings.ContainsAny(cursor, "\r\n") {
		return badCursor()
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < sha256.Size {
		return badCursor()
	}
	mac, payload := b[:sha256.Size], b[sha256.Size:]
	if !hmac.Equal(mac, c.mac(bind, payload)) || json.Unmarshal(payload, pos) != nil {
		return badCursor()
	}
	return nil
}

// mac covers the length of bind too, so that no part of it can pass for the
// beginning of the payload.
func (c *Cursors) mac(bind string, payload []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(bind))))
	h.Write([]byte(bind))
	h.Write(payload)
	return h.Sum(nil)
}

func badCursor() error {
	e := New(Invalid, "bad_cursor", "This cursor does not belong to this list with these filters. Start again without a cursor.")
	e.Field = "cursor"
	return e
}
