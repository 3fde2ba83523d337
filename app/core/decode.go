package core

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

const (
	maxNested = 64
	// maxCommas bounds members and their elements: a few bytes of text take hundreds once decoded, and members are
	// checked only then. An item's metadata has up to 5,000.
	maxCommas = 10_000
)

// DecodeObject decodes the JSON object b into v. It returns an Invalid error that names the member and what is
// expected. It refuses duplicate names, invalid UTF-8, more than 64 levels of nesting and more than 10,000 members or
// elements. It refuses unknown members if v is Strict.
func DecodeObject(b []byte, v any) error { return decodeObject(b, v, anyTexts) }

func decodeObject(b []byte, v any, texts *json.Unmarshalers) error {
	b = bytes.Trim(b, " \t\r\n")
	switch {
	case !utf8.Valid(b):
		return New(Invalid, "bad_json", "The body must be valid UTF-8.")
	case len(b) == 0 || b[0] != '{':
		return New(Invalid, "bad_json", "The body must be a JSON object such as {}.")
	}
	switch depth, commas := shape(b); {
	case depth > maxNested:
		return New(Invalid, "bad_json", "The body has arrays and objects nested more than %d deep. Flatten it.", maxNested)
	case commas > maxCommas:
		return New(Invalid, "bad_json", "The body has more than %d members and elements. Send less at a time.", maxCommas)
	}
	_, strict := v.(Strict)
	if err := json.Unmarshal(b, v, json.RejectUnknownMembers(strict), json.WithUnmarshalers(texts)); err != nil {
		return explain(err)
	}
	return nil
}

var anyTexts = texts(func(jsontext.Pointer) error { return nil })

// texts decodes texts. Null in an array would be decoded as an empty text, and blank judges the members that are empty.
func texts(blank func(at jsontext.Pointer) error) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, s *string) error {
		switch dec.PeekKind() {
		case 'n':
			if kind, _ := dec.StackIndex(dec.StackDepth()); kind == '[' {
				return errNullText
			}
		case '"':
			token, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if *s = token.String(); *s == "" {
				return blank(dec.StackPointer())
			}
			return nil
		}
		return json.SkipFunc
	})
}

var errNullText = errors.New("core: null in an array of texts")

// shape counts commas on the outer two levels only: deeper values are bounded as a whole or kept as text. It stops at
// the first limit.
func shape(b []byte) (deepest, commas int) {
	depth, quoted := 0, false
	for i := 0; i < len(b) && deepest <= maxNested && commas <= maxCommas; i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' && depth <= 2:
			commas++
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest, commas
}

// explain shows no Go types.
func explain(err error) error {
	var own *Error
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &syntax):
		return explainSyntax(syntax)
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		name := memberName(semantic.JSONPointer)
		return InvalidField(name, "%s is not a member of this request. Check its spelling, or omit it.", name)
	case errors.As(err, &semantic) && errors.Is(err, errNullText):
		name := memberName(semantic.JSONPointer)
		return InvalidField(name, "%s must be text, not null.", name)
	case errors.As(err, &semantic):
		name := memberName(semantic.JSONPointer)
		if name == "" {
			name = "The body"
		}
		return InvalidField(memberName(semantic.JSONPointer), "%s must be %s, not %s.", name, expected(semantic.GoType), found(semantic))
	}
	return New(Invalid, "bad_json", "The body is not valid JSON.")
}

func explainSyntax(err *jsontext.SyntacticError) error {
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := memberName(err.JSONPointer)
		return InvalidField(name, "%s occurs twice. Send each member once.", name)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return New(Invalid, "bad_json", "The JSON in the body is incomplete.")
	}
	return New(Invalid, "bad_json", "The body is not valid JSON, near byte %d.", err.ByteOffset+1)
}

// The name is cut after 100 bytes, because it comes from the caller.
func memberName(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 32); err == nil && b.Len() > 0 {
			fmt.Fprintf(&b, "[%s]", token)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
		if b.Len() > 100 {
			return strings.ToValidUTF8(b.String()[:100], "") + "…"
		}
	}
	return b.String()
}

func expected(t reflect.Type) string {
	if t == nil {
		return "another kind of value"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[store.Time]():
		return "a date and time such as 2026-11-20T09:40:08Z"
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "a string in the right format"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

func found(err *json.SemanticError) string {
	switch err.JSONKind {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "this text"
	case '0':
		if t := err.GoType; t != nil && t.Kind() == reflect.Float64 {
			return "one as large as this"
		}
		return "this number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "this value"
}
