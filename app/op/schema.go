package op

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/store"
)

// Schemas describes Go types as JSON Schema: each struct with a name becomes
// a component, everything else is described where it is used.
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

// NewSchemas collects the structs that the given inputs and results are made
// of, and names them. Two structs of one name are both prefixed with the name
// of their package. It fails if two names are still the same.
func NewSchemas(ins, outs []reflect.Type) (*Schemas, error) {
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
			return nil, fmt.Errorf("%s and %s would both be named %s", t, other, name)
		}
		taken[name], s.names[t] = t, name
	}
	return s, nil
}

// Name returns the name of the component that describes t, or "" if t is
// described where it is used.
func (s *Schemas) Name(t reflect.Type) string { return s.names[t] }

// ResponseShapes returns the named structs that results are made of, by name.
func (s *Schemas) ResponseShapes() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for t, name := range s.names {
		if s.uses[t]&inResponse != 0 {
			all[name] = t
		}
	}
	return all
}

func (s *Schemas) collect(t reflect.Type, u use) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if t != reflect.TypeFor[jsontext.Value]() {
			s.collect(t.Elem(), u)
		}
		return
	case reflect.Struct:
	default:
		return
	}
	if core.IsOpt(t) {
		s.collect(t.Field(2).Type, u)
		return
	}
	if core.IsPage(t) {
		s.collect(t.Field(0).Type, u)
		return
	}
	if isText(t) || s.uses[t]&u != 0 {
		return
	}
	if s.uses[t] == 0 {
		s.order = append(s.order, t)
	}
	s.uses[t] |= u
	for _, f := range bodyFields(t) {
		s.collect(f.Type, u)
	}
}

// Components returns the schema of each named struct, by name.
func (s *Schemas) Components() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	for t, name := range s.names {
		o, err := s.Object(t)
		if err != nil {
			return nil, err
		}
		all[name] = o
	}
	return all, nil
}

// Object returns the schema of the struct t, its members in the order of their
// declaration.
func (s *Schemas) Object(t reflect.Type) (*jsonschema.Schema, error) {
	o := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, sf := range bodyFields(t) {
		r, err := core.RuleOf(sf)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
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
		p, err := s.Value(ft, r)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
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
	return o, nil
}

// Value returns the schema of a value of type t under the rule r.
func (s *Schemas) Value(t reflect.Type, r core.Rule) (*jsonschema.Schema, error) {
	out := &jsonschema.Schema{Description: r.Doc}
	switch {
	case t == reflect.TypeFor[store.Time]():
		out.Type, out.Format = "string", "date-time"
		return out, nil
	case isJSON(t):
		if r.Format == "object" {
			out.Type = "object"
		}
		bound(&out.Description, r.Max, "At most %s characters of JSON.")
		return out, nil
	case isText(t):
		out.Type = "string"
		return out, nil
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
		return out, s.listSchema(out, t, r)
	case reflect.Map:
		out.Type = "object"
		inner, err := s.Value(t.Elem(), core.Rule{})
		out.AdditionalProperties = inner
		return out, err
	case reflect.Struct:
		if name, ok := s.names[t]; ok {
			out.Ref = "#/components/schemas/" + name
			return out, nil
		}
		o, err := s.Object(t)
		if err == nil {
			o.Description = r.Doc
		}
		return o, err
	case reflect.Interface:
	case reflect.Pointer:
		inner, err := s.Value(t.Elem(), r)
		if err != nil {
			return nil, err
		}
		return orNull(inner), nil
	default:
		if !reflect.Zero(t).CanInt() && !reflect.Zero(t).CanUint() {
			return nil, fmt.Errorf("%s has no JSON form", t)
		}
		numberSchema(out, "integer", r)
	}
	return out, defaultValue(out, r)
}

func textSchema(out *jsonschema.Schema, r core.Rule) {
	out.Type = "string"
	out.Format = map[string]string{"url": "uri"}[r.Format]
	if out.Format == "" {
		out.Format = r.Format
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

func (s *Schemas) listSchema(out *jsonschema.Schema, t reflect.Type, r core.Rule) (err error) {
	out.Type, out.MinItems, out.MaxItems = "array", whole(r.Min), whole(r.Max)
	element := core.Rule{Enum: r.Enum, Format: r.Format}
	if r.ItemMax > 0 {
		element.Max, element.Required = new(float64(r.ItemMax)), true
	}
	out.Items, err = s.Value(t.Elem(), element)
	return err
}

func defaultValue(out *jsonschema.Schema, r core.Rule) error {
	if r.Default == "" {
		return nil
	}
	text := r.Default
	if out.Type == "string" {
		text = strconv.Quote(text)
	}
	out.Default = []byte(text)
	if !jsontext.Value(text).IsValid() {
		return fmt.Errorf("the default %q has no JSON form", r.Default)
	}
	return nil
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

// bodyFields returns the fields of the struct t that are members of its JSON
// object; embedded structs count as if their fields were written out.
func bodyFields(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct:
			fields = append(fields, bodyFields(sf.Type)...)
		case sf.IsExported() && name != "" && name != "-":
			fields = append(fields, sf)
		}
	}
	return fields
}

// isJSON reports whether a member of the type is any JSON value.
func isJSON(t reflect.Type) bool {
	return t == reflect.TypeFor[jsontext.Value]() || t == reflect.TypeFor[core.JSON]()
}

func isText(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// Named is implemented by structs whose component has another name than the
// type.
type Named interface{ SchemaName() string }

// plainName returns the name of the component of a struct type: PageMessage
// for Page[hearth/app/chat.Message].
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
