package store

import "sync"

// frequentKeys remembers which keys more intents have than a search for
// candidates reads, so that they need not be counted again. It is safe for
// concurrent use.
type frequentKeys struct {
	mu      sync.Mutex
	removed uint64           // how many intents lost their keys so far
	until   map[int64]uint64 // up to what removed the key is frequent for sure
}

// maxFrequent bounds the memory, which is about 2 MiB then.
const maxFrequent = 1 << 16

func newFrequentKeys() *frequentKeys { return &frequentKeys{until: map[int64]uint64{}} }

// Removed returns how many intents lost their keys. Take it before the state is
// chosen in which a key is counted, and pass it to Put.
func (f *frequentKeys) Removed() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.removed
}

// Remove notes that an intent has lost its keys. It is called once that is durable:
// earlier, what is read in between would be taken for the state after it.
func (f *frequentKeys) Remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removed++
}

// Clear forgets everything, also what is being counted, for intents that were deleted
// otherwise. It is called once that is durable.
func (f *frequentKeys) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removed += counted
	clear(f.until)
}

// Has reports whether a key is frequent for sure.
func (f *frequentKeys) Has(key int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	until, ok := f.until[key]
	return ok && f.removed < until
}

// Put notes that a key had a number of intents, or more. It stays frequent until
// as many lost their keys as it had too many.
func (f *frequentKeys) Put(key int64, count int, removed uint64) {
	if count <= maxPerKey {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.until { // a random one makes room
		if len(f.until) < maxFrequent {
			break
		}
		delete(f.until, k)
	}
	f.until[key] = removed + uint64(count-maxPerKey)
}
