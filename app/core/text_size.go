package core

import (
	"reflect"
	"slices"
)

// TextSize returns how many bytes the texts and the free-form JSON of in take, a
// pointer to a struct of the plan's type: what a write that stores them adds to the
// database, but for its indexes. Ids, and texts that are one of a few words, do not count.
func (p *Plan) TextSize(in any) int { return p.textSize(reflect.ValueOf(in).Elem()) }

func (p *Plan) textSize(v reflect.Value) (n int) {
	for _, f := range p.Fields {
		if f.Place == InBody {
			n += f.textSize(v.FieldByIndex(f.Index))
		}
	}
	return n
}

// HasText reports whether there is an input of the plan's type with a TextSize.
func (p *Plan) HasText() bool { return slices.ContainsFunc(p.Fields, (*Field).hasText) }

func (f *Field) hasText() bool {
	switch f.Class {
	case Text:
		return f.Place == InBody && f.isText()
	case List:
		return f.Element.hasText()
	case Object:
		return f.Object.HasText()
	}
	return f.Class == Value
}

// isText reports whether a Text is what somebody writes.
func (f *Field) isText() bool { return len(f.Enum) == 0 && f.Format != "uuid" }

func (f *Field) textSize(v reflect.Value) (n int) {
	if f.opt {
		v = v.Field(2)
	} else if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return 0
		}
		v = v.Elem()
	}
	switch f.Class {
	case Text:
		if f.isText() {
			return v.Len()
		}
	case Value:
		return v.Len()
	case List:
		for i := range v.Len() {
			n += f.Element.textSize(v.Index(i))
		}
	case Object:
		return f.Object.textSize(v)
	}
	return n
}
