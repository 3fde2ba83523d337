package account

import (
	"crypto/sha256"

	"hearth/store"
)

// credentialKey identifies a bearer token or a cookie by its hash. The kind is
// part of it so that neither is accepted as the other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

// credentials caches which viewer a credential identifies, because a client
// sends the same one with each request: by its hash, and by its id.
type credentials[K comparable] struct {
	*store.UserCache[K, store.Viewer]
}

func newCredentials[K comparable]() credentials[K] {
	return credentials[K]{store.NewUserCache[K, store.Viewer]()}
}

// cached returns the viewer of a credential if it is cached and valid at a
// moment, or else from read.
func (c credentials[K]) cached(key K, at store.Time, read func() (store.Viewer, error)) (store.Viewer, error) {
	if v, ok := c.Get(key); ok && (v.Until == 0 || v.Until > at) {
		return v, nil
	}
	generation := c.Generation()
	v, err := read()
	if err == nil {
		c.Put(key, v.UserID, v, generation)
	}
	return v, err
}
