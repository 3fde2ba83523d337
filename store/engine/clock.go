package engine

import (
	"sync"
	"time"
)

// tick returns a time for a write, strictly later than the time of every earlier one. The
// last time is stored in the file, so the order holds across restarts and when the wall
// clock is set back.
func (w *writer[E]) tick() Time {
	w.last = max(w.last+1, TimeOf(w.opt.Now()))
	return w.last
}

// ManualClock is a wall clock that changes only when it is advanced, for tests
// and sample data. It is safe for concurrent use.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock returns a clock that shows t.
func NewManualClock(t time.Time) *ManualClock { return &ManualClock{now: t} }

// Now returns the time the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance changes the clock's time by d, which may be negative.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
