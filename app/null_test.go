package app_test

import (
	"strings"
	"testing"

	"hearth/app"
	"hearth/app/api"
	"hearth/app/core"
)

// Null is no value of a switch: it is refused, and does not turn it off.
func TestNullSwitches(t *testing.T) {
	w := newWorld(t)
	w.token("root")
	w.ids["$id:group"] = idIn(t, w.want("ada", "POST", "/api/chat/conversations",
		`{"participantIds":["$id:ben"],"title":"Garden","open":true}`, 201, `"open":true`).body)
	w.want("ada", "PATCH", "/api/chat/conversations/$id:group", `{"open":null}`, 400, `"field":"open"`)
	w.want("ben", "GET", "/api/chat/conversations/$id:group", "", 200, `"open":true`)
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":true}`, 200, `"memberInvites":true`)
	w.want("root", "PATCH", "/api/admin/settings", `{"memberInvites":null}`, 400, `"field":"memberInvites"`)
	w.want("root", "GET", "/api/admin/settings", "", 200, `"memberInvites":true`)
}

// Null is no value of a member that is required, nor of one that keeps its value when it
// is left out and cannot be cleared: it is refused, with an error that names the member.
func TestNullIsRefused(t *testing.T) {
	w := callStage(t)
	w = w.copy(t, w.snapshot(), func(c *app.Config) { c.NoRateLimits = true })
	operations := readOperations(t, w, newOtherSite(t).URL)
	byName := map[string]*operation{}
	for _, o := range operations {
		byName[o.name()] = o
	}
	r := newRound(w, 1, 0, operations, newCallTable(operations))
	required, kept := 0, 0
	for _, route := range api.Described() {
		o := byName[route.Method+" "+route.Path]
		if o == nil || o.body == nil {
			continue
		}
		for _, f := range route.Op.Info().Plan.Fields {
			switch {
			case f.Place != core.InBody:
				continue
			case f.NotNull:
				kept++
			case f.Required:
				required++
			default:
				continue
			}
			call := r.base(o)
			call.body = withMember(t, call.body, f.Name, nil)
			if res := r.send(call); res.status != 400 || !strings.Contains(string(res.body), `"field":"`+f.Name+`"`) {
				t.Errorf("%s: got %d %s", call, res.status, res.body)
			}
		}
	}
	if required < 50 || kept < 30 {
		t.Errorf("only %d members that are required were found, and %d that are not nullable", required, kept)
	}
}
