package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hearth/app/api"
	"hearth/app/op"
)

// toldAgain are the routes whose repetition is another event, or a newer time.
var toldAgain = map[string]string{
	"PUT /api/auth/me/status":                   "a status has the time at which it was said last",
	"POST /api/auth/me/avatar":                  "a picture has a new address each time",
	"POST /api/chat/conversations/{id}/picture": "as above",
	"POST /api/admin/settings/picture":          "as above",
	"PATCH /api/intent-drafts/{id}":             "what is sent is written, with its time",
	"PATCH /api/thoughts/{id}":                  "as above",
	"PATCH /api/webhooks/{id}":                  "as above",
}

// What is declared as idempotent changes no row when it is done again, and so makes
// no event that tells anybody of a change.
func TestDoneAgainNothingChanges(t *testing.T) {
	staged := matrixStage(t)
	db := staged.snapshot()
	cases := matrixCases()
	var routes []api.Route
	for _, r := range api.Described() {
		if o, ok := r.Op.(*op.Operation); ok && r.Method != http.MethodGet && o.Info().Hints.Has(op.Idempotent) &&
			!cases[r.Method+" "+r.Path].stream {
			routes = append(routes, r)
		}
	}
	// All that one server can do one after the other is done there: what deletes
	// comes last.
	slices.SortStableFunc(routes, func(a, b api.Route) int { return strings.Compare(b.Method, a.Method) })
	if len(routes) < 30 {
		t.Fatalf("only %d routes are idempotent", len(routes))
	}
	w := staged.copy(t, db)
	for _, r := range routes {
		name := r.Method + " " + r.Path
		tc := cases[name]
		who := "ada"
		if strings.HasPrefix(r.Path, "/api/admin/") || strings.HasPrefix(r.Path, "/api/community/") {
			who = "root"
		}
		send := func() int { return w.json(who, r.Method, w.fillIDs(tc.path), w.fillIDs(tc.body)).status }
		if status := send(); status != tc.own {
			if w = staged.copy(t, db); send() != tc.own { // others ended what it is about
				t.Errorf("%s: %d, want %d", name, status, tc.own)
			}
		}
		before := w.rowSet()
		status := send()
		if status >= 500 {
			t.Errorf("%s: %d when it is done again", name, status)
		}
		for row := range w.rowSet() {
			if !before[row] && toldAgain[name] == "" {
				t.Errorf("%s: done again (%d), there is %.300s", name, status, row)
			}
		}
	}
}

// rowSet returns every row that state has, as text.
func (w *world) rowSet() map[string]bool {
	w.t.Helper()
	all := map[string]bool{}
	w.rows(func(table string, row []any) { all[fmt.Sprint(table, row)] = true })
	return all
}
