package app_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// room says which other rooms of the house a room may import. A room is a
// package path below the module; "" is main.
var mayImport = map[string][]string{
	"hearth/store":           {"hearth/store/engine"},
	"hearth/store/engine":    {},
	"hearth/store/storetest": {"hearth/store"},
	"hearth/web":             {},
	"hearth/app/core":        {"hearth/store"},
	"hearth/app/match":       {},
	"hearth/app/fetch":       {"hearth/app/core", "hearth/store"},
	"hearth/app/mail":        {"hearth/app/core", "hearth/app/fetch", "hearth/store"},
	"hearth/app/account":     rule,
	"hearth/app/chat":        rule,
	"hearth/app/list":        rule,
	"hearth/app/live":        {"hearth/app/account", "hearth/app/chat", "hearth/app/list", "hearth/app/core", "hearth/store"},
	"hearth/app/api":         door,
	"hearth/app/page":        append([]string{"hearth/web"}, door...),
}

var (
	rule = []string{"hearth/app/core", "hearth/app/fetch", "hearth/app/mail", "hearth/app/match", "hearth/store"}
	door = []string{"hearth/app/account", "hearth/app/chat", "hearth/app/list", "hearth/app/live", "hearth/app/core", "hearth/store", "hearth/web"}
)

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "hearth/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// TestImports holds the house to its directions: imports run one way, rule
// rooms do not know each other, and doors never touch the database.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "hearth" || p.ImportPath == "hearth/app" || strings.HasPrefix(p.ImportPath, "hearth/app/cli") {
			continue // main and the composition may know everything
		}
		allowed, known := mayImport[p.ImportPath]
		if !known {
			t.Errorf("%s is a new room: say in this test what it may import", p.ImportPath)
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, "hearth") && !contains(allowed, imp) {
				t.Errorf("%s imports %s, which the house does not allow", p.ImportPath, imp)
			}
			if imp == "database/sql" && !strings.HasPrefix(p.ImportPath, "hearth/store") {
				t.Errorf("%s imports database/sql; queries stand in store", p.ImportPath)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
