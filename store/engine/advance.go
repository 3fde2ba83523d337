package engine

import "context"

// Advance is memory that is taken for an answer within the write that it is about:
// once the write is committed it has to be answered. It is used by one write at a time.
type Advance struct {
	m     *Meter // nil if nobody bounds the memory
	taken int
}

// AdvanceOf returns the advance of what is done with ctx.
func AdvanceOf(ctx context.Context) *Advance {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return &Advance{m: m}
}

// Take tells the meter that an answer of n bytes will be sent, and returns its error if
// there is no memory for that. A write may run again: only what is more than before is
// told.
func (a *Advance) Take(n int) error {
	if a.m == nil || n <= a.taken {
		return nil
	}
	if err := a.m.Read(n - a.taken); err != nil {
		return err
	}
	a.taken = n
	return nil
}
