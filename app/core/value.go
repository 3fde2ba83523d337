package core

// None is the input or the output of an operation that takes or returns
// nothing.
type None struct{}

// OrNil returns a pointer to s, or nil for the empty string: the form of a
// nullable text in an answer.
func OrNil(s string) *string {
	if s == "" {
		return nil
	}
	v := s // only a text that is there is moved to the heap
	return &v
}

// Map returns the results of f for each element of in, in order. It is never
// nil, so that an empty list is [] on the wire and not null.
func Map[From, To any](in []From, f func(From) To) []To {
	out := make([]To, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}
