package app_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const architecturePage = "../web/docs/architecture.md"

// TestPathOfMessage: the handbook names the files that a message goes through, from the connection to the screen.
func TestPathOfMessage(t *testing.T) { checkPath(t, "The path of a message", 18) }

// TestPathOfAsk: the handbook names the files that an ask goes through, from its route to the stored row and the answer.
func TestPathOfAsk(t *testing.T) { checkPath(t, "The path of an ask", 10) }

// checkPath checks a path of the handbook: it has at most most files. Each exists and has to do with the next one: its
// package imports the other's or is imported by it, and a script imports the next script.
func checkPath(t *testing.T, heading string, most int) {
	t.Helper()
	page, err := os.ReadFile(architecturePage)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "## "+heading+"\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var files []string
	for _, m := range regexp.MustCompile("(?m)^\\| \\d+ \\| `([^`]+)` \\| .+ \\|$").FindAllStringSubmatch(section, -1) {
		files = append(files, m[1])
	}
	if rows := strings.Count(section, "\n| ") - 1; !found || len(files) < 10 || len(files) != rows || len(files) > most {
		t.Fatalf("the path has %d files in %d rows, want one in a row, and %d at most", len(files), rows, most)
	}
	imports := importsOf(t)
	for i, file := range files {
		if _, err := os.Stat(filepath.Join("..", file)); err != nil {
			t.Error(err)
		}
		if i+1 < len(files) && !linked(t, imports, file, files[i+1]) {
			t.Errorf("%s has nothing to do with %s", file, files[i+1])
		}
	}
}

func linked(t *testing.T, imports map[string][]string, from, to string) bool {
	if path.Ext(from) == ".js" {
		return slices.Contains(scriptsOf(t, from), path.Base(to)) || slices.Contains(scriptsOf(t, to), path.Base(from))
	}
	a, b := packageOf(from), packageOf(to)
	return a == b || slices.Contains(imports[a], b) || slices.Contains(imports[b], a)
}

// packageOf returns the package of a file, which is hearth/web for all that it embeds.
func packageOf(file string) string {
	if strings.HasPrefix(file, "web/") {
		return "hearth/web"
	}
	return "hearth/" + path.Dir(file)
}

func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, p := range packages(t) {
		imports[p.ImportPath] = p.Imports
	}
	for path, of := range imports { // a transport has the services from there
		if slices.Contains(of, "hearth/app/domain") {
			imports[path] = append(of, imports["hearth/app/domain"]...)
		}
	}
	return imports
}

func scriptsOf(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return quoted(string(b), `(?m)^import .* from '\./([^']+)';$`)
}
