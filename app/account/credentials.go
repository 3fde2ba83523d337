package account

import (
	"crypto/sha256"
	"sync"

	"hearth/store"
)

// maxCredentials bounds how many credentials are cached, twice: when the newer
// half is full it becomes the older one, which is dropped.
const maxCredentials = 4096

// credentialKey is a bearer token or a cookie, by its hash: one must not pass
// for the other.
type credentialKey struct {
	cookie bool
	hash   [sha256.Size]byte
}

// credentials caches who was identified by which token, because a client sends
// the same one with each request. It never outlives a change: every change of
// an account, its sessions and its keys raises the generation before it is
// acknowledged, and what was read before counts no more.
type credentials struct {
	mu         sync.Mutex
	generation uint64
	all        uint64            // of the last change that concerned every account
	changed    map[string]uint64 // of the last change, by account
	newer      map[credentialKey]credential
	older      map[credentialKey]credential
}

type credential struct {
	viewer     store.Viewer
	generation uint64 // when reading it from the database began
}

func newCredentials() *credentials {
	return &credentials{changed: map[string]uint64{}, newer: map[credentialKey]credential{}}
}

// now returns the generation at which reading a credential begins.
func (c *credentials) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// get returns who the credential identifies, if that is known, still holds, and
// does not end before at.
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

// put caches a credential that was read from the generation on.
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

// change invalidates what is cached of the accounts, or with nil everything.
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
