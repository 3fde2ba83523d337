// Command mutate plants small defects, one at a time, and runs the tests: a defect
// that no test notices shows a test that is missing. It changes comparisons, logical
// operators and small numbers, in Go and in the SQL of string literals, without
// writing to the source: the compiler is given the changed file as an overlay.
//
//	go run ./.ci/mutate -n 10 -seed 1 ./store ./app/chat
//
// With -again it plants those of its own output again that lived, such as after
// tests were added.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mutant is one change of a file: the bytes from..to become text.
type mutant struct {
	file     string
	line     int
	column   int
	from, to int
	text     string
	was      string
}

// outcome of a mutant.
const (
	killed  = "killed"
	lived   = "LIVED"
	timeout = "TIMEOUT"      // killed, but by the limit of time
	invalid = "not compiled" // does not count
)

func main() {
	n := flag.Int("n", 10, "how many defects")
	seed := flag.Uint64("seed", 1, "which ones")
	within := flag.Duration("within", time.Hour, "no further defect is planted after this time")
	limit := flag.Duration("limit", 2*time.Minute, "least time for the tests of one defect")
	second := flag.String("then", "TestTranscripts$|TestMatrix$|TestToolMatrix$", "the tests of ./app that are run if those of the package notice nothing; empty for none")
	only := flag.String("file", "", "a pattern of the files to change")
	again := flag.String("again", "", "a file with output of this command: plant those defects only that lived")
	flag.Parse()
	if err := run(flag.Args(), *n, *seed, *within, *limit, *second, *only, *again); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dirs []string, n int, seed uint64, within, limit time.Duration, second, only, again string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	earlier, err := livedIn(again)
	if err != nil {
		return err
	}
	rng, start := rand.New(rand.NewPCG(seed, 0)), time.Now()
	byDir := map[string][]mutant{}
	for _, dir := range dirs {
		all, err := mutantsOf(dir, pattern)
		if err != nil {
			return err
		}
		if again != "" {
			all = slices.DeleteFunc(all, func(m mutant) bool { return !earlier[strings.TrimSpace(m.String())] })
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		byDir[dir] = all
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	count := map[string]map[string]int{}
	limits := limits{least: limit, byDir: map[string]time.Duration{}}
	first := rng.IntN(len(dirs)) // another package begins each day
	for i := range n {
		dir := dirs[(first+i)%len(dirs)]
		if len(byDir[dir]) == 0 || time.Since(start) > within {
			continue
		}
		m := byDir[dir][0]
		byDir[dir] = byDir[dir][1:]
		result, err := m.test(work, dir, limits, second)
		if err != nil {
			return err
		}
		if count[dir] == nil {
			count[dir] = map[string]int{}
		}
		count[dir][result]++
		fmt.Printf("%-12s %s\n", result, m)
	}
	total, noticed := 0, 0
	for _, dir := range dirs {
		c := count[dir]
		k := c[killed] + c[timeout]
		total, noticed = total+k+c[lived], noticed+k
		fmt.Printf("%-14s %d of %d killed (%d by the limit of time)\n", dir, k, k+c[lived], c[timeout])
	}
	fmt.Printf("%d of %d defects were noticed\n", noticed, total)
	if total >= 9 && noticed*3 < total { // fewer say nothing
		return errors.New("the tests notice less than a third of the defects")
	}
	return nil
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.file, m.line, m.column, m.was, m.text)
}

// livedIn returns the defects that lived, of the output in a file; none without one.
func livedIn(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	all := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, lived+" "); ok {
			all[strings.TrimSpace(rest)] = true
		}
	}
	return all, err
}

// mutantsOf returns the mutants of the Go files in dir.
func mutantsOf(dir string, only *regexp.Regexp) (all []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "migration") || !only.MatchString(file) {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, code, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if _, isImport := node.(*ast.ImportSpec); isImport {
				return false
			}
			for _, m := range mutantsAt(node) {
				at := set.Position(token.Pos(m.from))
				m.file, m.line, m.column = file, at.Line, at.Column
				m.from, m.to = at.Offset, set.Position(token.Pos(m.to)).Offset
				m.was = string(code[m.from:m.to])
				all = append(all, m)
			}
			return true
		})
	}
	return all, nil
}

// operators has what each operator becomes.
var operators = map[token.Token][]string{
	token.LSS: {"<="}, token.LEQ: {"<"}, token.GTR: {">="}, token.GEQ: {">"}, token.EQL: {"!="}, token.NEQ: {"=="},
	token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD: {"-"}, token.SUB: {"+"},
}

// testedBy has the packages whose tests are also those of a package.
var testedBy = map[string][]string{
	"./store":  {"./app/account", "./app/chat", "./app/list", "./app/social", "./app/people"},
	"./app/op": {"./app/api"},
}

// comparisons are those of SQL, between spaces.
var comparisons = regexp.MustCompile(` (<=|>=|<|>|<>|AND|OR) `)

var becomes = map[string]string{"<=": "<", "<": "<=", ">=": ">", ">": ">=", "<>": "=", "AND": "OR", "OR": "AND"}

// mutantsAt returns the mutants of one node, with positions instead of offsets.
func mutantsAt(node ast.Node) (all []mutant) {
	add := func(from token.Pos, length int, text string) {
		all = append(all, mutant{from: int(from), to: int(from) + length, text: text})
	}
	switch x := node.(type) {
	case *ast.BinaryExpr:
		for _, text := range operators[x.Op] {
			add(x.OpPos, len(x.Op.String()), text)
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			add(x.OpPos, 1, "")
		}
	case *ast.BasicLit:
		if n, err := strconv.Atoi(x.Value); err == nil && x.Kind == token.INT && n > 1 {
			add(x.ValuePos, len(x.Value), strconv.Itoa(n+1))
		}
		if x.Kind == token.STRING {
			for _, at := range comparisons.FindAllStringSubmatchIndex(x.Value, -1) {
				add(x.ValuePos+token.Pos(at[2]), at[3]-at[2], becomes[x.Value[at[2]:at[3]]])
			}
		}
	}
	return all
}

// test runs the tests with the mutant.
func (m mutant) test(work, dir string, limits limits, second string) (string, error) {
	code, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(work, "changed.go")
	if err := os.WriteFile(changed, []byte(string(code[:m.from])+m.text+string(code[m.to:])), 0o600); err != nil {
		return "", err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(work, "overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	for _, dirs := range [][]string{{dir}, testedBy[dir]} { // those of the package notice most
		for _, d := range dirs {
			result, err := goTest(work, limits, d, "-test.skip", "Fault|Kill|Power|Bench|Writer|UnderLoad|Memory|ManyWords")
			if err != nil || result != lived {
				return result, err
			}
		}
	}
	if second == "" {
		return lived, nil
	}
	return goTest(work, limits, "./app", "-test.run", second)
}

// limits has how long the tests of a package may take.
type limits struct {
	least time.Duration
	byDir map[string]time.Duration
}

// measure sets the limit for the tests of dir to four times what they take without
// a defect, so that a busy machine is not taken for one.
func (l limits) measure(work, dir string, args []string) error {
	plain := filepath.Join(work, "plain.json")
	if err := os.WriteFile(plain, []byte("{}"), 0o600); err != nil {
		return err
	}
	start := time.Now()
	result, err := compileAndRun(work, plain, dir, 10*time.Minute, args)
	if err == nil && result != lived {
		err = fmt.Errorf("the tests of %s fail without a defect: %s", dir, result)
	}
	l.byDir[dir] = max(l.least, 4*time.Since(start))
	return err
}

// goTest compiles the tests of a package with the overlay, and runs them.
func goTest(work string, limits limits, dir string, args ...string) (string, error) {
	if limits.byDir[dir] == 0 {
		if err := limits.measure(work, dir, args); err != nil {
			return "", err
		}
	}
	return compileAndRun(work, filepath.Join(work, "overlay.json"), dir, limits.byDir[dir], args)
}

func compileAndRun(work, overlay, dir string, limit time.Duration, args []string) (string, error) {
	program := filepath.Join(work, "program.test")
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-o", program, dir).CombinedOutput(); err != nil {
		if strings.Contains(string(out), ".go:") {
			return invalid, nil
		}
		return "", fmt.Errorf("go test -c: %w: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "-test.failfast", "-test.timeout", limit.String())...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return lived, nil
	case ctx.Err() != nil || strings.Contains(string(out), "panic: test timed out"):
		return timeout, nil
	case errors.As(err, &exit):
		return killed, nil
	}
	return "", fmt.Errorf("%s: %w: %s", program, err, out)
}
