package core

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Check checks in with the plan of its type. It is for structs from elsewhere, such as the command line: operations
// check their own inputs.
func Check(in any) error {
	v := reflect.ValueOf(in)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("core.Check: %T is not a pointer to a struct", in)
	}
	p, err := PlanOf(v.Type().Elem())
	if err != nil {
		return err
	}
	return p.Check(in)
}

// Check validates and normalizes in, a pointer to a struct of the plan's type, by the tags of its fields.
//
// It trims texts, refuses NUL and invalid UTF-8, sets defaults and lowers clamped numbers. It enforces every rule of
// Rule. The first violation is an Invalid Error that names the member (items[2].content) and what is expected.
func (p *Plan) Check(in any) error { return p.check(reflect.ValueOf(in).Elem(), "") }

func (p *Plan) check(v reflect.Value, at string) error {
	for _, f := range p.Fields {
		if err := f.check(v.FieldByIndex(f.Index), at+f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Fill sets v, the field's value in an addressable struct, from the text of a parameter, and checks it. An explicit
// zero is checked against the limits and does not count as absent.
func (f *Field) Fill(v reflect.Value, s string) error {
	if f.Nullable {
		v.Set(reflect.New(f.Type))
		v = v.Elem()
	}
	if err := f.Parse(v, s); err != nil {
		return err
	}
	return f.value(v, f.Name)
}

func (f *Field) check(v reflect.Value, name string) error {
	switch {
	case f.opt:
		if v.Field(1).Bool() && f.NotNull {
			return InvalidField(name, "%s cannot be null. Omit it to leave it unchanged.", name)
		}
		if !v.Field(0).Bool() || v.Field(1).Bool() {
			return f.absent(reflect.Value{}, name)
		}
		v = v.Field(2)
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return f.absent(v, name)
		}
		v = v.Elem()
	default:
		if f.Class == Text {
			given := v.String()
			if v.SetString(f.clean(given)); len(f.Enum) > 0 && given != "" && v.String() == "" {
				return f.NoChoice(name)
			}
		}
		if f.emptyIsAbsent(v) {
			return f.absent(v, name)
		}
	}
	return f.value(v, name)
}

// emptyIsAbsent is always false for a boolean, and true for a number only with a default.
func (f *Field) emptyIsAbsent(v reflect.Value) bool {
	switch f.Class {
	case Boolean, Object:
		return false
	case Integer, Number:
		return f.Default != "" && v.IsZero()
	case Value:
		return v.Len() == 0 || v.Interface().(jsontext.Value).Kind() == 'n'
	case Time:
		// A required parameter is present, so the zero is the year 1970, which is a valid time.
		return v.IsZero() && !(f.Required && f.Place == InQuery)
	}
	return v.IsZero()
}

func (f *Field) absent(v reflect.Value, name string) error {
	switch {
	case f.Default != "" && v.IsValid():
		if v.Kind() == reflect.Pointer {
			v.Set(reflect.New(f.Type))
			v = v.Elem()
		}
		return f.Parse(v, f.Default)
	case f.Required:
		return f.missing(name)
	case f.Class == Value && v.IsValid():
		v.SetZero()
	}
	return nil
}

func (f *Field) value(v reflect.Value, name string) error {
	switch f.Class {
	case Text:
		v.SetString(f.clean(v.String()))
		return f.text(v.String(), name)
	case Integer, Number:
		return f.number(v, name)
	case Value:
		return f.json(v.Interface().(jsontext.Value), name)
	case List:
		return f.list(v, name)
	case Object:
		return f.Object.check(v, name+".")
	}
	return nil
}

func (f *Field) text(s, name string) error {
	n := utf8.RuneCountInString(s)
	switch {
	// The database measures and compares texts up to their first NUL, and JSON cannot represent invalid UTF-8.
	case strings.Contains(s, "\x00"):
		return hasNUL(name)
	case !utf8.ValidString(s):
		return InvalidField(name, "%s must be valid UTF-8.", name)
	case f.Plain && unplain(s) != "":
		return InvalidField(name, "%s %s.", name, unplain(s))
	case f.outside(float64(n)):
		return f.hasSize(name, n)
	case len(f.Enum) > 0 && !slices.Contains(f.Enum, s), s != "" && !ValidFormat(f.Format, s):
		return f.mustBe(name)
	}
	return nil
}

func (f *Field) number(v reflect.Value, name string) error {
	n := v.Convert(reflect.TypeFor[float64]()).Float()
	switch {
	case f.Clamp && n > *f.Max:
		v.Set(reflect.ValueOf(*f.Max).Convert(v.Type()))
	case f.outside(n):
		return f.mustBe(name)
	}
	return nil
}

func (f *Field) json(v jsontext.Value, name string) error {
	n := utf8.RuneCount(v)
	switch {
	case f.Format == "object" && v.Kind() != '{', !v.IsValid():
		return f.mustBe(name)
	case f.outside(float64(n)):
		return f.hasSize(name, n)
	// JSON contains NUL only escaped. An escaped backslash before u0000 is no NUL, but is refused as well.
	case strings.Contains(string(v), `\u0000`):
		return hasNUL(name)
	}
	return nil
}

func (f *Field) list(v reflect.Value, name string) error {
	if n := v.Len(); f.outside(float64(n)) {
		return f.hasSize(name, n)
	}
	for i := range v.Len() {
		at := fmt.Sprintf("%s[%d]", name, i)
		if err := f.Element.value(v.Index(i), at); err != nil {
			return err
		}
		if f.Element.Class == Text && v.Index(i).String() == "" {
			return InvalidField(at, "%s must not be blank: send %s, or omit it.", at, f.Element.Expects())
		}
	}
	return nil
}

func (f *Field) outside(n float64) bool {
	return f.Min != nil && n < *f.Min || f.Max != nil && n > *f.Max
}

func (f *Field) missing(name string) error {
	return InvalidField(name, "%s is required: send %s.", name, f.Expects())
}

func (f *Field) mustBe(name string) error {
	return InvalidField(name, "%s must be %s.", name, f.Expects())
}

func (f *Field) hasSize(name string, n int) error {
	return InvalidField(name, "%s must be %s; this one has %d.", name, f.Expects(), n)
}

// NoChoice is the error for a member with an enum that is blank.
func (f *Field) NoChoice(name string) error {
	if f.Required {
		return f.missing(name)
	}
	return InvalidField(name, "%s must be %s, or left out.", name, f.Expects())
}

func hasNUL(name string) error {
	return InvalidField(name, "%s must not contain the NUL character; remove it.", name)
}
