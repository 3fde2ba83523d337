package core

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Opt is a member that is absent, null, or has a value. In a PATCH, absent means unchanged and null means cleared.
// Tag it omitzero.
type Opt[T any] struct {
	Set  bool // the member is present
	Null bool // and is null
	V    T
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, V: v} }

// Into stores the value in to if the member is present. Null is the zero value.
func (o Opt[T]) Into(to *T) {
	if o.Set {
		*to = o.V
	}
}

// Has reports whether there is a value.
func (o Opt[T]) Has() bool { return o.Set && !o.Null }

// IsZero reports whether the member is absent.
func (o Opt[T]) IsZero() bool { return !o.Set }

// UnmarshalJSONFrom decodes null or a T.
func (o *Opt[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*o = Opt[T]{Set: true}
	if dec.PeekKind() == 'n' {
		o.Null = true
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, &o.V)
}

// MarshalJSONTo encodes null or the T.
func (o Opt[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if !o.Has() {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, o.V)
}
