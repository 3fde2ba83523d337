package core

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json"
)

const maxCursor = 2048

// Cursors encrypts positions in a list as opaque texts, and reads them.
type Cursors struct{ key []byte }

// NewCursors returns Cursors with a key of 32 random bytes or more, and panics if it is shorter. Cursors are valid as
// long as the key stays the same. Without a key, it makes one.
func NewCursors(key []byte) *Cursors {
	if len(key) == 0 {
		key = []byte(NewSecret(32))
	}
	if len(key) < 32 {
		panic("core.NewCursors: the key must have at least 32 bytes")
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte("hearth cursor 1"))
	return &Cursors{key: h.Sum(nil)}
}

// Seal returns the cursor for pos, which must marshal as JSON. The cursor is valid only with the same bind: the
// account, the path and the filters of the list.
func (c *Cursors) Seal(bind string, pos any) string {
	payload, err := json.Marshal(pos, json.Deterministic(true))
	if err != nil {
		panic("core.Cursors.Seal: " + err.Error())
	}
	box := must(cipher.NewGCM(blockOf(c.key)))
	nonce := RequestHash(string(c.key), bind, string(payload))[:box.NonceSize()] // a position has one cursor
	return base64.RawURLEncoding.EncodeToString(box.Seal(nonce, nonce, payload, []byte(bind)))
}

// Open decodes the position in cursor into pos. A cursor that is invalid or has another bind is an Invalid Error with
// the code bad_cursor; pos is then unchanged.
func (c *Cursors) Open(bind, cursor string, pos any) error {
	// The decoder skips line breaks, but a position must have exactly one cursor.
	if len(cursor) > maxCursor || strings.ContainsAny(cursor, "\r\n") {
		return badCursor()
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	payload, ok := Open(c.key, bind, b)
	if err != nil || !ok || json.Unmarshal(payload, pos) != nil {
		return badCursor()
	}
	return nil
}

func badCursor() error {
	e := New(Invalid, "bad_cursor", "This cursor is not valid for this list and these filters. Start again without a cursor.")
	e.Field = "cursor"
	return e
}
