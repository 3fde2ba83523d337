package account

import (
	"crypto/sha256"
	"sync"

	"hearth/store"
)

// maxCredentials bounds each half of the cache. When the newer half is full it
// replaces the older one.
const maxCredentials = 4096

// credentialKey identifies a bearer token or a cookie by its hash. The kind is
// part of it so that neither is accepted as the other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

// credentials caches which viewer a credential identifies, because a client
// sends the same one with each request. Every change of an account, its sessions
// or its keys raises the generation before it is acknowledged, which invalidates
// the entries of that account read before it.
type credentials struct {
	mu         sync.Mutex
	generation uint64
	all        uint64            // of the last change of every account
	changed    map[string]uint64 // of the last change per account
	newer      map[credentialKey]credential
	older      map[credentialKey]credential
}

type credential struct {
	viewer     store.Viewer
	generation uint64 // before it was read from the database
}

func newCredentials() *credentials {
	return &credentials{changed: map[string]uint64{}, newer: map[credentialKey]credential{}}
}

// now returns the current generation, to be passed to put after reading.
func (c *credentials) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// get returns the viewer that the credential identifies, if it is cached, was
// not invalidated, and expires after at.
func (c *credentials) get(key credentialKey, at store.Time) (store.Viewer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.newer[key]
	if !ok {
		if found, ok = c.older[key]; ok {
			c.insert(key, found)
		}
	}
	v := found.viewer
	if !ok || found.generation < c.all || found.generation < c.changed[v.UserID] || v.Until != 0 && v.Until <= at {
		return store.Viewer{}, false
	}
	return v, true
}

// put caches the viewer of a credential that was read at the generation.
func (c *credentials) put(key credentialKey, v store.Viewer, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.insert(key, credential{v, generation})
}

func (c *credentials) insert(key credentialKey, v credential) {
	if len(c.newer) >= maxCredentials {
		c.older, c.newer = c.newer, make(map[credentialKey]credential, maxCredentials)
	}
	c.newer[key] = v
}

// change invalidates the entries of the accounts, or all entries if userIDs is
// nil.
func (c *credentials) change(userIDs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	if userIDs == nil || len(c.changed)+len(userIDs) > maxCredentials {
		c.all = c.generation
		clear(c.changed)
		return
	}
	for _, id := range userIDs {
		c.changed[id] = c.generation
	}
}
