package app_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hearth/app/api"
	"hearth/app/core"
	"hearth/app/live"
)

// eventUse is how the code of a package uses kinds of events.
type eventUse struct {
	declared  map[string]string // constants of type store.EventKind, by name
	emitted   []string          // constants that are the Kind of an emitted event
	published []string          // constants that are passed to a Publish function
}

// TestEventTables compares the event tables with the code: each kind is declared
// once, in a table, and the declared kinds are exactly those emitted, or
// published if they are ephemeral.
func TestEventTables(t *testing.T) {
	var emitted, published, constants []string
	for _, u := range eventUses(t) {
		for _, value := range u.declared {
			constants = append(constants, value)
		}
		for _, name := range u.emitted {
			emitted = append(emitted, u.declared[name])
		}
		for _, name := range u.published {
			published = append(published, u.declared[name])
		}
	}
	var stored, ephemeral, all []string
	for _, e := range api.Events() {
		all = append(all, string(e.Kind))
		switch {
		case !e.Ephemeral:
			stored = append(stored, string(e.Kind))
		case !e.Presence: // published by the hub
			ephemeral = append(ephemeral, string(e.Kind))
		}
		if (e.Render != nil) != (e.Data != nil && !e.Ephemeral) {
			t.Errorf("%s must have a Render function if and only if it is stored and has data", e.Kind)
		}
		if (e.Data == nil) != (e.Doc == "") {
			t.Errorf("%s must have data and a description, or neither", e.Kind)
		}
	}
	for _, c := range []struct {
		what      string
		want, got []string
	}{
		{"tables of events (-) and constants in events.go (+)", all, constants},
		{"stored events of the tables (-) and emitted ones (+)", stored, emitted},
		{"ephemeral events of the tables (-) and published ones (+)", ephemeral, published},
	} {
		if d := cmp.Diff(set(c.want), set(c.got)); d != "" {
			t.Errorf("%s differ: %s", c.what, d)
		}
	}
}

func set(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// eventUses parses the code of the server, without its tests.
func eventUses(t *testing.T) map[string]*eventUse {
	t.Helper()
	uses := map[string]*eventUse{}
	fset := token.NewFileSet()
	for _, root := range []string{".", "../store"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				return err
			}
			u := uses[filepath.Dir(path)]
			if u == nil {
				u = &eventUse{declared: map[string]string{}}
				uses[filepath.Dir(path)] = u
			}
			ast.Inspect(f, func(n ast.Node) bool {
				u.see(n, func(format string, args ...any) {
					t.Errorf("%s: %s", fset.Position(n.Pos()), fmt.Sprintf(format, args...))
				}, filepath.Base(path))
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return uses
}

func (u *eventUse) see(n ast.Node, fail func(string, ...any), file string) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		if !isSelector(n.Type, "EventKind") {
			return
		}
		if file != "events.go" || len(n.Names) != 1 || len(n.Values) != 1 {
			fail("declare kinds of events as constants in events.go, one per line")
			return
		}
		lit, _ := n.Values[0].(*ast.BasicLit)
		value, err := strconv.Unquote(lit.Value)
		if err != nil {
			fail("%v", err)
		}
		u.declared[n.Names[0].Name] = value
	case *ast.CallExpr:
		switch {
		case isSelector(n.Fun, "EventKind"):
			fail("a string is converted to a kind of event")
		case isSelector(n.Fun, "Emit") && len(n.Args) == 1:
			u.emitted = append(u.emitted, emittedKind(n.Args[0], fail))
		case isSelector(n.Fun, "Publish") && len(n.Args) > 2:
			kind, _ := n.Args[len(n.Args)-2].(*ast.Ident)
			if kind == nil {
				fail("the published kind must be a constant of events.go")
				return
			}
			u.published = append(u.published, kind.Name)
		}
	}
}

// emittedKind returns the constant K of store.Event{…, Kind: K, …}.
func emittedKind(arg ast.Expr, fail func(string, ...any)) string {
	lit, _ := arg.(*ast.CompositeLit)
	if lit != nil {
		for _, el := range lit.Elts {
			kv, _ := el.(*ast.KeyValueExpr)
			if kv == nil {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			kind, _ := kv.Value.(*ast.Ident)
			if key != nil && key.Name == "Kind" && kind != nil {
				return kind.Name
			}
		}
	}
	fail("an event must be emitted as store.Event{…} with a constant of events.go as its Kind")
	return ""
}

func isSelector(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

// Only Emit adds to the log, except that restoring a backup leaves a gap in the
// numbers of events.
func TestEventLogInserts(t *testing.T) {
	var found []string
	for _, root := range []string{".", "../store"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".sql") ||
				strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`(?i)insert\s+(or\s+\w+\s+)?into\s+event\b[^;]{0,120}`).FindAll(b, -1) {
				if !bytes.Contains(m, []byte(`'restored'`)) {
					found = append(found, filepath.ToSlash(path))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"../store/event.go"}, found); d != "" {
		t.Error(d)
	}
}

// clientNames returns the names of the events of a stream.
func clientNames(of ...core.Scope) (names []string) {
	for _, e := range api.Events() {
		if e.Data != nil && slices.Contains(of, e.Scope) {
			names = append(names, e.ClientName())
		}
	}
	return set(append(names, live.Resync))
}

// The reference documents exactly the events of a stream.
func TestEventDocs(t *testing.T) {
	w := newWorld(t)
	var doc struct {
		Paths map[string]struct {
			Get struct {
				Responses map[string]struct{ Description string }
			}
		}
	}
	if err := json.Unmarshal(w.json("anonymous", "GET", "/api/openapi.json", "").body, &doc,
		json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for path, scopes := range map[string][]core.Scope{
		"/api/chat/events": {core.ToUser, core.ToConversation}, "/api/list/{id}/events": {core.ToList}, "/api/lists/{id}/events": {core.ToList},
		"/api/chat/conversations/{id}/context/events": {core.ToLane},
	} {
		var got []string
		text := doc.Paths[path].Get.Responses["200"].Description
		for _, m := range regexp.MustCompile("`([a-z.]+)` with `\\{").FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		if d := cmp.Diff(clientNames(scopes...), set(got)); d != "" {
			t.Errorf("%s: declared (-) and documented (+) events differ: %s", path, d)
		}
	}
}

// The scripts of the pages listen for exactly the events of their stream.
func TestScriptEvents(t *testing.T) {
	for file, scopes := range map[string][]core.Scope{
		"live.js": {core.ToUser, core.ToConversation}, "list.js": {core.ToList}, "lane.js": {core.ToLane},
	} {
		b, err := os.ReadFile(filepath.Join("..", "web", "static", file))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), "const names = [")
		names, _, ok := strings.Cut(rest, "]")
		if !ok {
			t.Fatalf("%s has no list of names", file)
		}
		if d := cmp.Diff(clientNames(scopes...), set(quoted(names, `'([^']+)'`))); d != "" {
			t.Errorf("declared events (-) and names in web/static/%s (+) differ: %s", file, d)
		}
	}
}

func quoted(text, pattern string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}
