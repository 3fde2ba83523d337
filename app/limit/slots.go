package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"hearth/app/core"
)

// Busy returns an Unavailable error with the code busy.
func Busy(msg string) *core.Error {
	e := core.New(core.Unavailable, "busy", "%s", msg)
	e.RetryAfter = 2 * time.Second
	return e
}

// Slots limits concurrent use, in all and for each key. It is safe for concurrent use.
type Slots struct {
	all, each int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

// NewSlots returns all slots, with at most each for one key.
func NewSlots(all, each int) *Slots { return &Slots{all: all, each: each, by: map[string]int{}} }

// Take takes a slot of every key, and reports whether all were free. Free it with the same keys.
func (s *Slots) Take(keys ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.all || slices.ContainsFunc(keys, func(k string) bool { return s.by[k] >= s.each }) {
		return false
	}
	s.taken++
	for _, k := range keys {
		s.by[k]++
	}
	return true
}

// Free returns a slot.
func (s *Slots) Free(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	for _, k := range keys {
		if s.by[k]--; s.by[k] == 0 {
			delete(s.by, k)
		}
	}
}

// Taken returns the number of used slots.
func (s *Slots) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Gate is a semaphore with a short queue.
type Gate struct {
	slots *semaphore.Weighted
	wait  time.Duration
	msg   string
}

// NewGate returns a gate of n units. After wait, a caller is refused with msg.
func NewGate(n int64, wait time.Duration, msg string) *Gate {
	return &Gate{semaphore.NewWeighted(n), wait, msg}
}

// Enter waits for n units, and returns the function that frees them. It returns a Busy error after the
// timeout, or the error of ctx.
func (g *Gate) Enter(ctx context.Context, n int64) (leave func(), err error) {
	if !g.slots.TryAcquire(n) {
		within, cancel := context.WithTimeout(ctx, g.wait)
		defer cancel()
		if err := g.slots.Acquire(within, n); err != nil {
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				err = Busy(g.msg)
			}
			return nil, err
		}
	}
	return func() { g.slots.Release(n) }, nil
}
