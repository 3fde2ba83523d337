package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// testedBy has the packages whose tests are also those of a package.
var testedBy = map[string][]string{
	"store":    {"app/account", "app/chat", "app/list", "app/social", "app/people", "app/webhook"},
	"app/op":   {"app/api"},
	"app/chat": {"app/webhook"},
}

// program is a compiled test program.
type program struct {
	path, dir string
}

// compile compiles the test programs of dirs.
func compile(work, overlay string, dirs []string, app bool) (programs []program, err error) {
	var all []string
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		all = append(append(all, dir), testedBy[dir]...)
	}
	if app {
		all = append(all, "app")
	}
	slices.Sort(all)
	for _, dir := range slices.Compact(all) {
		p := program{path: filepath.Join(work, strings.ReplaceAll(dir, "/", "-")+".test"), dir: dir}
		if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-o", p.path, "./"+dir).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c ./%s: %w: %s", dir, err, out)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// test is a test, or a part of one.
type test struct {
	program program
	name    string // as go test prints it: TestTranscripts/friends
	took    time.Duration
	defects []int // that it executes
}

// record runs each test by itself. Those that fail, or take longer than the limit,
// are left out.
func record(o options, work string, programs []program) (tests []test, err error) {
	all, err := listTests(o, programs)
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	places := make(chan bool, o.workers)
	for i, t := range all {
		places <- true
		wg.Go(func() {
			defer func() { <-places }()
			found := t.recordParts(o.limit, filepath.Join(work, fmt.Sprintf("executed-%d", i)))
			mu.Lock()
			tests = append(tests, found...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return tests, nil
}

// listTests returns the names of the tests of the programs.
func listTests(o options, programs []program) (tests []test, err error) {
	skip, err := regexp.Compile(o.skip)
	if err != nil {
		return nil, err
	}
	then, err := regexp.Compile(o.then)
	if err != nil {
		return nil, err
	}
	kind := regexp.MustCompile("^(Test|Example|Fuzz)")
	for _, p := range programs {
		out, err := command(context.Background(), p, nil, "-test.list", ".").Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			if kind.MatchString(name) && (p.dir != "app" || then.MatchString(name)) && !skip.MatchString(name) {
				tests = append(tests, test{program: p, name: name})
			}
		}
	}
	return tests, nil
}

// long is how long a test takes of which only the parts that execute a defect are run.
const long = 3 * time.Second

var partLine = regexp.MustCompile(`(?m)^    --- PASS: ([^\s/]+/[^\s/]+) `)

// recordParts records a test, or each of its parts if it is long and every part
// passes by itself. It returns none if the test fails without a defect.
func (t test) recordParts(limit time.Duration, file string) []test {
	out, err := t.record(limit, file)
	if err != nil {
		fmt.Fprintf(os.Stderr, "left out, without a defect: %s %s: %v\n%s\n", t.program.dir, t.name, err, last(out))
		return nil
	}
	var parts []test
	for i, m := range partLine.FindAllSubmatch(out, -1) {
		part := test{program: t.program, name: string(m[1])}
		if t.took < long {
			break
		}
		if _, err := part.record(limit, fmt.Sprintf("%s-%d", file, i)); err != nil {
			return []test{t}
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return []test{t}
	}
	return parts
}

// record runs a test and notes which defects it executes and how long it takes.
func (t *test) record(limit time.Duration, file string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*limit)
	defer cancel()
	start := time.Now()
	if out, err = command(ctx, t.program, []string{"HEARTH_MUTANTS=" + file}, "-test.v", "-test.run", t.pattern()).CombinedOutput(); err != nil {
		return out, err
	}
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return out, err
	}
	for line := range strings.Lines(string(b)) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			t.defects = append(t.defects, id)
		}
	}
	t.took = time.Since(start)
	return out, nil
}

// pattern returns what -test.run selects the test by.
func (t test) pattern() string {
	name := strings.Split(t.name, "/")
	for i, s := range name {
		name[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	return strings.Join(name, "/")
}

// last returns the end of some output.
func last(out []byte) string { return strings.TrimSpace(string(out[max(0, len(out)-300):])) }

// command runs a test program as go test does, in the folder of its package.
func command(ctx context.Context, p program, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	return cmd
}

// testsOf returns, for each defect, the tests that execute it, the quickest first.
func testsOf(tests []test) map[int][]test {
	slices.SortStableFunc(tests, func(a, b test) int { return int(a.took - b.took) })
	all := map[int][]test{}
	for _, t := range tests {
		for _, id := range t.defects {
			all[id] = append(all[id], t)
		}
	}
	return all
}

// try runs the tests that execute a defect while it is active: those of its own
// package first, those of ./app last.
func try(o options, m mutant, tests []test) string {
	if len(tests) == 0 {
		return unread
	}
	byProgram := map[program][]test{}
	var order []program
	for _, t := range tests {
		if byProgram[t.program] == nil {
			order = append(order, t.program)
		}
		byProgram[t.program] = append(byProgram[t.program], t)
	}
	rank := func(p program) int {
		switch p.dir {
		case filepath.Dir(m.file):
			return 0
		case "app":
			return 2
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b program) int { return rank(a) - rank(b) })
	for _, p := range order {
		if outcome := p.try(o, m, byProgram[p]); outcome != lived {
			return outcome
		}
	}
	return lived
}

// try runs the quickest of the tests that execute a defect, and then others.
func (p program) try(o options, m mutant, tests []test) string {
	for _, enough := range []time.Duration{o.enough / 20, o.enough} {
		n, took := 0, time.Duration(0)
		for n < len(tests) && (n == 0 || took+tests[n].took < enough) {
			took += tests[n].took
			n++
		}
		if n == 0 {
			break
		}
		if outcome := p.execute(o, m, tests[:n], took); outcome != lived {
			return outcome
		}
		tests = tests[n:]
	}
	return lived
}

func (p program) execute(o options, m mutant, tests []test, took time.Duration) string {
	var names []string
	for _, t := range tests {
		names = append(names, t.pattern())
	}
	limit := o.limit + 4*took
	ctx, cancel := context.WithTimeout(context.Background(), limit+5*time.Second)
	defer cancel()
	out, err := command(ctx, p, []string{"HEARTH_MUTANT=" + strconv.Itoa(m.id)},
		"-test.run", strings.Join(names, "|"), "-test.failfast", "-test.timeout", limit.String()).CombinedOutput()
	switch {
	case err == nil:
		return lived
	case ctx.Err() != nil || strings.Contains(string(out), "panic: test timed out"):
		return timeout
	}
	return killed
}
