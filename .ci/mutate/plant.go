package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of an expression.
type mutant struct {
	id           int
	file         string // relative, as in ./store/db.go
	line, column int
	was, text    string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.file, m.line, m.column, m.was, m.text)
}

// switchPath is the package that knows which defect is active. It exists in the
// overlay only.
const switchPath = "hearth/mutant"

// plant writes changed copies of the files in dirs to work, and returns the defects
// in them, the file that tells the compiler to read them instead, and a checksum of
// the copies.
func plant(work string, dirs []string) (all []mutant, overlay, sum string, err error) {
	packages, exports, err := list(dirs)
	if err != nil {
		return nil, "", "", err
	}
	replace, hash := map[string]string{}, sha256.New()
	add := func(path, code string) error {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[path] = to
		fmt.Fprintln(hash, code)
		return os.WriteFile(to, []byte(code), 0o600)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, "", "", err
	}
	if err := add(filepath.Join(root, "mutant", "mutant.go"), switchCode); err != nil {
		return nil, "", "", err
	}
	for _, p := range packages {
		files, err := p.check(exports)
		if err != nil {
			return nil, "", "", err
		}
		for _, f := range files {
			if strings.Contains(f.name, "migrat") {
				continue
			}
			if f.name, err = filepath.Rel(root, f.path); err != nil {
				return nil, "", "", err
			}
			code := f.plant(len(all) + 1)
			if len(f.found) == 0 {
				continue
			}
			all = append(all, f.found...)
			if err := add(f.path, code); err != nil {
				return nil, "", "", err
			}
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", "", err
	}
	if err := os.WriteFile(filepath.Join(work, "defects.txt"), []byte(numbered(all)), 0o600); err != nil {
		return nil, "", "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return all, overlay, fmt.Sprintf("%x", hash.Sum(nil)[:8]), os.WriteFile(overlay, b, 0o600)
}

// numbered lists the defects with their numbers.
func numbered(all []mutant) string {
	var s strings.Builder
	for _, m := range all {
		fmt.Fprintln(&s, m.id, m)
	}
	return s.String()
}

// listed is what go list prints of a package.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	DepOnly                 bool
}

// list returns the packages in dirs, and the compiled forms of all that they import.
func list(dirs []string) (packages []listed, exports map[string]string, err error) {
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,DepOnly"}, dirs...)...).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports, nil
		} else if err != nil {
			return nil, nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			packages = append(packages, p)
		}
	}
}

// source is one file that is changed.
type source struct {
	path, name string
	code       []byte
	set        *token.FileSet
	tree       *ast.File
	info       *types.Info

	edits []edit
	found []mutant
	first int
}

// edit replaces the bytes from..to by text. Of those at one place, the outer one has
// the larger size if it stands before its expression, the smaller one if behind.
type edit struct {
	from, to int
	text     string
	order    int
}

// check parses a package and determines the types of its expressions.
func (p listed) check(exports map[string]string) (files []*source, err error) {
	set := token.NewFileSet()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var trees []*ast.File
	for _, name := range p.GoFiles {
		f := &source{path: filepath.Join(p.Dir, name), name: name, set: set, info: info}
		if f.code, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
		if f.tree, err = parser.ParseFile(set, f.path, f.code, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		files, trees = append(files, f), append(trees, f.tree)
	}
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	conf := types.Config{Importer: imports, Sizes: types.SizesFor("gc", "amd64")}
	_, err = conf.Check(p.ImportPath, set, trees, info)
	return files, err
}

// plant returns the code with its defects, which are numbered from first on.
func (f *source) plant(first int) string {
	f.first = first
	for _, d := range f.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.VAR {
			continue // a constant must remain one: it changes where it is used
		}
		if d, ok := d.(*ast.FuncDecl); ok && slices.Contains(sameResult, f.tree.Name.Name+"."+d.Name.Name) {
			continue
		}
		ast.Walk(visitor{f: f}, d)
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.order, b.order)) })
	var out strings.Builder
	last := 0
	for _, e := range f.edits {
		out.Write(f.code[last:e.from])
		out.WriteString(e.text)
		last = e.to
	}
	out.Write(f.code[last:])
	at := f.set.Position(f.tree.Name.End()).Offset
	return out.String()[:at] + fmt.Sprintf("; import mutant__ %q", switchPath) + out.String()[at:]
}

// offset returns where a position is in the code.
func (f *source) offset(p token.Pos) int { return f.set.PositionFor(p, false).Offset }

func (f *source) text(e ast.Node) string { return string(f.code[f.offset(e.Pos()):f.offset(e.End())]) }

// mutant adds a defect at a position, and returns its number.
func (f *source) mutant(at token.Pos, was, text string) int {
	p := f.set.PositionFor(at, false)
	m := mutant{id: f.first + len(f.found), file: f.name, line: p.Line, column: p.Column, was: was, text: text}
	f.found = append(f.found, m)
	return m.id
}

// wrap writes something before and behind an expression or statement.
func (f *source) wrap(e ast.Node, before, behind string) { f.enclose(e, before, behind, 0) }

// enclose is wrap; of two of one expression, the outer one has the higher level.
func (f *source) enclose(e ast.Node, before, behind string, level int) {
	from, to := f.offset(e.Pos()), f.offset(e.End())
	size := 2*(to-from) + level
	f.edits = append(f.edits, edit{from, from, before, 1<<30 - size}, edit{to, to, behind, size - 1<<30})
}
