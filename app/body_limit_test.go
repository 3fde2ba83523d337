package app_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hearth/app/api"
	"hearth/app/core"
	"hearth/app/list"
	"hearth/app/op"
	"hearth/store"
)

// No operation takes a body beyond the limit: 256 KiB, and of a list that is imported
// 8 MiB. What has so much is refused before anything is looked up.
func TestBodiesAreBounded(t *testing.T) {
	w := newWorld(t)
	const json = 256 << 10
	parameter := regexp.MustCompile(`\{\w+\}`)
	checked := 0
	for _, r := range api.Described() {
		o, ok := r.Op.(*op.Operation)
		if !ok || o.Info().Name != "ImportList" && !slices.ContainsFunc(o.Info().Plan.Fields,
			func(f *core.Field) bool { return f.Place == core.InBody }) {
			continue // it has no body, or a limit of its own
		}
		who, path, limit := "ada", parameter.ReplaceAllString(r.Path, store.NewID()), json
		switch info := o.Info(); {
		case info.Guard == op.AdminOnly:
			who = "root"
		case info.Guard == op.Bridge:
			who = "bridge"
		case info.Name == "ImportList":
			path, limit = path+"?format=md", list.MaxImport
		}
		res := w.do(who, r.Method, path, http.Header{"Content-Type": {"application/json"}}, `{"x":"`+strings.Repeat("x", limit-7)+`"}`)
		if res.status != http.StatusRequestEntityTooLarge || !strings.Contains(string(res.body), "too_large") {
			t.Errorf("%s %s: %d %.200s", r.Method, r.Path, res.status, res.body)
		}
		checked++
	}
	if checked < 60 {
		t.Errorf("only %d operations were checked", checked)
	}
	whole := "# L\n\n- an item\n" + strings.Repeat(" ", list.MaxImport)
	if res := w.do("ada", "POST", "/api/lists/import?format=md", http.Header{"Content-Type": {"text/markdown"}},
		whole[:list.MaxImport]); res.status != 201 {
		t.Errorf("a list of the limit: %d %.200s", res.status, res.body)
	}
}
