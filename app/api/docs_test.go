package api

import (
	"strings"
	"testing"

	"hearth/app/core"
)

// The reference describes each member of every route by what its plan says, and those
// of nested objects and lists behind it.
func TestMembersOfTheReference(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Routes(Described()) {
		plan := r.Op.Info().Plan
		if plan == nil {
			continue
		}
		all := members(plan, "")
		for _, f := range plan.Fields {
			if len(all) == 0 || all[0].Name != f.Name {
				t.Fatalf("%s: %s is missing before %v", r.Path, f.Name, all)
			}
			m := all[0]
			all = all[1:]
			says := func(what string, want bool) {
				t.Helper()
				seen[what] = seen[what] || want
				if strings.Contains(m.Takes+"; ", what) != want {
					t.Errorf("%s %s: %s takes %q, which has %q: %v", r.Method, r.Path, f.Name, m.Takes, what, !want)
				}
			}
			inPath := f.Place == core.InPath
			if inPath {
				says("an id; ", isID(f.Name))
			}
			says(" if omitted; ", f.Default != "")
			says(" are lowered to ", f.Clamp)
			says("; or null; ", f.Nullable && f.Place == core.InBody && !f.Required && !f.NotNull)
			seen["not null"] = seen["not null"] || f.NotNull
			if m.Required != (f.Required || inPath) || !inPath && strings.HasPrefix(m.Takes, "an id; ") != strings.HasPrefix(f.Expects()+"; ",
				"an id; ") {
				t.Errorf("%s %s: %s is required: %v, takes %q", r.Method, r.Path, f.Name, m.Required, m.Takes)
			}
			nested := 0
			for len(all) > 0 && (strings.HasPrefix(all[0].Name, f.Name+".") || strings.HasPrefix(all[0].Name, f.Name+"[].")) {
				nested, all = nested+1, all[1:]
			}
			object := f.Object
			if object == nil && f.Element != nil {
				object = f.Element.Object
			}
			if has := object != nil && object != plan && len(object.Fields) > 0; has != (nested > 0) {
				t.Errorf("%s %s: %s has %d members", r.Method, r.Path, f.Name, nested)
			} else if has {
				seen["nested"] = true
			}
		}
		if len(all) > 0 {
			t.Errorf("%s %s: %v belongs to nothing", r.Method, r.Path, all)
		}
	}
	for what, some := range seen {
		if !some {
			t.Errorf("no member of a route says %q", what)
		}
	}
}
