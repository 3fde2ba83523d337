package mcp

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
)

// encode leaves out null members: they only cost a model tokens.
func (t *tool) encode(out any) ([]byte, error) {
	if _, none := out.(*core.None); none {
		return []byte(`{"done":true}`), nil
	}
	b, err := json.Marshal(out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	var short bytes.Buffer
	if err := copyShort(jsontext.NewEncoder(&short), jsontext.NewDecoder(bytes.NewReader(b))); err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(short.Bytes())
	if t.notice == "" {
		return b, nil
	}
	notice, err := json.Marshal(t.notice)
	return slices.Concat([]byte(`{"notice":`), notice, []byte(","), b[1:]), err
}

// Metadata, which users wrote, stays as it is.
func copyShort(to *jsontext.Encoder, from *jsontext.Decoder) error {
	kind := from.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := from.ReadValue()
		if err != nil {
			return err
		}
		return to.WriteValue(v)
	}
	if err := copyToken(to, from); err != nil {
		return err
	}
	for from.PeekKind() != '}' && from.PeekKind() != ']' {
		if kind == '{' {
			done, err := copyMember(to, from)
			if err != nil {
				return err
			}
			if done {
				continue
			}
		}
		if err := copyShort(to, from); err != nil {
			return err
		}
	}
	return copyToken(to, from)
}

func copyMember(to *jsontext.Encoder, from *jsontext.Decoder) (done bool, err error) {
	name, err := from.ReadToken()
	if err != nil {
		return false, err
	}
	text := name.String()
	if from.PeekKind() == 'n' {
		return true, from.SkipValue()
	}
	if err := to.WriteToken(jsontext.String(text)); err != nil || text != "metadata" {
		return false, err
	}
	v, err := from.ReadValue()
	if err != nil {
		return false, err
	}
	return true, to.WriteValue(v)
}

func copyToken(to *jsontext.Encoder, from *jsontext.Decoder) error {
	t, err := from.ReadToken()
	if err != nil {
		return err
	}
	return to.WriteToken(t)
}
