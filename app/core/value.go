package core

import "github.com/go-json-experiment/json/jsontext"

// None is the input or output of an operation without one.
type None struct{}

// ByID is the input of an operation on one object.
type ByID struct {
	ID string `path:"id" json:"-"`
}

// ByToken is the input of an operation on what a link leads to.
type ByToken struct {
	Token string `path:"token" json:"-"`
}

// JSON is a JSON value as stored text; "" is null. It is encoded without a copy, because it may be long and in each
// row of a page.
type JSON string

// MarshalJSONTo implements json.MarshalerTo.
func (j JSON) MarshalJSONTo(enc *jsontext.Encoder) error {
	if j == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteValue(append(enc.AvailableBuffer(), j...))
}

// OrNil returns a pointer to s, or nil if s is empty: the form of a nullable text on the wire.
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

// Map returns f of each element of in, in order. The result is never nil, so that an empty list is [] and not null.
func Map[From, To any](in []From, f func(From) To) []To {
	out := make([]To, len(in))
	for i := range in {
		out[i] = f(in[i])
	}
	return out
}

// FirstRunes returns the first n code points of s.
func FirstRunes(s string, n int) string {
	for at := range s {
		if n--; n < 0 {
			return s[:at]
		}
	}
	return s
}

// Compact returns the JSON object of a member without insignificant space, or "" for none and for null.
func Compact(field string, v jsontext.Value) (string, error) {
	if len(v) == 0 || v.Kind() == 'n' {
		return "", nil
	}
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return "", InvalidField(field, "%s must be a JSON object in which no name is repeated.", field)
	}
	return string(v), nil
}
