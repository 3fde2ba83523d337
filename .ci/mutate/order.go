package main

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// testsOf returns, for each defect, the tests that execute it, the quickest first. A
// defect in what initialises a variable of a package is executed by all tests: those
// of its program come first that execute most of the other defects of its file, and
// the others are left out if there are some.
func testsOf(tests []test, defects []mutant) map[int][]test {
	slices.SortStableFunc(tests, func(a, b test) int { return int(a.Took - b.Took) })
	all, count := map[int][]test{}, map[program]int{}
	for _, t := range tests {
		count[t.Program]++
		for _, id := range t.Defects {
			all[id] = append(all[id], t)
		}
	}
	initial := map[int]bool{}
	for id, ts := range all {
		of := map[program]int{}
		for _, t := range ts {
			of[t.Program]++
		}
		for p, n := range of {
			initial[id] = initial[id] || n > 3 && n == count[p]
		}
	}
	for _, m := range defects {
		if !initial[m.id] {
			continue
		}
		near := map[string]int{}
		for _, other := range defects {
			if other.file == m.file && !initial[other.id] {
				for _, t := range all[other.id] {
					near[t.Program.Dir+" "+t.Name]++
				}
			}
		}
		score := func(t test) int { return near[t.Program.Dir+" "+t.Name] }
		if len(near) > 0 {
			all[m.id] = slices.DeleteFunc(slices.Clone(all[m.id]), func(t test) bool { return score(t) == 0 })
			slices.SortStableFunc(all[m.id], func(a, b test) int { return score(b) - score(a) })
		}
	}
	return all
}

// history is which tests noticed which defects, by the file of these.
type history struct {
	mu    sync.Mutex
	kills map[string][]kill
}

// kill is that a test noticed a defect in a line.
type kill struct {
	line int
	test string
}

// chance returns what the chance of noticing m with a test is taken for, of no unit: a
// test that noticed defects nearby is likely to, and one that executes little of all is
// likelier than one that executes nearly everything.
func (h *history) chance(m mutant, kills []kill, t test) float64 {
	c := 1 / float64(len(t.Defects)+50)
	for _, k := range kills {
		if k.test == t.key() {
			c += 1 / float64(10+max(k.line-m.line, m.line-k.line))
		}
	}
	return c
}

// key names a test among those of all packages.
func (t test) key() string { return t.Program.Dir + " " + t.Name }

// order returns the tests in the order of how likely they notice m in a given time.
func (h *history) order(m mutant, tests []test) []test {
	h.mu.Lock()
	kills := slices.Clone(h.kills[m.file])
	h.mu.Unlock()
	worth := map[string]float64{}
	for _, t := range tests {
		worth[t.key()] = h.chance(m, kills, t) / (t.Took.Seconds() + 0.1)
	}
	tests = slices.Clone(tests)
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(worth[b.key()], worth[a.key()]) })
	return tests
}

var failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+) `)

// noticed notes which of the tests failed with m, by their output.
func (h *history) noticed(m mutant, tests []test, out []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kills == nil {
		h.kills = map[string][]kill{}
	}
	for _, f := range failLine.FindAllSubmatch(out, -1) {
		for _, t := range tests {
			if t.Name == string(f[1]) {
				h.kills[m.file] = append(h.kills[m.file], kill{m.line, t.key()})
			}
		}
	}
}

// try runs tests that execute a defect while it is active: of each package those that
// are likeliest to notice it, its own first and ./app last, and then further ones.
func (h *history) try(o options, m mutant, tests []test) string {
	if len(tests) == 0 {
		return unread
	}
	byProgram := map[program][]test{}
	var order []program
	for _, t := range h.order(m, tests) {
		if byProgram[t.Program] == nil {
			order = append(order, t.Program)
		}
		byProgram[t.Program] = append(byProgram[t.Program], t)
	}
	rank := func(p program) int {
		switch p.Dir {
		case filepath.Dir(m.file):
			return 0
		case "app":
			return 2
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b program) int { return rank(a) - rank(b) })
	for _, enough := range []time.Duration{o.enough / 40, o.enough / 6, o.enough} {
		for _, p := range order {
			n, took := 0, time.Duration(0)
			for left := byProgram[p]; n < len(left) && (n == 0 || took+left[n].Took < enough/time.Duration(len(order))); n++ {
				took += left[n].Took
			}
			if n == 0 {
				continue
			}
			if outcome := h.execute(o, m, p, byProgram[p][:n], took); outcome != lived {
				return outcome
			}
			byProgram[p] = byProgram[p][n:]
		}
	}
	return lived
}

func (h *history) execute(o options, m mutant, p program, tests []test, took time.Duration) string {
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
	h.noticed(m, tests, out)
	return killed
}
