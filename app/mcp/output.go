package mcp

import (
	"bytes"
	"errors"
	"io"
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
	if b, err = withoutNull(b); err != nil || t.notice == "" {
		return b, err
	}
	notice, err := json.Marshal(t.notice)
	return slices.Concat([]byte(`{"notice":`), notice, []byte(","), b[1:]), err
}

// Metadata, which users wrote, stays as it is.
func withoutNull(b []byte) ([]byte, error) {
	var short bytes.Buffer
	to, from := jsontext.NewEncoder(&short), jsontext.NewDecoder(bytes.NewReader(b))
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(short.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		kind, n := from.StackIndex(from.StackDepth())
		name := ""
		if kind == '{' && n%2 == 1 {
			name = token.String()
			if from.PeekKind() == 'n' {
				if err := from.SkipValue(); err != nil {
					return nil, err
				}
				continue
			}
			token = jsontext.String(name)
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
		if name == "metadata" {
			v, err := from.ReadValue()
			if err == nil {
				err = to.WriteValue(v)
			}
			if err != nil {
				return nil, err
			}
		}
	}
}
