package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"hearth/app/op"
	"hearth/store"
)

// maxTags is how many ETags are kept.
const maxTags = 20_000

// tags has the ETags of responses that everybody gets, with the version of the
// list that they were made from.
type tags struct {
	mu   sync.Mutex
	byID map[string]knownTag
}

type knownTag struct {
	tag     string
	version store.ListVersion
}

func (t *tags) get(address string) knownTag {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[address]
}

func (t *tags) put(address string, k knownTag) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil || len(t.byID) >= maxTags {
		t.byID = map[string]knownTag{}
	}
	t.byID[address] = k
}

// known is what is known of a response before the operation is called. Its zero
// value is for operations without ETags.
type known struct {
	tags    *tags  // nil unless everybody gets the same response
	address string // of the response in tags
	version store.ListVersion
	tagged  bool
}

// known returns what is known of the response to r.
func (e *endpoint) known(r *http.Request, v store.Viewer) known {
	if !e.Op.Info().Tagged || e.h.listVersion == nil {
		return known{}
	}
	k := known{tagged: true}
	if v.Kind == store.Anonymous || v.Kind == store.PublicKey {
		// Taken before the operation reads.
		k.tags, k.address, k.version = &e.h.tags, e.Path+" "+r.URL.RequestURI(), e.h.listVersion(r.PathValue("id"))
	}
	return k
}

// sendUnchanged reports whether the client has the current response, and tells it
// so: nothing is read for it.
func (k known) sendUnchanged(w http.ResponseWriter, r *http.Request) bool {
	if k.tags == nil {
		return false
	}
	found := k.tags.get(k.address)
	if found.version != k.version || !hasTag(r, found.tag) {
		return false
	}
	k.unchanged(w, found.tag)
	return true
}

func (k known) unchanged(w http.ResponseWriter, tag string) {
	k.headers(w, tag)
	w.WriteHeader(http.StatusNotModified)
}

// headers has clients ask again each time. What is only for the caller is not
// kept at all.
func (k known) headers(w http.ResponseWriter, tag string) {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Vary", "Authorization, Cookie")
	if k.tags != nil {
		h.Set("Cache-Control", "no-cache")
	}
}

// tag sets the ETag of a response, and reports whether it told the client that it
// has the response already.
func (k known) tag(w http.ResponseWriter, r *http.Request, _ store.Viewer, out any, body []byte) (sent bool) {
	if !k.tagged {
		return false
	}
	sum := sha256.Sum256(body)
	tag := hex.EncodeToString(sum[:8])
	if v, ok := out.(op.Versioned); ok {
		tag = v.Version() + "/" + tag
	}
	tag = `"` + tag + `"`
	if k.tags != nil {
		k.tags.put(k.address, knownTag{tag, k.version})
	}
	if hasTag(r, tag) {
		k.unchanged(w, tag)
		return true
	}
	k.headers(w, tag)
	return false
}

// hasTag reports whether the client has a response with the ETag.
func hasTag(r *http.Request, tag string) bool {
	if tag == "" {
		return false
	}
	for _, value := range r.Header.Values("If-None-Match") {
		for t := range strings.SplitSeq(value, ",") {
			if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
				return true
			}
		}
	}
	return false
}
