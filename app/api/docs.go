package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
	"hearth/app/op"
)

//go:embed docs.html
var docsTemplate string

type (
	docsPage struct {
		Look     docsLook
		Sections []docsSection
		Schemas  []docsSchema
	}
	docsLook   struct{ Name, Picture, Theme string }
	docsSchema struct {
		Name    string
		Members []docsMember
	}
	docsSection struct {
		Name string
		Rows []docsRow
	}
	docsRow struct {
		ID, Method, Path, Summary, About, Curl string
		Members                                []docsMember
		Responses                              []docsResponse
	}
	docsMember struct {
		Name, Place, Takes, Schema, Doc string
		Required                        bool
	}
	docsResponse struct{ Status, Text, Schema string }
)

type reference struct {
	template *template.Template
	page     docsPage
}

// newReference makes the page of the OpenAPI document.
func newReference(routes []Route, baseURL string) *reference {
	d := describe(routes, baseURL)
	var page docsPage
	for _, r := range routes {
		row := d.row(r.Method, r.Path, d.of(r))
		row.Curl = curl(r, cmp.Or(baseURL, "http://127.0.0.1:8080"))
		page.add(tag(r.Path), row)
	}
	for event, methods := range d.Webhooks {
		page.add(webhookTag, d.row("POST", "to your URL: "+event, methods["post"]))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		page.Schemas = append(page.Schemas, docsSchema{name, members(d.Components.Schemas[name], "")})
	}
	return &reference{template.Must(template.New("docs").Parse(docsTemplate)), page}
}

func (p *docsPage) add(section string, row docsRow) {
	i := slices.IndexFunc(p.Sections, func(n docsSection) bool { return n.Name == section })
	if i < 0 {
		i = len(p.Sections)
		p.Sections = append(p.Sections, docsSection{Name: section})
	}
	p.Sections[i].Rows = append(p.Sections[i].Rows, row)
}

func (r *reference) in(look docsLook) (document, error) {
	page := r.page
	page.Look = look
	var b bytes.Buffer
	err := r.template.Execute(&b, &page)
	return newDocument("text/html; charset=utf-8", b.Bytes()), err
}

func (d *specDoc) row(method, path string, o *specOp) docsRow {
	row := docsRow{
		ID:     strings.ToLower(method) + strings.NewReplacer("/", "-", "{", "", "}", "", ".", "", " ", "").Replace(path),
		Method: method, Path: path, Summary: o.Summary, About: strings.ReplaceAll(o.Description, "`", ""),
	}
	for _, p := range o.Parameters {
		row.Members = append(row.Members, memberOf(p.Name, p.In, p.Description, p.Schema, p.Required))
	}
	if o.RequestBody != nil {
		for _, media := range o.RequestBody.Content {
			schema := media.Schema
			if name, ok := strings.CutPrefix(schema.Ref, op.SchemaPrefix); ok {
				schema = d.Components.Schemas[name]
			}
			row.Members = append(row.Members, members(schema, "body")...)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status == "500" || status == "503" {
			continue // documented once, at the top
		}
		res := o.Responses[status]
		if name, ok := strings.CutPrefix(res.Ref, "#/components/responses/"); ok {
			row.Responses = append(row.Responses, docsResponse{status, d.Components.Responses[name].Description, ""})
			continue
		}
		a := docsResponse{Status: status, Text: res.Description}
		if media, ok := res.Content["application/json"]; ok {
			var kind string
			kind, a.Schema = typeText(media.Schema)
			a.Text = strings.TrimSuffix(a.Text, ".") + ": " + kind
		}
		row.Responses = append(row.Responses, a)
	}
	return row
}

// members describes the properties of an object.
func members(s *jsonschema.Schema, place string) (all []docsMember) {
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		all = append(all, memberOf(name, place, p.Description, p, slices.Contains(s.Required, name)))
	}
	return all
}

func memberOf(name, place, doc string, s *jsonschema.Schema, required bool) docsMember {
	m := docsMember{Name: name, Place: place, Doc: doc, Required: required}
	if m.Takes, m.Schema = typeText(s); s.Default != nil {
		m.Takes += "; " + strings.Trim(string(s.Default), `"`) + " if omitted"
	}
	return m
}

func typeText(p *jsonschema.Schema) (text, schema string) {
	if name, ok := strings.CutPrefix(p.Ref, op.SchemaPrefix); ok {
		return "object", name
	}
	if len(p.AnyOf) > 0 {
		text, schema = typeText(p.AnyOf[0])
		return "null or " + text, schema
	}
	kind := cmp.Or(p.Type, "any JSON value")
	if len(p.Types) > 0 {
		kind = strings.Join(p.Types, " or ")
	}
	kind += span(p.MinLength, p.MaxLength, "characters") + span(p.MinItems, p.MaxItems, "elements") + span(p.Minimum, p.Maximum, "")
	switch {
	case p.Items != nil:
		text, schema = typeText(p.Items)
		return kind + " of " + text, schema
	case len(p.Enum) > 0:
		words := []string{}
		for _, e := range p.Enum {
			if e != nil {
				words = append(words, fmt.Sprint(e))
			}
		}
		return kind + ": " + strings.Join(words, ", "), ""
	case p.Format != "":
		return kind + " (" + p.Format + ")", ""
	}
	return kind, ""
}

func span[N int | float64](least, most *N, unit string) string {
	switch {
	case least != nil && most != nil:
		return strings.TrimSuffix(fmt.Sprintf(" (%v to %v %s", *least, *most, unit), " ") + ")"
	case most != nil:
		return strings.TrimSuffix(fmt.Sprintf(" (at most %v %s", *most, unit), " ") + ")"
	case least != nil:
		return strings.TrimSuffix(fmt.Sprintf(" (at least %v %s", *least, unit), " ") + ")"
	}
	return ""
}

func curl(r Route, baseURL string) string {
	plan := r.Op.Info().Plan
	var b strings.Builder
	b.WriteString("curl ")
	if r.Method != http.MethodGet {
		b.WriteString("-X " + r.Method + " ")
	}
	if !r.Op.Info().Guard.Open() {
		b.WriteString("-H 'Authorization: Bearer $TOKEN' ")
	}
	address := baseURL + r.Path
	if plan != nil {
		query := url.Values{}
		for _, f := range plan.Fields {
			if f.Place == core.InQuery && f.Required {
				query.Set(f.Name, fmt.Sprint(sample(f)))
			}
		}
		if len(query) > 0 {
			address += "?" + query.Encode()
		}
	}
	if r.operation() != nil && hasBody(plan) {
		body, _ := json.Marshal(sampleObject(plan), json.Deterministic(true), jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true))
		b.WriteString("-H 'Content-Type: application/json' -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "' ")
	}
	if r.requestType() == anyType {
		b.WriteString("--data-binary @list.json ")
	} else if r.requestType() != "" {
		b.WriteString("-F file=@photo.jpg ")
	}
	if r.IsEventStream() {
		b.WriteString("-N ")
	}
	b.WriteString("'" + address + "'")
	return strings.ReplaceAll(b.String(), "'Authorization: Bearer $TOKEN'", `"Authorization: Bearer $TOKEN"`)
}

func sampleObject(p *core.Plan) map[string]any {
	all := !requiresBody(p)
	o := map[string]any{}
	for _, f := range p.Fields {
		if f.Place == core.InBody && (f.Required || all && f.Object == nil) {
			o[f.Name] = sample(f)
		}
	}
	return o
}

func sample(f *core.Field) any {
	switch f.Class {
	case core.Boolean:
		return true
	case core.Integer, core.Number:
		if f.Min != nil {
			return *f.Min
		}
		return 1
	case core.Time:
		return "2026-11-20T09:40:08Z"
	case core.List:
		return []any{sample(f.Element)}
	case core.Object:
		return sampleObject(f.Object)
	case core.Value:
		return map[string]any{}
	}
	if len(f.Enum) > 0 {
		return f.Enum[0]
	}
	switch f.Format {
	case "uuid":
		return "9f1c2d34-5b6a-4c7d-8e9f-0a1b2c3d4e5f"
	case "email":
		return "name@example.org"
	case "url":
		return "https://example.org/"
	case "date-time":
		return "2026-11-20T09:40:08Z"
	}
	return f.Name
}
