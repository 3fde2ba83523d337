package core

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeInput is DecodeObject for v, a pointer to a struct of the plan's type. It also refuses "" for a member with
// an enum: after decoding it looks like an absent member.
func (p *Plan) DecodeInput(b []byte, v any) error {
	if err := DecodeObject(b, v); err != nil || !bytes.Contains(b, []byte(`""`)) {
		return err
	}
	return p.choices(jsontext.NewDecoder(bytes.NewReader(b)), "")
}

func (p *Plan) choices(dec *jsontext.Decoder, at string) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := p.body(token.String()).choice(dec, at+token.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (p *Plan) body(name string) *Field {
	for _, f := range p.Fields {
		if f.Place == InBody && f.Name == name {
			return f
		}
	}
	return nil
}

func (f *Field) choice(dec *jsontext.Decoder, name string) error {
	switch {
	case f != nil && f.Class == Object:
		return f.Object.choices(dec, name+".")
	case f != nil && f.Class == List && f.Element.Class == Object && dec.PeekKind() == '[':
		return f.Element.Object.choicesInList(dec, name)
	case f == nil || f.Class != Text || len(f.Enum) == 0:
		return dec.SkipValue()
	}
	value, err := dec.ReadValue()
	if err == nil && string(value) == `""` {
		err = f.NoChoice(name)
	}
	return err
}

func (p *Plan) choicesInList(dec *jsontext.Decoder, name string) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for n := 0; dec.PeekKind() != ']'; n++ {
		if err := p.choices(dec, elementName(name, n)+"."); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// NoChoice is the error for a member with an enum that is blank.
func (f *Field) NoChoice(name string) error {
	if f.Required {
		return InvalidField(name, "%s is required: send %s.", name, f.Expects())
	}
	return InvalidField(name, "%s must be %s, or left out.", name, f.Expects())
}
