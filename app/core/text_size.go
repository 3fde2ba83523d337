package core

import "reflect"

// TextSize returns how many bytes the texts and the free-form JSON of in take, a
// pointer to a struct of the plan's type: what a write that stores them adds to the
// database, but for its indexes.
func (p *Plan) TextSize(in any) int { return p.textSize(reflect.ValueOf(in).Elem()) }

func (p *Plan) textSize(v reflect.Value) (n int) {
	for _, f := range p.Fields {
		n += f.textSize(v.FieldByIndex(f.Index))
	}
	return n
}

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
	case Text, Value:
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
