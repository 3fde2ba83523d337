package mcp

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/app/op"
)

// shapes derives the schemas of tools. Models read them with every request, so repeated or obvious descriptions are
// left out.
type shapes struct {
	schemas    *op.Schemas
	components map[string]*jsonschema.Schema
	tool       string
}

func newShapes(rows []Tool) (*shapes, error) {
	var ins, outs []reflect.Type
	for _, row := range rows {
		ins, outs = append(ins, row.Op.Info().In), append(outs, row.Op.Info().Out)
	}
	schemas, err := op.NewSchemas(ins, outs)
	if err != nil {
		return nil, err
	}
	components, err := schemas.Components()
	return &shapes{schemas: schemas, components: components}, err
}

func (s *shapes) input(t *tool) (*jsonschema.Schema, error) {
	o := objectOf(true)
	for _, p := range t.params {
		rule := p.field.Rule
		// A model respects the maximum and needs no sentence about larger values.
		rule.Clamp = false
		v, err := s.schemas.Value(p.field.Type, rule)
		if err != nil {
			return nil, err
		}
		v = s.inlined(v, false)
		if rule.Default != "" && rule.Max != nil {
			v.Description = "" // for a limit the bounds say everything
		}
		o.Properties[p.name], o.PropertyOrder = v, append(o.PropertyOrder, p.name)
		if rule.Required || p.field.Place == core.InPath {
			o.Required = append(o.Required, p.name)
		}
	}
	if !t.NoKey {
		o.Properties[keyArgument] = &jsonschema.Schema{Type: "string"}
		o.PropertyOrder = append(o.PropertyOrder, keyArgument)
	}
	return o, nil
}

func (s *shapes) output(t *tool) (*jsonschema.Schema, error) {
	out := t.Op.Info().Out
	if out == reflect.TypeFor[core.None]() {
		o := objectOf(false)
		o.Properties["done"] = &jsonschema.Schema{Type: "boolean"}
		return o, nil
	}
	o, err := s.schemas.Object(out)
	if err != nil {
		return nil, err
	}
	s.tool = t.Name
	o = s.inlined(o, true)
	if t.notice != "" {
		o.Properties["notice"] = &jsonschema.Schema{Type: "string"}
		o.PropertyOrder = append([]string{"notice"}, o.PropertyOrder...)
	}
	return o, nil
}

// describedBy names the object that describes the members of a type that many tools return.
func describedBy() map[string]string {
	return map[string]string{"List": "get_list", "Item": "get_item", "FoundItem": "search"}
}

func brief(doc string) string {
	doc, _, _ = strings.Cut(doc, ". ")
	doc, _, _ = strings.Cut(doc, "; ")
	return strings.TrimSuffix(doc, ".")
}

func (s *shapes) inlined(in *jsonschema.Schema, result bool) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(in.Ref, "#/components/schemas/"); ok {
		doc := in.Description
		if by := describedBy()[name]; result && by != "" && by != s.tool {
			return &jsonschema.Schema{Type: "object", Description: "As from " + by}
		}
		in = s.inlined(s.components[name], result)
		if in.Description == "" && !result {
			in.Description = doc
		}
		return in
	}
	out := *in
	out.Description = brief(in.Description)
	if len(in.Types) == 2 { // nullable; results leave null out
		out.Type, out.Types = in.Types[0], nil
	}
	// A minimum of 0 is implied.
	out.MinLength, out.MinItems = nil, nil
	if out.Minimum != nil && *out.Minimum <= 1 {
		out.Minimum = nil
	}
	if out.Format == "uri" || out.Format == "object" || result {
		out.Format = ""
	}
	if result {
		out.Description, out.Enum, out.Required = "", nil, nil
		out.MaxLength, out.MaxItems, out.Maximum = nil, nil, nil
	}
	if in.Items != nil {
		out.Items = s.inlined(in.Items, result)
	}
	if in.Properties != nil {
		out.Properties = map[string]*jsonschema.Schema{}
		for name, p := range in.Properties {
			out.Properties[name] = s.inlined(p, result)
		}
	}
	return &out
}
