package engine

import (
	"context"
	"sync/atomic"
)

// meterStep is how many bytes are read before a meter is told.
const meterStep = 16 << 10

// Meter is on whose behalf something is read, and how much that may be.
type Meter struct {
	// Read is told how many bytes of texts and blobs were copied, every 16 KiB and
	// at the end of a read. A read for which it returns an error ends with that. It
	// may be called from several goroutines and must not block. WithReturn gives back
	// what was told, as a negative number.
	Read func(bytes int) error
}

// SetCaller does nothing.
func (m *Meter) SetCaller(string) {}

type meterKey struct{}

// WithMeter returns a context whose reads are metered by m. Writes are not.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// WithoutMeter returns a context whose reads are not metered.
func WithoutMeter(ctx context.Context) context.Context { return WithMeter(ctx, nil) }

// WithoutCaller returns ctx.
func WithoutCaller(ctx context.Context) context.Context { return ctx }

// WithReturn returns a context whose reads are metered by the meter of ctx, if it has
// one, until giveBack is called: that tells the meter that what was read takes no memory
// any more, as a negative number of bytes, and returns how many they were.
func WithReturn(ctx context.Context) (inner context.Context, giveBack func() int) {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	if m == nil {
		return ctx, func() int { return 0 }
	}
	var taken atomic.Int64
	part := &Meter{Read: func(n int) error {
		err := m.Read(n)
		if err == nil {
			taken.Add(int64(n))
		}
		return err
	}}
	return WithMeter(ctx, part), func() int {
		n := int(taken.Swap(0))
		_ = m.Read(-n)
		return n
	}
}

// told tells the meter what was read if it is at least so many bytes.
func (c *Conn) told(least int) error {
	if c.meter == nil || c.h.copied < least {
		return nil
	}
	n := c.h.copied
	c.h.copied = 0
	return c.meter.Read(n)
}
