package mcp

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/app/op"
)

// Models read the schemas with every request, so repeated or obvious descriptions are left out.

func (t *tool) input() *jsonschema.Schema {
	o := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, f := range t.params {
		name, rule := t.argument(f), f.Rule
		// A model respects the maximum and needs no sentence about larger values.
		rule.Clamp = false
		v := new(op.Schemas).Value(f.Type, rule)
		shorten(v)
		if rule.Default != "" && rule.Max != nil {
			v.Description = "" // for a limit the bounds say everything
		}
		o.Properties[name], o.PropertyOrder = v, append(o.PropertyOrder, name)
		if rule.Required || f.Place == core.InPath {
			o.Required = append(o.Required, name)
		}
	}
	if !t.NoKey {
		o.Properties[keyArgument] = &jsonschema.Schema{Type: "string"}
		o.PropertyOrder = append(o.PropertyOrder, keyArgument)
	}
	return o
}

func shorten(s *jsonschema.Schema) {
	doc, _, _ := strings.Cut(s.Description, ". ")
	doc, _, _ = strings.Cut(doc, "; ")
	s.Description = strings.TrimSuffix(doc, ".")
	if len(s.Types) == 2 { // nullable
		s.Type, s.Types = s.Types[0], nil
	}
	s.MinLength, s.MinItems = nil, nil
	if s.Minimum != nil && *s.Minimum <= 1 {
		s.Minimum = nil
	}
	if s.Format == "uri" || s.Format == "object" {
		s.Format = ""
	}
	if s.Items != nil {
		shorten(s.Items)
	}
	for _, p := range s.Properties {
		shorten(p)
	}
}

// results derives the schemas of results: the names and types of the members. The first tool that returns an object
// describes it for all.
type results struct {
	schemas *op.Schemas
	all     map[string]*jsonschema.Schema
	by      map[string]string // the tool that describes the object of a name
}

func newResults(rows []Tool) *results {
	var outs []reflect.Type
	for _, row := range rows {
		outs = append(outs, row.Op.Info().Out)
	}
	schemas := op.NewSchemas(nil, outs)
	return &results{schemas, schemas.Components(), map[string]string{}}
}

func (r *results) of(t *tool) *jsonschema.Schema {
	out := t.Op.Info().Out
	if out == reflect.TypeFor[core.None]() {
		return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"done": {Type: "boolean"}}}
	}
	o := r.bare(r.schemas.Object(out), t.Name)
	if t.notice != "" {
		o.Properties["notice"] = &jsonschema.Schema{Type: "string"}
		o.PropertyOrder = append([]string{"notice"}, o.PropertyOrder...)
	}
	return o
}

func (r *results) bare(s *jsonschema.Schema, tool string) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(s.Ref, op.SchemaPrefix); ok {
		if by := r.by[name]; by != "" {
			return &jsonschema.Schema{Type: "object", Description: "As from " + by}
		}
		r.by[name] = tool
		return r.bare(r.all[name], tool)
	}
	out := &jsonschema.Schema{Type: s.Type, PropertyOrder: s.PropertyOrder, AdditionalProperties: s.AdditionalProperties}
	if len(s.Types) == 2 { // nullable, but results leave null out
		out.Type = s.Types[0]
	}
	if s.Items != nil {
		out.Items = r.bare(s.Items, tool)
	}
	if s.Properties != nil {
		out.Properties = map[string]*jsonschema.Schema{}
	}
	for _, name := range s.PropertyOrder {
		out.Properties[name] = r.bare(s.Properties[name], tool)
	}
	return out
}
