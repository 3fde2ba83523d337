package core

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeInput is DecodeObject for v, a pointer to a struct of the plan's type. It also refuses "" for a member with
// an enum: after decoding it looks like an absent member.
func (p *Plan) DecodeInput(b []byte, v any) error { return decodeObject(b, v, p.texts) }

func (p *Plan) refuseBlank(at jsontext.Pointer) error {
	if f := p.field(at); f != nil && f.Class == Text && len(f.Enum) > 0 {
		return f.NoChoice(memberName(at))
	}
	return nil
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

// NoChoice is the error for a member with an enum that is blank.
func (f *Field) NoChoice(name string) error {
	if f.Required {
		return InvalidField(name, "%s is required: send %s.", name, f.Expects())
	}
	return InvalidField(name, "%s must be %s, or left out.", name, f.Expects())
}
