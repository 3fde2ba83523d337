package api

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"hearth/app/core"
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
		ID, Method, Path, Summary, Who string
		About                          string
		Members                        []docsMember
		Responses                      []docsResponse
		Curl                           string
	}
	docsMember struct {
		Name, Place, Takes, Schema, Doc string
		Required                        bool
	}
	docsResponse struct {
		Status, Text, Schema string
	}
)

type reference struct {
	template *template.Template

	mu   sync.Mutex
	page docsPage
	made document // its kind is "" before it is first read
}

func newReference(routes []Route, baseURL string) (*reference, error) {
	t, err := template.New("docs").Parse(docsTemplate)
	if err != nil {
		return nil, err
	}
	s, err := schemasOf(routes)
	if err != nil {
		return nil, err
	}
	var page docsPage
	if page.Schemas, err = s.responseSchemas(); err != nil {
		return nil, err
	}
	for _, r := range routes {
		row := s.docsOf(r, cmp.Or(baseURL, "http://127.0.0.1:8080"))
		name := tag(r.Path)
		i := slices.IndexFunc(page.Sections, func(n docsSection) bool { return n.Name == name })
		if i < 0 {
			i = len(page.Sections)
			page.Sections = append(page.Sections, docsSection{Name: name})
		}
		page.Sections[i].Rows = append(page.Sections[i].Rows, row)
	}
	deliveries, err := s.webhookDocs(routes)
	if err != nil {
		return nil, err
	}
	for i := range page.Sections {
		if page.Sections[i].Name == webhookTag {
			page.Sections[i].Rows = append(page.Sections[i].Rows, deliveries...)
		}
	}
	return &reference{template: t, page: page}, nil
}

func (r *reference) in(look docsLook) (document, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made.kind != "" && r.page.Look == look {
		return r.made, nil
	}
	r.page.Look, r.made = look, document{}
	var b bytes.Buffer
	err := r.template.Execute(&b, &r.page)
	if err == nil {
		r.made = newDocument("text/html; charset=utf-8", b.Bytes())
	}
	return r.made, err
}

func (s *schemas) docsOf(r Route, baseURL string) docsRow {
	info := r.Op.Info()
	row := docsRow{
		ID:     strings.ToLower(r.Method) + strings.NewReplacer("/", "-", "{", "", "}", "", ".", "").Replace(r.Path),
		Method: r.Method, Path: r.Path, Summary: info.Summary, Who: strings.ReplaceAll(info.Guard.Who(), "`", ""),
	}
	if info.Plan != nil {
		row.Members = members(info.Plan, "")
	}
	for _, status := range r.statuses() {
		a := docsResponse{Status: strconv.Itoa(status)}
		a.Text, a.Schema = s.successText(r, status)
		row.Responses = append(row.Responses, a)
	}
	for _, status := range r.errorStatuses() {
		if status == http.StatusInternalServerError || status == http.StatusServiceUnavailable {
			continue // documented once, at the top
		}
		row.Responses = append(row.Responses, docsResponse{strconv.Itoa(status), errorText(status), ""})
	}
	row.Curl = curl(r, baseURL)
	return row
}

func (s *schemas) successText(r Route, status int) (text, schema string) {
	switch {
	case r.stream() != nil:
		return r.stream().doc.Doc, ""
	case status == http.StatusNoContent:
		return "No body.", ""
	}
	t, text := r.bodyOf(status), "JSON:"
	if core.IsPage(t) {
		t = t.Field(0).Type
	}
	if t.Kind() == reflect.Slice {
		t, text = t.Elem(), "A JSON array, of"
	}
	if schema = s.Name(t); schema == "" {
		return "A JSON object.", ""
	}
	return text, schema
}

func (s *schemas) responseSchemas() (all []docsSchema, err error) {
	for name, t := range s.ResponseShapes() {
		o, err := s.Object(t)
		if err != nil {
			return nil, err
		}
		schema := docsSchema{Name: name}
		for _, member := range o.PropertyOrder {
			p := o.Properties[member]
			m := docsMember{Name: member, Doc: p.Description, Required: slices.Contains(o.Required, member)}
			m.Takes, m.Schema = typeText(p)
			schema.Members = append(schema.Members, m)
		}
		all = append(all, schema)
	}
	slices.SortFunc(all, func(a, b docsSchema) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func typeText(p *jsonschema.Schema) (text, schema string) {
	if name, ok := strings.CutPrefix(p.Ref, "#/components/schemas/"); ok {
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

func members(p *core.Plan, at string) (all []docsMember) {
	for _, f := range p.Fields {
		m := docsMember{Name: at + f.Name, Place: [...]string{"body", "path", "query", "header"}[f.Place], Takes: f.Expects(), Doc: f.Doc,
			Required: f.Required || f.Place == core.InPath}
		if f.Place == core.InPath && isID(f.Name) {
			m.Takes = "an id"
		}
		if f.Default != "" {
			m.Takes += "; " + f.Default + " if omitted"
		}
		if f.Clamp {
			m.Takes += fmt.Sprintf("; values above %g are lowered to %g", *f.Max, *f.Max)
		}
		if f.Nullable && f.Place == core.InBody && !f.Required {
			m.Takes += "; or null"
		}
		all = append(all, m)
		switch {
		case f.Object != nil && f.Object != p:
			all = append(all, members(f.Object, m.Name+".")...)
		case f.Element != nil && f.Element.Object != nil && f.Element.Object != p:
			all = append(all, members(f.Element.Object, m.Name+"[].")...)
		}
	}
	return all
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
	address := baseURL + strings.ReplaceAll(r.Path, "...}", "}")
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
