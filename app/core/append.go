package core

import (
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// The Append functions encode large, frequent results without reflection, which costs several times as much. Tests
// compare their output with the tags.

// AppendID appends a quoted identifier, in which nothing needs escaping.
func AppendID(b []byte, id string) []byte {
	return append(append(append(b, '"'), id...), '"')
}

// AppendText appends s quoted. Invalid UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // reports only the invalid UTF-8
	return b
}

// AppendTextOrNull appends *s quoted, or null.
func AppendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return AppendText(b, *s)
}

// AppendTime appends *t quoted, or null.
func AppendTime(b []byte, t *store.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	b, _ = t.AppendText(append(b, '"')) // never fails
	return append(b, '"')
}
