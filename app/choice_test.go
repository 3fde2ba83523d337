package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"hearth/app"
)

// The empty text is no value of a member with an enum, in no operation and no tool:
// it is refused, and does not count as absent.
func TestEmptyChoices(t *testing.T) {
	staged := callStage(t)
	db := staged.snapshot()
	site := newOtherSite(t)
	tried := 0
	for _, o := range readOperations(t, staged, site.URL) {
		for _, c := range emptyChoices(o) {
			tried++
			t.Run(strings.ReplaceAll(o.name()+" "+c.member, "/", "|"), func(t *testing.T) {
				w := staged.copy(t, db, func(c *app.Config) { c.NoRateLimits = true })
				r := newRound(w, 1, 0, []*operation{o}, newCallTable([]*operation{o}))
				call := r.base(o)
				if c.query {
					call.path += c.separator(call.path) + c.member + "="
				} else {
					call.body = withMember(t, call.body, c.member, "")
				}
				res := r.send(call)
				want := `"field":"` + c.member + `"`
				if o.method == "TOOL" {
					want = c.member + " must be "
				}
				if o.method != "TOOL" && res.status != 400 || !strings.Contains(string(res.body), want) &&
					!strings.Contains(string(res.body), c.member+" is required") {
					t.Errorf("%s: got %d %s", call, res.status, res.body)
				}
			})
		}
	}
	if tried < 40 {
		t.Errorf("only %d members with an enum were found", tried)
	}
}

// choice is a member of a call with an enum.
type choice struct {
	member string
	query  bool
}

func (choice) separator(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}

// emptyChoices returns the texts with an enum that a call of o takes.
func emptyChoices(o *operation) (all []choice) {
	for _, p := range o.params {
		if p.Value.In == "query" && len(p.Value.Schema.Value.Enum) > 0 {
			all = append(all, choice{p.Value.Name, true})
		}
	}
	if o.body == nil {
		return all
	}
	body := schemaOf(o.body)
	for name, p := range body.Properties {
		if isChoice(p.Value) {
			all = append(all, choice{member: name})
		}
	}
	slices.SortFunc(all, func(a, b choice) int { return strings.Compare(a.member, b.member) })
	return all
}

func isChoice(s *openapi3.Schema) bool { return s.Type.Includes("string") && len(s.Enum) > 0 }

// withMember returns the object in body with a member; an empty body counts as {}.
func withMember(t *testing.T, body, name string, value any) string {
	object := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &object); err != nil {
			t.Fatal(err)
		}
	}
	object[name] = value
	return encoded(object)
}
