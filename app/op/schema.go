package op

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/store"
)

// Schemas describes Go types as JSON Schema: each struct with a name becomes a component, everything else is described
// where it is used. A type or a tag that JSON cannot express is a mistake of the program, and panics. The zero Schemas
// has no components.
type Schemas struct {
	names map[reflect.Type]string
	uses  map[reflect.Type]use
	order []reflect.Type // the structs, in the order in which they were found
}

// use is the side of a call on which a struct is used.
type use uint8

const (
	inRequest  use = 1 << iota // required members must be there
	inResponse                 // members without omitzero are always there
)

// SchemaPrefix begins a reference to a component.
const SchemaPrefix = "#/components/schemas/"

// NewSchemas collects the structs that the given inputs and results are made of, and names them. Two structs of one
// name are both prefixed with the name of their package. It panics if two names are still the same.
func NewSchemas(ins, outs []reflect.Type) *Schemas {
	s := &Schemas{names: map[reflect.Type]string{}, uses: map[reflect.Type]use{}}
	for _, t := range ins {
		s.collect(t, inRequest)
	}
	for _, t := range outs {
		s.collect(t, inResponse)
	}
	count := map[string]int{}
	for _, t := range s.order {
		count[plainName(t)]++
	}
	taken := map[string]reflect.Type{}
	for _, t := range s.order {
		name := plainName(t)
		if name == "" || len(bodyFields(t)) == 0 {
			continue // described where it is used
		}
		if count[name] > 1 {
			pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
			name = upperFirst(pkg) + name
		}
		if other, ok := taken[name]; ok {
			panic(fmt.Sprintf("op.NewSchemas: %s and %s would both be named %s", t, other, name))
		}
		taken[name], s.names[t] = t, name
	}
	return s
}

func (s *Schemas) collect(t reflect.Type, u use) {
	switch {
	case t == reflect.TypeFor[jsontext.Value]():
	case core.IsOpt(t):
		s.collect(t.Field(2).Type, u)
	case core.IsPage(t):
		s.collect(t.Field(0).Type, u)
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		s.collect(t.Elem(), u)
	case t.Kind() == reflect.Struct && !isText(t) && s.uses[t]&u == 0:
		if s.uses[t] == 0 {
			s.order = append(s.order, t)
		}
		s.uses[t] |= u
		for _, f := range bodyFields(t) {
			s.collect(f.Type, u)
		}
	}
}

// Components returns the schema of each named struct, by name.
func (s *Schemas) Components() map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	for t, name := range s.names {
		all[name] = s.Object(t)
	}
	return all
}

// Object returns the schema of the struct t, its members in the order of their declaration.
func (s *Schemas) Object(t reflect.Type) *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, sf := range bodyFields(t) {
		r, err := core.RuleOf(sf)
		if err != nil {
			panic(fmt.Sprintf("op.Schemas: %s.%s: %v", t, sf.Name, err))
		}
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		maybe := strings.Contains(options, "omit")
		ft, nullable := sf.Type, false
		switch {
		case core.IsOpt(ft):
			ft, nullable = ft.Field(2).Type, !r.NotNull
		case ft.Kind() == reflect.Pointer:
			// A pointer that is left out when nil is never null in a response;
			// in a request null counts as left out.
			ft, nullable = ft.Elem(), !maybe
		}
		p := s.Value(ft, r)
		if isJSON(ft) && s.uses[t]&inResponse != 0 {
			nullable = true // an absent value is encoded as null
		}
		if nullable && !(r.Required && s.uses[t] == inRequest) {
			p = orNull(p)
		}
		o.Properties[name] = p
		o.PropertyOrder = append(o.PropertyOrder, name)
		if r.Required || s.uses[t] == inResponse && !maybe {
			o.Required = append(o.Required, name)
		}
	}
	return o
}

// Value returns the schema of a value of type t under the rule r.
func (s *Schemas) Value(t reflect.Type, r core.Rule) *jsonschema.Schema {
	out := &jsonschema.Schema{Description: r.Doc}
	switch {
	case t == reflect.TypeFor[store.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time", Description: r.Doc}
	case isJSON(t):
		if r.Format == "object" {
			out.Type = "object"
		}
		bound(&out.Description, r.Max, "At most %s characters of JSON.")
		return out
	case isText(t):
		out.Type = "string"
		return out
	case core.IsPage(t):
		return s.Value(t.Field(0).Type, r)
	}
	switch t.Kind() {
	case reflect.String:
		textSchema(out, r)
	case reflect.Bool:
		out.Type = "boolean"
	case reflect.Float32, reflect.Float64:
		numberSchema(out, "number", r)
	case reflect.Slice, reflect.Array:
		out.Type, out.MinItems, out.MaxItems = "array", whole(r.Min), whole(r.Max)
		element := core.Rule{Enum: r.Enum, Format: r.Format}
		element.Max, element.Required = r.ItemMax, r.ItemMax != nil
		out.Items = s.Value(t.Elem(), element)
		return out
	case reflect.Map:
		out.Type, out.AdditionalProperties = "object", s.Value(t.Elem(), core.Rule{})
		return out
	case reflect.Struct:
		if name, ok := s.names[t]; ok {
			out.Ref = SchemaPrefix + name
			return out
		}
		out = s.Object(t)
		out.Description = r.Doc
		return out
	case reflect.Interface:
	case reflect.Pointer:
		return orNull(s.Value(t.Elem(), r))
	default:
		if !reflect.Zero(t).CanInt() && !reflect.Zero(t).CanUint() {
			panic(fmt.Sprintf("op.Schemas: %s has no JSON form", t))
		}
		numberSchema(out, "integer", r)
	}
	if r.Default != "" {
		out.Default = []byte(r.Default)
		if out.Type == "string" {
			out.Default = []byte(strconv.Quote(r.Default))
		}
	}
	return out
}

func textSchema(out *jsonschema.Schema, r core.Rule) {
	out.Type, out.Format = "string", r.Format
	if r.Format == "url" {
		out.Format = "uri"
	}
	out.MinLength, out.MaxLength = whole(r.Min), whole(r.Max)
	if r.Required && out.MinLength == nil {
		out.MinLength = new(1)
	}
	for _, e := range r.Enum {
		out.Enum = append(out.Enum, e)
	}
}

func numberSchema(out *jsonschema.Schema, kind string, r core.Rule) {
	out.Type, out.Minimum = kind, r.Min
	if !r.Clamp {
		out.Maximum = r.Max
		return
	}
	bound(&out.Description, r.Max, "Larger values are lowered to %s.")
}

// orNull allows null beside s.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Ref != "":
		return &jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
	case s.Type == "":
		return s
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// bodyFields returns the fields of the struct t that are members of its JSON object.
func bodyFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(core.Flat(t), func(sf reflect.StructField) bool {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		return !sf.IsExported() || name == "" || name == "-"
	})
}

// isJSON reports whether a member of the type is any JSON value.
func isJSON(t reflect.Type) bool {
	return t == reflect.TypeFor[jsontext.Value]() || t == reflect.TypeFor[core.JSON]()
}

func isText(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// Named is implemented by structs whose component has another name than the type.
type Named interface{ SchemaName() string }

// plainName returns the name of the component of a struct type: PageMessage for Page[hearth/app/chat.Message].
func plainName(t reflect.Type) string {
	if n, ok := reflect.Zero(t).Interface().(Named); ok {
		return n.SchemaName()
	}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(t.Name(), func(r rune) bool { return strings.ContainsRune("[],", r) }) {
		part = part[strings.LastIndexAny(part, "./")+1:]
		b.WriteString(upperFirst(part))
	}
	return b.String()
}

// upperFirst returns s, which is not empty, with an upper-case initial.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func whole(f *float64) *int {
	if f == nil || *f <= 0 {
		return nil
	}
	return new(int(*f))
}

// limit adds a sentence about n to a description.
func bound(doc *string, n *float64, format string) {
	if n != nil {
		*doc = strings.TrimSpace(*doc + " " + fmt.Sprintf(format, strconv.FormatFloat(*n, 'f', -1, 64)))
	}
}
