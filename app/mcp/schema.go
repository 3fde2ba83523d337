package mcp

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/app/op"
)

// shapes derives the schemas of tools. The list of tools is read by models with
// every request, so what is described elsewhere or follows from a name is left
// out of it.
type shapes struct {
	schemas    *op.Schemas
	components map[string]*jsonschema.Schema
	tool       string // whose result is described
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

// input returns the schema of the arguments of t.
func (s *shapes) input(t *tool) (*jsonschema.Schema, error) {
	o := objectOf(true)
	for _, p := range t.params {
		rule := p.field.Rule
		v, err := s.schemas.Value(p.field.Type, rule)
		if err != nil {
			return nil, err
		}
		v = s.inlined(v, false)
		v.MinLength = nil // required says that it is not empty
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

// output returns the schema of the results of t.
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
	required := o.Required
	s.tool = t.Name
	o = s.inlined(o, true)
	o.Required = required
	if t.notice != "" {
		o.Properties["notice"] = &jsonschema.Schema{Type: "string"}
		o.PropertyOrder = append([]string{"notice"}, o.PropertyOrder...)
	}
	return o, nil
}

// describedBy has, for objects that many tools return, the one that describes
// their members.
func describedBy() map[string]string {
	return map[string]string{"List": "get_list", "Item": "get_item"}
}

// inlined returns a copy of the schema of a value in which components stand
// where they are used. A brief one has the names and the types of members only.
func (s *shapes) inlined(in *jsonschema.Schema, brief bool) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(in.Ref, "#/components/schemas/"); ok {
		doc := in.Description
		if by := describedBy()[name]; brief && by != "" && by != s.tool {
			return &jsonschema.Schema{Type: "object", Description: "As from " + by + "."}
		}
		in = s.inlined(s.components[name], brief)
		if in.Description == "" && !brief {
			in.Description = doc
		}
		return in
	}
	out := *in
	if len(in.Types) == 2 {
		// Some clients know schemas with a single type only.
		out.Types, out.AnyOf = nil, []*jsonschema.Schema{{Type: in.Types[0]}, {Type: in.Types[1]}}
	}
	if out.Format == "uri" || out.Format == "object" || brief {
		out.Format = ""
	}
	if brief {
		out.Description, out.Enum, out.Required = "", nil, nil
		out.MinLength, out.MaxLength, out.MinItems, out.MaxItems, out.Minimum, out.Maximum = nil, nil, nil, nil, nil, nil
	}
	if in.Items != nil {
		out.Items = s.inlined(in.Items, brief)
	}
	if in.Properties != nil {
		out.Properties = map[string]*jsonschema.Schema{}
		for name, p := range in.Properties {
			out.Properties[name] = s.inlined(p, brief)
		}
	}
	return &out
}
