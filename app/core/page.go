package core

import (
	"net/url"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// Page is a part of a list. On the wire it is the array of its items; the JSON transport announces the next page in a
// Link header.
type Page[T any] struct {
	Items []T
	Next  url.Values // the query of the next page; nil after the last
}

// MarshalJSONTo writes the items.
func (p Page[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if p.Items == nil {
		p.Items = []T{}
	}
	return json.MarshalEncode(enc, p.Items)
}

// NextPage returns Next.
func (p Page[T]) NextPage() url.Values { return p.Next }

// IsPage reports whether t is a Page, whose first field is its items.
func IsPage(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[Error]().PkgPath() && strings.HasPrefix(t.Name(), "Page[")
}

// Before returns the moment that a page ends before: that of its query, or 0 for the newest page.
func Before(query *store.Time) store.Time {
	if query == nil {
		return 0
	}
	return max(*query, 1)
}

// Cut returns up to limit of the rows, and whether there are more.
func Cut[T any](rows []T, limit int) (page []T, more bool) {
	return rows[:min(limit, len(rows))], len(rows) > limit
}
