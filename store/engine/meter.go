package engine

import "context"

// meterStep is how many bytes are read before a meter is told.
const meterStep = 16 << 10

type meterKey struct{}

// WithMeter returns a context whose reads tell f how many bytes of texts and blobs
// they have copied, every 16 KiB and at their end. A read for which f returns an
// error ends with it. f may be called from several goroutines and must not block.
// Writes are not metered.
func WithMeter(ctx context.Context, f func(bytes int) error) context.Context {
	return context.WithValue(ctx, meterKey{}, f)
}

// metered sets the meter of the connection until it is given back.
func (c *Conn) metered(ctx context.Context) {
	c.meter, _ = ctx.Value(meterKey{}).(func(int) error)
	c.h.copied = 0
}

// told tells the meter what was read if it is at least so many bytes.
func (c *Conn) told(least int) error {
	if c.meter == nil || c.h.copied < least {
		return nil
	}
	n := c.h.copied
	c.h.copied = 0
	return c.meter(n)
}
