package core

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxNested = 64
	// maxCommas bounds members and their elements: a few bytes of text take hundreds once decoded, and members are
	// checked only then. An item's metadata has up to 5,000.
	maxCommas = 10_000
)

// DecodeInput decodes the JSON object b into v, a pointer to a struct of the plan's type. It returns an Invalid error
// that names the member and what is expected. It refuses duplicate names, invalid UTF-8, more than 64 levels of nesting
// and more than 10,000 members or elements. It refuses unknown members for a strict input, and "" for a member with an
// enum: after decoding it looks like an absent member.
func (p *Plan) DecodeInput(b []byte, v any) error {
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
	if err := json.Unmarshal(b, v, json.RejectUnknownMembers(p.strict), json.WithUnmarshalers(p.texts)); err != nil {
		return explain(err)
	}
	return nil
}

// DecodeObject is DecodeInput for what has no plan.
func DecodeObject(b []byte, v any) error { return noPlan.DecodeInput(b, v) }

var noPlan = newPlan(nil)

func newPlan(t reflect.Type) *Plan {
	p := &Plan{Type: t}
	p.texts = json.UnmarshalFromFunc(p.text)
	return p
}

// text refuses null in an array, which would be decoded as an empty text.
func (p *Plan) text(dec *jsontext.Decoder, s *string) error {
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
		if *s = token.String(); *s != "" {
			return nil
		}
		if f := p.field(dec.StackPointer()); f != nil && f.Class == Text && len(f.Enum) > 0 {
			return f.NoChoice(memberName(dec.StackPointer()))
		}
		return nil
	}
	return json.SkipFunc
}

// field returns the field at a pointer into a body, or nil.
func (p *Plan) field(at jsontext.Pointer) (f *Field) {
	for name := range at.Tokens() {
		switch {
		case f != nil && f.Class == List && f.Element.Class == Object:
			f = f.Element
			continue
		case f != nil && f.Class == Object:
			p = f.Object
		case f != nil:
			return nil
		}
		i := slices.IndexFunc(p.Fields, func(f *Field) bool { return f.Place == InBody && f.Name == name })
		if i < 0 {
			return nil
		}
		f = p.Fields[i]
	}
	return f
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
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return explainSyntax(syntax)
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return New(Invalid, "bad_json", "The body is not valid JSON.")
	}
	name := memberName(e.JSONPointer)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return InvalidField(name, "%s is not a member of this request. Check its spelling, or omit it.", name)
	case errors.Is(err, errNullText):
		return InvalidField(name, "%s must be text, not null.", name)
	}
	return InvalidField(name, "%s must be %s, not %s.", cmp.Or(name, "The body"), expected(e.GoType), found(e))
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
	switch class, err := classOf(t); {
	case class == Other:
		return "a string in the right format"
	case class == List, t.Kind() == reflect.Array:
		return "an array"
	case err != nil:
		return "an object"
	default:
		return (&Field{Class: class}).Expects()
	}
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
