package app_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// mayImport has the packages of hearth that each package may import.
var mayImport = map[string][]string{
	"hearth/store":           {"hearth/store/engine"},
	"hearth/store/engine":    {},
	"hearth/store/storetest": {"hearth/store"},
	"hearth/web":             {},
	"hearth/app/core":        {"hearth/store"},
	"hearth/app/limit":       {"hearth/app/core", "hearth/store"},
	"hearth/app/op":          {"hearth/app/core", "hearth/app/limit", "hearth/store"},
	"hearth/app/match":       {},
	"hearth/app/fetch":       {"hearth/app/core", "hearth/store"},
	"hearth/app/media":       {},
	"hearth/app/file":        {"hearth/app/core", "hearth/app/limit", "hearth/app/media", "hearth/store"},
	"hearth/app/voice":       {"hearth/app/core", "hearth/app/fetch", "hearth/app/file", "hearth/store"},
	"hearth/app/embed":       {"hearth/app/fetch", "hearth/app/match", "hearth/store"},
	"hearth/app/mail":        {"hearth/app/core", "hearth/app/fetch", "hearth/app/limit", "hearth/store"},
	"hearth/app/account":     domains,
	"hearth/app/chat":        domains,
	"hearth/app/list":        domains,
	"hearth/app/people":      domains,
	"hearth/app/admin":       domains,
	"hearth/app/lane":        domains,
	"hearth/app/social":      domains,
	"hearth/app/live": {"hearth/app/account", "hearth/app/chat", "hearth/app/list", "hearth/app/core", "hearth/app/limit",
		"hearth/store"},
	"hearth/app/queue":      {"hearth/app/fetch", "hearth/store"},
	"hearth/app/push":       append([]string{"hearth/app/chat", "hearth/app/queue"}, domains...),
	"hearth/app/webhook":    {"hearth/app/chat", "hearth/app/core", "hearth/app/fetch", "hearth/app/queue", "hearth/store"},
	"hearth/app/cron":       {"hearth/store"},
	"hearth/app/demo":       {"hearth/app", "hearth/app/lane", "hearth/store"},
	"hearth/app/metrics":    {},
	"hearth/app/middleware": {"hearth/app/core", "hearth/app/limit", "hearth/store"},
	"hearth/app/api":        transport,
	"hearth/app/domain":     transport,
	"hearth/app/browse":     {"hearth/app/core", "hearth/app/fetch", "hearth/app/limit", "hearth/app/op", "hearth/store"},
	"hearth/app/mcp":        append([]string{"hearth/app/browse"}, transport...),
	"hearth/app/page":       append([]string{"hearth/web"}, transport...),

	"hearth/app/push/pushtest":   {},
	"hearth/app/embed/embedtest": {"hearth/app/match"},
}

var (
	domains = []string{"hearth/app/core", "hearth/app/limit", "hearth/app/op", "hearth/app/fetch", "hearth/app/file", "hearth/app/mail",
		"hearth/app/match", "hearth/store"}
	transport = []string{"hearth/app/account", "hearth/app/admin", "hearth/app/chat", "hearth/app/list", "hearth/app/people",
		"hearth/app/live", "hearth/app/core", "hearth/app/file", "hearth/app/limit", "hearth/app/op", "hearth/app/middleware", "hearth/store",
		"hearth/app/lane", "hearth/app/push", "hearth/app/social", "hearth/app/domain"}
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

// TestImports checks the direction of imports: domain packages do not import
// each other, and transports do not use the database.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "hearth" || p.ImportPath == "hearth/app" || strings.HasPrefix(p.ImportPath, "hearth/app/cli") {
			continue // main, the composition and the commands may import everything
		}
		allowed, known := mayImport[p.ImportPath]
		if !known {
			t.Errorf("new package %s: add its permitted imports to this test", p.ImportPath)
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, "hearth") && !contains(allowed, imp) {
				t.Errorf("%s imports %s, which is not allowed", p.ImportPath, imp)
			}
			if imp == "database/sql" && !strings.HasPrefix(p.ImportPath, "hearth/store") {
				t.Errorf("%s imports database/sql; queries belong in store", p.ImportPath)
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
