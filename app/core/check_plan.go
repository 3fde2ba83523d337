package core

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// Class is the kind of value of a member, independently of the Go type.
type Class uint8

const (
	Text    Class = iota // string
	Boolean              // bool
	Integer              // int of any size
	Number               // float
	Time                 // store.Time, RFC 3339 text on the wire
	Other                // a text with its own format (encoding.TextUnmarshaler)
	Value                // jsontext.Value: any JSON, unchanged
	List                 // slice
	Object               // struct
)

// Place is the part of a request that holds a member.
type Place uint8

const (
	InBody   Place = iota // json:"name"
	InPath                // path:"name"
	InQuery               // query:"name"
	InHeader              // header:"Name"
)

// String returns the tag of the place: "path".
func (p Place) String() string { return [...]string{"body", "path", "query", "header"}[p] }

// Rule is what the tags of a field require of its value:
//
//	required:"true"   must be present and not null; a text must not be blank
//	notnull:"true"    an Opt may be absent and not null
//	min, max          code points of a text or a JSON value, size of a number, elements of a list
//	clamp:"true"      a number above max is lowered to max instead of refused
//	itemMax           code points of each text in a list (elements are never blank)
//	enum:"a|b"        the allowed texts, or elements of a list; "" is not allowed and not an absent member
//	format            uuid, email, url (http or https) or date-time, also of list elements; "object" for a JSON value;
//	                  "" is valid in any format if min permits it: it clears the member
//	default           the value of an absent member
//	line:"true"       one line: breaks and control characters become one space
//	plain:"true"      no control characters but breaks and tabs, no marks that reverse text, no unclosed direction marks
//	raw:"true"        not trimmed (passwords)
//	any:"true"        any text is valid: NUL becomes a space (searches)
//	doc               a sentence for the reference
//
// A field _ with strict:"true" makes the input refuse unknown members. Others ignore them.
type Rule struct {
	Required, NotNull, Clamp, Line, Plain, Raw, Any bool
	Min, Max, ItemMax                               *float64
	Enum                                            []string
	Format, Default, Doc                            string
}

// Field is a member of an input.
type Field struct {
	Rule
	Name     string // on the wire
	Place    Place
	Class    Class
	Type     reflect.Type // of the value, without Opt and pointer
	Index    []int        // for reflect.Value.FieldByIndex
	Nullable bool         // an Opt or a pointer: null is a value
	Element  *Field       // of a List
	Object   *Plan        // of an Object

	opt bool
}

// Plan has the members of an input type and their rules, in the order of their declaration. Embedded structs are
// flattened.
type Plan struct {
	Type   reflect.Type
	Fields []*Field
	texts  *json.Unmarshalers // with text
	strict bool
}

// Has reports whether the input has members in the place.
func (p *Plan) Has(place Place) bool {
	return slices.ContainsFunc(p.Fields, func(f *Field) bool { return f.Place == place })
}

var plans sync.Map

// PlanOf returns the plan of the struct type t. An invalid tag, or a rule that the type does not support, is an
// error.
func PlanOf(t reflect.Type) (*Plan, error) {
	if p, ok := plans.Load(t); ok {
		return p.(*Plan), nil
	}
	p, err := planner{}.plan(t)
	if err == nil {
		plans.Store(t, p)
	}
	return p, err
}

// planner has the plans under construction, so that a type may contain lists of itself.
type planner map[reflect.Type]*Plan

func (b planner) plan(t reflect.Type) (*Plan, error) {
	if p, ok := b[t]; ok {
		return p, nil
	}
	p := newPlan(t)
	b[t] = p
	for _, sf := range Flat(t) {
		name, place, tagged := wireName(sf)
		switch {
		case sf.Name == "_":
			p.strict = sf.Tag.Get("strict") == "true"
			continue
		case !sf.IsExported() || name == "-":
			continue
		case !tagged:
			return nil, fmt.Errorf("%s.%s has no json, path, query or header tag; json:\"-\" excludes a field", t, sf.Name)
		case place != InBody && sf.Tag.Get("json") != "-":
			return nil, fmt.Errorf("%s.%s has a path, query or header tag without json:\"-\", so a body could set it, too", t, sf.Name)
		}
		f, err := b.field(sf, name, place)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
		p.Fields = append(p.Fields, f)
	}
	return p, nil
}

// Flat returns the fields of the struct t. Structs that are embedded without a name are replaced by their fields.
func Flat(t reflect.Type) (fields []reflect.StructField) {
	for sf := range t.Fields() {
		if _, _, tagged := wireName(sf); !sf.Anonymous || tagged || sf.Type.Kind() != reflect.Struct {
			fields = append(fields, sf)
			continue
		}
		for _, inner := range Flat(sf.Type) {
			inner.Index = append(slices.Clip(sf.Index), inner.Index...)
			fields = append(fields, inner)
		}
	}
	return fields
}

func wireName(sf reflect.StructField) (name string, place Place, tagged bool) {
	for place := InPath; place <= InHeader; place++ {
		if s, ok := sf.Tag.Lookup(place.String()); ok {
			return s, place, true
		}
	}
	name, _, _ = strings.Cut(sf.Tag.Get("json"), ",")
	return name, InBody, name != ""
}

func (b planner) field(sf reflect.StructField, name string, place Place) (*Field, error) {
	r, err := RuleOf(sf)
	if err != nil {
		return nil, err
	}
	f := &Field{Rule: r, Name: name, Place: place, Type: sf.Type, Index: sf.Index}
	switch {
	case IsOpt(sf.Type):
		f.opt, f.Nullable, f.Type = true, !r.NotNull, sf.Type.Field(2).Type
	case sf.Type.Kind() == reflect.Pointer:
		f.Nullable, f.Type = true, sf.Type.Elem()
	}
	if err := b.classify(f); err != nil {
		return nil, err
	}
	return f, f.consistent()
}

func (b planner) classify(f *Field) (err error) {
	if f.Class, err = classOf(f.Type); err != nil {
		return err
	}
	switch f.Class {
	case Object:
		f.Object, err = b.plan(f.Type)
	case List:
		f.Element = &Field{Name: f.Name, Type: f.Type.Elem(),
			Rule: Rule{Max: f.ItemMax, Enum: f.Enum, Format: f.Format, Line: f.Line, Plain: f.Plain, Raw: f.Raw}}
		f.Enum, f.Format = nil, ""
		if err = b.classify(f.Element); err == nil && f.Element.Class == List {
			err = fmt.Errorf("a list of lists is not supported; wrap the inner list in a struct")
		}
	}
	return err
}

// Numeric reports whether the values of f are numbers.
func (f *Field) Numeric() bool { return f.Class == Integer || f.Class == Number }

// consistent returns an error for rules that would not be enforced.
func (f *Field) consistent() error {
	numeric := f.Numeric()
	bare := !f.Nullable && !f.opt
	zeroIsValid := f.Class == Boolean || numeric && (f.Min == nil || *f.Min <= 0)
	switch {
	case f.Clamp && (!numeric || f.Max == nil):
		return fmt.Errorf("clamp needs a number with a max")
	case f.ItemMax != nil && (f.Class != List || f.Element.Class != Text):
		return fmt.Errorf("itemMax needs a list of texts")
	case f.Plain && f.Class != Text && (f.Class != List || f.Element.Class != Text):
		return fmt.Errorf("plain needs a text or a list of texts")
	case f.Place != InBody && (f.Class == List || f.Class == Object || f.Class == Value || f.opt):
		return fmt.Errorf("a path or query parameter is a single value or a pointer to one")
	case f.Required && bare && f.Place == InBody && zeroIsValid:
		return fmt.Errorf("required needs a pointer here, to distinguish the zero value from an absent member")
	case f.Default != "" && (f.Required || f.opt || f.Class > Time), f.Default != "" && f.Class == Boolean && bare:
		return fmt.Errorf("a default needs a member that is not required and whose zero value is not valid: use a pointer")
	case f.NotNull && !f.opt:
		return fmt.Errorf("notnull needs an Opt")
	case f.Class == Object && bare && !f.Required && slices.ContainsFunc(f.Object.Fields, func(f *Field) bool { return f.Required }):
		return fmt.Errorf("an optional object with required members must be a pointer or an Opt")
	case (f.Min != nil || f.Max != nil) && slices.Contains([]Class{Boolean, Time, Other, Object}, f.Class):
		return fmt.Errorf("min and max do not apply to this type")
	}
	if f.Default != "" {
		if err := f.Accepts(f.Default); err != nil {
			// Not %w: this is not an error of the caller.
			return fmt.Errorf("default: %v", err)
		}
	}
	return nil
}

// IsOpt reports whether t is an Opt.
func IsOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[Plan]().PkgPath() && strings.HasPrefix(t.Name(), "Opt[")
}

func classOf(t reflect.Type) (Class, error) {
	switch {
	case t == reflect.TypeFor[store.Time]():
		return Time, nil
	case t == reflect.TypeFor[jsontext.Value]():
		return Value, nil
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return Other, nil
	}
	switch t.Kind() {
	case reflect.String:
		return Text, nil
	case reflect.Bool:
		return Boolean, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Integer, nil
	case reflect.Float32, reflect.Float64:
		return Number, nil
	case reflect.Slice:
		return List, nil
	case reflect.Struct:
		return Object, nil
	}
	return 0, fmt.Errorf("an input cannot hold a %s; free-form JSON is a jsontext.Value", t)
}

// RuleOf parses the tags of sf.
func RuleOf(sf reflect.StructField) (r Rule, err error) {
	rule := reflect.ValueOf(&r).Elem()
	for i, name := range ruleTags {
		tag, ok := sf.Tag.Lookup(name)
		if !ok {
			continue
		}
		switch to := rule.Field(i).Addr().Interface().(type) {
		case *bool:
			if *to = tag == "true"; !*to {
				return r, fmt.Errorf("%s:%q: the only value is \"true\"", name, tag)
			}
		case **float64:
			n, err := strconv.ParseFloat(tag, 64)
			if err != nil {
				return r, fmt.Errorf("%s:%q is not a number", name, tag)
			}
			*to = &n
		case *[]string:
			*to = strings.Split(tag, "|")
		case *string:
			*to = tag
		}
	}
	if !slices.Contains([]string{"", "uuid", "email", "url", "date-time", "object"}, r.Format) {
		err = fmt.Errorf("format:%q is not one of uuid, email, url, date-time, object", r.Format)
	}
	return r, err
}

// ruleTags are in the order of the fields of Rule.
var ruleTags = []string{"required", "notnull", "clamp", "line", "plain", "raw", "any", "min", "max", "itemMax", "enum", "format",
	"default", "doc"}
