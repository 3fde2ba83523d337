// Command mutate plants small defects, one at a time, and runs the tests that
// execute the changed line: a defect that no test notices shows a test that is
// missing.
//
//	go run ./.ci/mutate -n 50 -seed 1 ./store ./app/chat
//
// It changes comparisons, logical operators, sums and numbers, in Go and in the SQL of
// the store's strings; makes conditions of SQL always true; and leaves out calls,
// assignments and steps that may fail. All defects are compiled into the same test programs, which are given
// to the compiler as an overlay, without writing to the source; an environment
// variable says which of them is active (mutant schemata: Untch, Offutt and Harrold,
// Mutation Analysis Using Mutant Schemata, 1993). Each test runs once by itself to
// learn which defects it executes, so that the tests of a defect are few; of a long
// test, each part.
//
// What makes no difference is not changed, by its form: capacities, time limits by the
// clock of the machine, clamps, and what decides how quickly something is found; see
// visit.go.
//
// With -file it plants defects of some files alone. With -again it plants those of its
// own output again that lived, such as after tests were added. With -keep the test
// programs stay in a folder, and what each test executes, which is learnt again only of
// new tests until the code changes; and a list of the defects: a test runs with one of
// them as HEARTH_MUTANT=number store-SUM.test.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// outcome of a defect.
const (
	killed  = "killed"
	lived   = "LIVED"
	timeout = "TIMEOUT" // noticed, but by the limit of time
	unread  = "NO TEST" // no test executes it, or its other value is the same
)

// options are the flags.
type options struct {
	n       int
	seed    uint64
	within  time.Duration
	limit   time.Duration
	enough  time.Duration
	then    string
	skip    string
	only    *regexp.Regexp
	change  *regexp.Regexp
	again   string
	except  string
	keep    string
	rotate  bool
	workers int
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 10, "how many defects of each package")
	flag.Uint64Var(&o.seed, "seed", 1, "which ones")
	flag.DurationVar(&o.within, "within", time.Hour, "how long defects are tried, once the tests have been executed")
	flag.DurationVar(&o.limit, "limit", 20*time.Second, "least time for the tests of one defect")
	flag.DurationVar(&o.enough, "enough", 30*time.Second, "of the tests that execute a defect, those are run that are likeliest to notice it and take this time together")
	flag.StringVar(&o.then, "then", "TestTranscripts$|TestMatrix$|TestToolMatrix$", "the tests of ./app that are run, too; empty for none")
	flag.StringVar(&o.skip, "skip", "Fault|Kill|Power|Bench|Writer|UnderLoad|Memory|ManyWords|Browser|Abuse|Calls", "the tests that are not run")
	only := flag.String("file", "", "a pattern of the files, as in app/chat/read.go, whose defects are planted")
	flag.StringVar(&o.again, "again", "", "a file with output of this command: plant those defects only that lived")
	flag.StringVar(&o.except, "except", "", "a file with output of this command: leave out the defects that it tells the outcome of, so that a run that was stopped goes on")
	flag.StringVar(&o.keep, "keep", "", "a folder in which the test programs stay, and which defects a test executes: it is run again only when the code has changed")
	flag.BoolVar(&o.rotate, "rotate", false, "of the packages, only the one that the seed selects")
	flag.IntVar(&o.workers, "p", 2, "how many programs run at once")
	kind := flag.String("change", "", "a pattern of the changes, as in 'left out' or 'always true', that are planted")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		if o.change, err = regexp.Compile(*kind); err == nil {
			err = run(o, flag.Args())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options, dirs []string) error {
	if o.rotate && len(dirs) > 0 {
		dirs = dirs[int(o.seed%uint64(len(dirs))):][:1]
	}
	work, done, err := folder(o.keep)
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	all, overlay, sum, err := plant(work, dirs)
	if err != nil {
		return err
	}
	picked, err := pick(o, dirs, all)
	if err != nil {
		return err
	}
	programs, err := compile(work, overlay, sum, picked, o.then != "")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d defects in %d test programs, compiled in %v\n", len(all), len(programs), time.Since(start).Round(time.Second))
	tests, err := record(o, filepath.Join(work, "executed-"+sum), programs)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d tests executed once, %v\n", len(tests), time.Since(start).Round(time.Second))
	return report(dirs, runAll(o, time.Now(), picked, testsOf(tests, all)))
}

// folder returns the folder to work in, and what removes it if it is not kept.
func folder(keep string) (path string, done func(), err error) {
	if keep != "" {
		path, err = filepath.Abs(keep)
		return path, func() {}, errors.Join(err, os.MkdirAll(path, 0o700))
	}
	path, err = os.MkdirTemp("", "mutate")
	return path, func() { os.RemoveAll(path) }, err
}

// pick shuffles the defects and returns those to plant, package by package.
func pick(o options, dirs []string, all []mutant) (picked []mutant, err error) {
	earlier, err := namedIn(o.again, lived, unread)
	if err != nil {
		return nil, err
	}
	tried, err := namedIn(o.except, killed, lived, timeout, unread)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		name := strings.TrimSpace(m.String()) // with nothing in place of a word it ends with a space
		return o.again != "" && !earlier[name] || tried[name] || !o.only.MatchString(m.file) || !o.change.MatchString(m.text)
	})
	rng := rand.New(rand.NewPCG(o.seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, dir := range dirs {
		n := 0
		for _, m := range all {
			if n < o.n && filepath.Dir(m.file) == filepath.Clean(dir) {
				n++
				picked = append(picked, m)
			}
		}
	}
	return picked, nil
}

// namedIn returns the defects with one of some outcomes, of the output in a file; none
// without one.
func namedIn(file string, outcomes ...string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	all := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		for _, outcome := range outcomes {
			if rest, ok := strings.CutPrefix(line, outcome+" "); ok {
				all[strings.TrimSpace(rest)] = true
			}
		}
	}
	return all, err
}

// result is the outcome of one defect.
type result struct {
	mutant
	outcome string
}

// runAll runs the tests of each defect, and prints its outcome.
func runAll(o options, start time.Time, picked []mutant, tests map[int][]test) (results []result) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var h history
	next := make(chan mutant)
	for range o.workers {
		wg.Go(func() {
			for m := range next {
				outcome := h.try(o, m, tests[m.id])
				mu.Lock()
				fmt.Printf("%-8s %s\n", outcome, m)
				results = append(results, result{m, outcome})
				mu.Unlock()
			}
		})
	}
	for _, m := range picked {
		if time.Since(start) > o.within {
			break
		}
		next <- m
	}
	close(next)
	wg.Wait()
	return results
}

// report prints the sums, and fails if nothing was tried or the tests notice nearly
// nothing.
func report(dirs []string, results []result) error {
	noticed := 0
	for _, dir := range dirs {
		count := map[string]int{}
		for _, r := range results {
			if filepath.Dir(r.file) == filepath.Clean(dir) {
				count[r.outcome]++
			}
		}
		k := count[killed] + count[timeout]
		noticed += k
		fmt.Printf("%-14s %d of %d noticed (%d by the limit of time); no test executes %d\n", dir, k, k+count[lived]+count[unread], count[timeout], count[unread])
	}
	fmt.Printf("%d of %d defects were noticed\n", noticed, len(results))
	switch {
	case len(results) == 0:
		return errors.New("no defect was tried: give them more time with -within")
	case len(results) >= 9 && noticed*3 < len(results): // fewer say nothing
		return errors.New("the tests notice less than a third of the defects")
	}
	return nil
}
