package core

import (
	"reflect"
	"unicode/utf8"
)

// SizeInJSON returns at least how many bytes v has in JSON, which is some more than
// there are. It is counted, and not encoded, because that takes a fraction of the time.
func SizeInJSON(v any) int { return sizeInJSON(reflect.ValueOf(v)) }

// scalarSize is the longest number or time in JSON, with a comma.
const scalarSize = 32

func sizeInJSON(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return textSizeInJSON(v.String()) + len(`"",`)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return len("null,")
		}
		return sizeInJSON(v.Elem())
	case reflect.Struct: // members that have no name in JSON may be in what it encodes itself to
		n = len("{},")
		for i := range v.NumField() {
			f := v.Type().Field(i)
			n += len(f.Name) + len(f.Tag.Get("json")) + len(`"":`) + sizeInJSON(v.Field(i))
		}
		return n
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len() + len(",")
		}
		n = len("[],")
		for i := range v.Len() {
			n += sizeInJSON(v.Index(i))
		}
		return n
	case reflect.Map:
		n = len("{},")
		for key, value := range v.Seq2() {
			n += sizeInJSON(key) + sizeInJSON(value)
		}
		return n
	}
	return scalarSize
}

func textSizeInJSON(s string) int {
	const longest = len(`\u0000`)
	if !utf8.ValidString(s) {
		return longest * len(s)
	}
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			n++
		case c < ' ':
			n += longest - 1
		}
	}
	return n
}
