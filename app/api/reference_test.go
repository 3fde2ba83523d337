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

// described is a part of the OpenAPI document.
type described struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Ref string `json:"$ref"`
		}
	}
}

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

// The reference has each member that a route takes, links only to schemas that it has, and ends the section on webhooks
// with what they receive.
func TestReferenceIsComplete(t *testing.T) {
	routes := Described()
	r := newReference(routes, "")
	page, err := r.in(docsLook{})
	if err != nil {
		t.Fatal(err)
	}
	html := string(page.body)
	links := regexp.MustCompile(`href="#(schema-[^"]*)"`).FindAllStringSubmatch(html, -1)
	for _, link := range links {
		if !strings.Contains(html, `id="`+link[1]+`"`) {
			t.Errorf("the reference has no %s", link[1])
		}
	}
	if len(links) < 100 {
		t.Errorf("%d links", len(links))
	}
	rows := map[string]docsRow{}
	for _, section := range r.page.Sections {
		for _, row := range section.Rows {
			rows[row.Method+" "+row.Path] = row
		}
		if last := section.Rows[len(section.Rows)-1]; strings.HasPrefix(last.Path, "to your URL: ") != (section.Name == webhookTag) {
			t.Errorf("%s ends with %s", section.Name, last.Path)
		}
	}
	for _, r := range routes {
		if plan := r.Op.Info().Plan; plan != nil {
			for _, f := range plan.Fields {
				row := rows[r.Method+" "+r.Path]
				if !slices.ContainsFunc(row.Members, func(m docsMember) bool { return m.Name == f.Name && m.Takes != "" }) {
					t.Errorf("%s %s does not have %s", r.Method, r.Path, f.Name)
				}
			}
		}
	}
}

// The command of each route has what the route requires: the parameters of the query,
// and members of the body, or all simple ones where none is required.
func TestCommandsOfTheReference(t *testing.T) {
	address, body := regexp.MustCompile(`'(http://x[^']*)'$`), regexp.MustCompile(`-d '(.*)' `)
	queries, optional := 0, 0
	for _, r := range Described() {
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
