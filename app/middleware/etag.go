package middleware

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"hearth/store"
)

// maxTags is how many ETags are kept.
const maxTags = 20_000

// ETags has the ETags of responses that everybody gets, by their addresses. It is
// safe for concurrent use; its zero value has none.
type ETags struct {
	mu        sync.Mutex
	byAddress map[addressKey]KnownTag
}

// addressKey stands for an address, which is as long as the client likes.
type addressKey [sha256.Size]byte

func keyOf(address string) addressKey { return sha256.Sum256([]byte(address)) }

// KnownTag is the ETag of a response, and what the response was made from.
type KnownTag struct {
	ETag     string
	Version  store.ListVersion // of the lists in the response
	Position string            // of the event log, if the response has it
	Rest     string            // stands for all else that such a response has
	Since    store.Time        // when the response was made that had the position first
}

// Get returns what is known of the response at an address, if it was made from
// the version.
func (t *ETags) Get(address string, version store.ListVersion) (k KnownTag, ok bool) {
	key := keyOf(address)
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok = t.byAddress[key]
	return k, ok && k.Version == version
}

// Last returns what is known of the response at an address, whatever it was made from.
func (t *ETags) Last(address string) KnownTag {
	key := keyOf(address)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byAddress[key]
}

// Put records the response at an address. The version is that from before the
// response was made. When there are too many, it takes the place of any one of them:
// a client that requests ever new addresses does not empty the table at once.
func (t *ETags) Put(address string, k KnownTag) {
	key := keyOf(address)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byAddress == nil {
		t.byAddress = map[addressKey]KnownTag{}
	}
	if _, ok := t.byAddress[key]; !ok && len(t.byAddress) >= maxTags {
		for other := range t.byAddress {
			delete(t.byAddress, other)
			break
		}
	}
	t.byAddress[key] = k
}

// ETag returns the strong ETag of a body, which begins with prefix.
func ETag(prefix string, body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + prefix + hex.EncodeToString(sum[:8]) + `"`
}

// HasTag reports whether the client has a response with the ETag, which is not "".
func HasTag(r *http.Request, tag string) bool {
	for _, value := range r.Header.Values("If-None-Match") {
		for t := range strings.SplitSeq(value, ",") {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}
