package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What the server logs is listed in testdata/log.md: each level, message and name
// of an attribute in the code. -update rewrites the list.
func TestLogTable(t *testing.T) {
	const path, begin = "../testdata/log.md", "<!-- messages -->\n"
	var rows []string
	for _, root := range []string{".", "../store"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				rows = append(rows, logged(t, name)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows) < 30 {
		t.Fatalf("only %d messages were found", len(rows))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, old, _ := strings.Cut(string(b), begin)
	want := "| Level | Message | Attributes |\n|---|---|---|\n" + strings.Join(rows, "")
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not list what is logged: run go test ./app -run LogTable -update, and look at the change", path)
	}
	if err := os.WriteFile(path, []byte(head+begin+want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// logged returns a row for each call of a logger in a file.
func logged(t *testing.T, name string) (rows []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !isLogger(f.X) {
			return true
		}
		level, args := strings.ToUpper(f.Sel.Name), call.Args
		switch f.Sel.Name {
		case "Debug", "Info", "Warn", "Error":
		case "LogAttrs":
			level, args = "INFO", args[2:]
			if s, ok := call.Args[1].(*ast.SelectorExpr); ok {
				level = strings.ToUpper(strings.TrimPrefix(s.Sel.Name, "Level"))
			}
		default:
			return true
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", level, constant(args[0]), strings.Join(attributes(args[1:]), ", ")))
		return true
	})
	return rows
}

func isLogger(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return strings.EqualFold(x.Name, "log") || x.Name == "slog"
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "log")
	}
	return false
}

// constant returns the text of an expression, with … for what is not constant.
func constant(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return constant(x.X) + constant(x.Y)
	}
	return "…"
}

// attributes returns the names of attributes: texts before values, or the first
// arguments of functions that make attributes.
func attributes(args []ast.Expr) (names []string) {
	for i := 0; i < len(args); i++ {
		switch x := args[i].(type) {
		case *ast.BasicLit:
			names = append(names, constant(x))
			i++
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.SelectorExpr); ok && len(x.Args) > 0 && isLogger(f.X) {
				names = append(names, constant(x.Args[0]))
				continue
			}
			names = append(names, "…")
		default:
			names = append(names, "…")
		}
	}
	return names
}
