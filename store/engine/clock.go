package engine

import (
	"sync"
	"time"
)

// writeClock gives every write a time strictly later than every earlier one.
// Only the writer uses it. The last time is stored in the file, so the order
// holds across restarts and when the wall clock is set back.
type writeClock struct {
	wall func() time.Time
	last Time
}

func (c *writeClock) next() Time {
	c.last = max(c.last+1, TimeOf(c.wall()))
	return c.last
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
