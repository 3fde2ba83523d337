package app_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The code has a budget of lines. When it is passed, first look for a mechanism whose absence no user, operator or
// contributor would notice, and for a library. Raise the budget in a commit of its own that says what the lines are for.
const (
	maxSourceLines = 70_000
	maxTestPart    = 1.2 // lines of tests for each line of source
	maxFileLines   = 600
	maxFuncLines   = 60
	maxWidth       = 140
	maxTerms       = 5 // of a boolean expression
)

// isTable has the functions that are one table, which is easier to read whole.
var isTable = map[string]bool{"routes": true, "operations": true, "readLetters": true}

func TestSize(t *testing.T) {
	source, tests := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.Count(text, []byte("\n"))
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, at most %d are allowed: split it", path, lines, maxFileLines)
		}
		if strings.HasSuffix(path, "_test.go") {
			tests += lines
		} else {
			source += lines
		}
		checkWidth(t, path, text)
		return checkFuncs(t, path, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if source > maxSourceLines || float64(tests) > maxTestPart*float64(source) {
		t.Errorf("%d lines of source, at most %d are allowed, and %d of tests, at most %.0f: see the comment of maxSourceLines",
			source, maxSourceLines, tests, maxTestPart*float64(source))
	}
}

// checkWidth finds lines that are too wide. Struct tags and scripts within raw strings cannot be broken.
func checkWidth(t *testing.T, path string, text []byte) {
	raw := false
	for i, line := range strings.Split(string(text), "\n") {
		quotes := strings.Count(line, "`")
		if !raw && quotes == 0 && !strings.HasPrefix(line, "//go:") && utf8.RuneCountInString(line) > maxWidth {
			t.Errorf("%s:%d has more than %d characters", path, i+1, maxWidth)
		}
		raw = raw != (quotes%2 == 1)
	}
}

func checkFuncs(t *testing.T, path string, text []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	inner := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			lines := files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
			if lines > maxFuncLines && !isTable[n.Name.Name] {
				t.Errorf("%s: %s has %d lines, at most %d are allowed", files.Position(n.Pos()), n.Name.Name, lines, maxFuncLines)
			}
		case ast.Expr:
			if terms := booleanTerms(n, inner); !inner[n] && terms > maxTerms {
				t.Errorf("%s: a boolean expression of %d terms, at most %d are allowed: name a part of it",
					files.Position(n.Pos()), terms, maxTerms)
			}
		}
		return true
	})
	return nil
}

// booleanTerms counts the operands of && and || in e, and marks the expressions within it.
func booleanTerms(e ast.Expr, inner map[ast.Expr]bool) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		inner[e.X] = true
		return booleanTerms(e.X, inner)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			inner[e.X], inner[e.Y] = true, true
			return booleanTerms(e.X, inner) + booleanTerms(e.Y, inner)
		}
	}
	return 1
}
