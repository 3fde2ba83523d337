package core

// None is the input or output of an operation without one.
type None struct{}

// Strict is implemented by inputs of which unknown members are refused. Those of
// all others are ignored.
type Strict interface{ RefuseUnknown() }

// OrNil returns a pointer to s, or nil if s is empty: the form of a nullable
// text on the wire.
func OrNil(s string) *string {
	if s == "" {
		return nil
	}
	v := s // only a text that is not empty escapes to the heap
	return &v
}

// OrZero returns what p points to, or the zero value for nil.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Map returns f of each element of in, in order. The result is never nil, so
// that an empty list is encoded as [] and not null.
func Map[From, To any](in []From, f func(From) To) []To {
	out := make([]To, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}
