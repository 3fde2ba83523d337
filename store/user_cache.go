package store

import "sync"

// maxCached bounds a UserCache, which is emptied when it is full.
const maxCached = 4096

// UserCache caches what was read about accounts. Every change of an account
// invalidates what was read about it before. It is safe for concurrent use.
type UserCache[K comparable, V any] struct {
	mu         sync.Mutex
	generation uint64            // of the last change
	all        uint64            // of the last change of every account
	changed    map[string]uint64 // of the last change per account
	values     map[K]cached[V]
}

type cached[V any] struct {
	value      V
	userID     string
	generation uint64 // before it was read
}

// NewUserCache returns an empty cache.
func NewUserCache[K comparable, V any]() *UserCache[K, V] {
	return &UserCache[K, V]{changed: map[string]uint64{}, values: map[K]cached[V]{}}
}

// Generation returns the current generation. Take it before the state is chosen
// that a value is read from, and pass it to Put.
func (c *UserCache[K, V]) Generation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// Get returns a value that was put and not invalidated since.
func (c *UserCache[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.values[key]
	if !ok || found.generation < c.all || found.generation < c.changed[found.userID] {
		return v, false
	}
	return found.value, true
}

// Unchanged reports whether what was read about the account at a generation is valid
// still.
func (c *UserCache[K, V]) Unchanged(userID string, generation uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return generation >= c.all && generation >= c.changed[userID]
}

// Put caches a value about the account that was read at the generation.
func (c *UserCache[K, V]) Put(key K, userID string, v V, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.values) >= maxCached {
		clear(c.values)
	}
	c.values[key] = cached[V]{v, userID, generation}
}

// Invalidate drops what is cached about the accounts.
func (c *UserCache[K, V]) Invalidate(userIDs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	if len(c.changed)+len(userIDs) > maxCached {
		c.all = c.generation
		clear(c.changed)
		return
	}
	for _, id := range userIDs {
		c.changed[id] = c.generation
	}
}
