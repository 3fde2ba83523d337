package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	"store":    {"app/account", "app/chat", "app/cron", "app/embed", "app/file", "app/list", "app/people", "app/social", "app/voice", "app/webhook"},
	"app/op":   {"app/api"},
	"app/chat": {"app/voice", "app/webhook"},
}

// program is a compiled test program.
type program struct {
	Path, Dir string
}

// compile compiles the test programs of the packages of some defects, unless they are
// there and newer than their sources.
func compile(work, overlay, sum string, picked []mutant, app bool) (programs []program, err error) {
	var all []string
	for _, m := range picked {
		dir := filepath.Dir(m.file)
		all = append(append(all, dir), testedBy[dir]...)
	}
	if app {
		all = append(all, "app")
	}
	slices.Sort(all)
	for _, dir := range slices.Compact(all) {
		p := program{Path: filepath.Join(work, strings.ReplaceAll(dir, "/", "-")+"-"+sum+".test"), Dir: dir}
		changed, err := lastChange(dir)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(p.Path); err != nil || !info.ModTime().After(changed) {
			if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-vet=off", "-o", p.Path, "./"+dir).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("go test -c ./%s: %w: %s", dir, err, out)
			}
		}
		if _, err := os.Stat(p.Path); errors.Is(err, fs.ErrNotExist) {
			continue // no tests in this folder
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// lastChange returns when the tests in a folder, or what is compiled with them,
// changed last.
func lastChange(dir string) (last time.Time, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || path == ".":
			return err
		case d.IsDir() && strings.HasPrefix(path, "."):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") && filepath.Dir(path) != dir:
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}

// test is a test, or a part of one.
type test struct {
	Program program
	Name    string // as go test prints it: TestTranscripts/friends
	Took    time.Duration
	Defects []int // that it executes
}

// record runs each test by itself that it did not run earlier with the same code, of
// which the file tells. Those that fail, or take longer than the limit, are left out.
func record(o options, file string, programs []program) (tests []test, err error) {
	all, err := listTests(o, programs)
	if err != nil {
		return nil, err
	}
	earlier, err := recorded(file)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	var wg sync.WaitGroup
	var mu sync.Mutex
	places := make(chan bool, o.workers)
	for i, t := range all {
		if parts, ok := earlier[t.Program.Dir+" "+t.Name]; ok {
			for _, part := range parts {
				part.Program = t.Program
				tests = append(tests, part)
			}
			continue
		}
		places <- true
		wg.Go(func() {
			defer func() { <-places }()
			found := t.recordParts(o.limit, fmt.Sprintf("%s-%d", file, i))
			mu.Lock()
			defer mu.Unlock()
			tests = append(tests, found...)
			if line, err := json.Marshal(recording{t.Program.Dir, t.Name, found}); err == nil {
				fmt.Fprintf(out, "%s\n", line)
			}
		})
	}
	wg.Wait()
	return tests, nil
}

// recording is a line of the file that tells which defects a test executes: none of
// one that was left out.
type recording struct {
	Dir, Name string
	Parts     []test
}

// recorded reads such a file, if there is one.
func recorded(file string) (map[string][]test, error) {
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	all := map[string][]test{}
	for line := range bytes.Lines(b) {
		var r recording
		if err := json.Unmarshal(line, &r); err == nil { // not a line that was cut off
			all[r.Dir+" "+r.Name] = r.Parts
		}
	}
	return all, nil
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
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			if kind.MatchString(name) && (p.Dir != "app" || then.MatchString(name)) && !skip.MatchString(name) {
				tests = append(tests, test{Program: p, Name: name})
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
		fmt.Fprintf(os.Stderr, "left out, without a defect: %s %s: %v\n%s\n", t.Program.Dir, t.Name, err, last(out))
		return nil
	}
	var parts []test
	for i, m := range partLine.FindAllSubmatch(out, -1) {
		part := test{Program: t.Program, Name: string(m[1])}
		if t.Took < long {
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
	if out, err = command(ctx, t.Program, []string{"HEARTH_MUTANTS=" + file}, "-test.v", "-test.run", t.pattern()).CombinedOutput(); err != nil {
		return out, err
	}
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return out, err
	}
	for line := range strings.Lines(string(b)) {
		if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			t.Defects = append(t.Defects, id)
		}
	}
	t.Took = time.Since(start)
	return out, nil
}

// pattern returns what -test.run selects the test by.
func (t test) pattern() string {
	name := strings.Split(t.Name, "/")
	for i, s := range name {
		name[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	return strings.Join(name, "/")
}

// last returns the end of some output.
func last(out []byte) string { return strings.TrimSpace(string(out[max(0, len(out)-300):])) }

// command runs a test program as go test does, in the folder of its package.
func command(ctx context.Context, p program, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	return cmd
}
