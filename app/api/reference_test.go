package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearth/app/core"
	"hearth/app/op"
)

// described is the part of the OpenAPI document that the reference has, too.
type described struct {
	Paths, Webhooks map[string]map[string]struct {
		Parameters []struct{ Name, In string }
		Responses  map[string]struct {
			Ref         string `json:"$ref"`
			Description string
			Content     map[string]struct{ Schema describedSchema }
		}
	}
	Components struct{ Schemas map[string]describedSchema }
}

type describedSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Items      *describedSchema
	AnyOf      []describedSchema
	Enum       []any
	Properties map[string]describedSchema
}

// name is that of the schema that s refers to, or "".
func (s describedSchema) name() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

func describedOf(t *testing.T, routes []Route) (d described) {
	t.Helper()
	b, err := OpenAPI(routes, "")
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The reference names the schema of each response as the OpenAPI document does, and
// whether it is a list of them.
func TestResponsesOfTheReference(t *testing.T) {
	routes := Routes(Described())
	d := describedOf(t, routes)
	s, err := schemasOf(routes)
	if err != nil {
		t.Fatal(err)
	}
	lists, objects := 0, 0
	for _, r := range routes {
		for _, a := range s.docsOf(r, "").Responses {
			schema := d.Paths[strings.ReplaceAll(r.Path, "...}",
				"}")][strings.ToLower(r.Method)].Responses[a.Status].Content["application/json"].Schema
			text := "JSON:"
			if schema.Items != nil {
				text, schema = "A JSON array, of", *schema.Items
			}
			if schema.name() == "" || r.stream() != nil {
				continue
			}
			if a.Schema != schema.name() || a.Text != text {
				t.Errorf("%s %s, %s: %q %s, want %q %s", r.Method, r.Path, a.Status, a.Text, a.Schema, text, schema.name())
			}
			if text == "JSON:" {
				objects++
			} else {
				lists++
			}
		}
	}
	if lists < 5 || objects < 50 {
		t.Errorf("%d lists and %d objects", lists, objects)
	}
}

// The reference describes the members of each schema with what it refers to, whether it
// may be null, and all words that it can be.
func TestSchemasOfTheReference(t *testing.T) {
	routes := Routes(Described())
	d := describedOf(t, routes)
	r, err := newReference(routes, "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, schema := range r.page.Schemas {
		for _, m := range schema.Members {
			p := d.Components.Schemas[schema.Name].Properties[m.Name]
			want, kind := "", ""
			switch {
			case p.Ref != "":
				kind, want = "reference", "object "+p.name()
			case len(p.AnyOf) > 0:
				kind, want = "or null", "null or object "+p.AnyOf[0].name()
			case len(p.Enum) > 0:
				var words []string
				for _, e := range p.Enum {
					if e != nil {
						words = append(words, fmt.Sprint(e))
					}
				}
				kind, want = "words", ": "+strings.Join(words, ", ")+" "
			}
			if got := m.Takes + " " + m.Schema; kind != "words" && want != "" && got != want || !strings.HasSuffix(got, want) {
				t.Errorf("%s.%s: %q, want %q", schema.Name, m.Name, got, want)
			}
			seen[kind]++
		}
	}
	for _, kind := range []string{"reference", "or null", "words"} {
		if seen[kind] < 5 {
			t.Errorf("%d members are %s", seen[kind], kind)
		}
	}
}

// The reference has the requests to webhooks behind the operations on webhooks, with
// all that the OpenAPI document says of them.
func TestWebhooksOfTheReference(t *testing.T) {
	routes := Routes(Described())
	d := describedOf(t, routes)
	r, err := newReference(routes, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range r.page.Sections {
		last := section.Rows[len(section.Rows)-1]
		event, ok := strings.CutPrefix(last.Path, "to your URL: ")
		if ok != (section.Name == webhookTag) {
			t.Errorf("%s ends with %s", section.Name, last.Path)
		}
		if !ok {
			continue
		}
		o := d.Webhooks[event]["post"]
		var members, statuses []string
		for _, m := range last.Members {
			members = append(members, m.Place+" "+m.Name+" "+m.Schema)
		}
		want := []string{}
		for _, p := range o.Parameters {
			want = append(want, p.In+" "+p.Name+" ")
		}
		if want = append(want, "body body WebhookDelivery"); !slices.Equal(members, want) || len(want) < 3 {
			t.Errorf("%s has %q, want %q", event, members, want)
		}
		for _, a := range last.Responses {
			statuses = append(statuses, a.Status)
			if a.Text != o.Responses[a.Status].Description || a.Text == "" {
				t.Errorf("%s is answered with %s: %s", event, a.Status, a.Text)
			}
		}
		if !slices.Equal(statuses, slices.Sorted(maps.Keys(o.Responses))) || len(statuses) < 2 {
			t.Errorf("%s is answered with %q", event, statuses)
		}
	}
}

// The command of each route has what the route requires: the parameters of the query,
// and members of the body, or all simple ones where none is required.
func TestCommandsOfTheReference(t *testing.T) {
	address, body := regexp.MustCompile(`'(http://x[^']*)'$`), regexp.MustCompile(`-d '(.*)' `)
	queries, optional := 0, 0
	for _, r := range Routes(Described()) {
		plan := r.Op.Info().Plan
		if plan == nil {
			continue
		}
		command := curl(r, "http://x")
		u, err := url.Parse(address.FindStringSubmatch(command)[1])
		if err != nil {
			t.Fatal(err)
		}
		var query, members []string
		for _, f := range plan.Fields {
			switch {
			case f.Place == core.InQuery && f.Required:
				query = append(query, f.Name)
			case f.Place == core.InBody && (f.Required || !requiresBody(plan) && f.Object == nil):
				members = append(members, f.Name)
			}
		}
		slices.Sort(query)
		slices.Sort(members)
		if got := slices.Sorted(maps.Keys(u.Query())); !slices.Equal(got, query) || strings.Contains(command, "?'") {
			t.Errorf("%s %s has the query %q, want %q", r.Method, r.Path, got, query)
		}
		var sent map[string]any
		if m := body.FindStringSubmatch(command); m != nil && json.Unmarshal([]byte(strings.ReplaceAll(m[1], `'\''`, "'")), &sent) != nil {
			t.Errorf("%s %s sends %s", r.Method, r.Path, m[1])
		}
		if got := slices.Sorted(maps.Keys(sent)); r.operation() != nil && !slices.Equal(got, members) {
			t.Errorf("%s %s sends %q, want %q", r.Method, r.Path, got, members)
		}
		queries += len(query)
		if !requiresBody(plan) {
			optional += len(members)
		}
	}
	if queries < 3 || optional < 10 {
		t.Errorf("%d parameters and %d members that are not required", queries, optional)
	}
	for _, f := range []*core.Field{{Class: core.Integer}, {Class: core.Integer, Rule: core.Rule{Min: new(5.0)}}} {
		if got, want := fmt.Sprint(sample(f)), "1"; f.Min == nil && got != want || f.Min != nil && got != "5" {
			t.Errorf("a number of at least %v is %v", f.Min, got)
		}
	}
}

// The section of a path is its first word that says something.
func TestSectionsOfPaths(t *testing.T) {
	for path, want := range map[string]string{"/api": "api", "/chat": "chat", "/api/chat/events": "conversations",
		"/api/chat/messages/{id}": "messages", "/health": "server"} {
		if got := tag(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Further statuses of a stream are errors from 400 on, with the body of errors.
func TestFurtherStatuses(t *testing.T) {
	file := Stream((&shelf{}).File, op.Spec{Summary: "Get a file", Guard: op.Public, Hints: op.ReadOnly},
		Response{Type: "text/plain", Doc: "Text.", Also: []int{304, 400, 416}})
	d := describedOf(t, []Route{{"GET", "/file", 200, file}})
	for status, want := range map[string]string{"304": "", "400": "#/components/responses/BadRequest",
		"416": "#/components/responses/RequestedRangeNotSatisfiable"} {
		if got := d.Paths["/file"]["get"].Responses[status].Ref; got != want {
			t.Errorf("%s is %q, want %q", status, got, want)
		}
	}
}
