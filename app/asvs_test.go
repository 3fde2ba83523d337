package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	asvsRow  = regexp.MustCompile(`^\| ([0-9.–]+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$`)
	asvsTest = regexp.MustCompile("`((?:app|store|web)[a-z/]*)\\.(Test[A-Za-z0-9]+)`")
)

// Every requirement of testdata/asvs.md names tests that exist, or says why not.
func TestASVS(t *testing.T) {
	text, err := os.ReadFile("../testdata/asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	seen, tested := map[string]bool{}, 0
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| |") {
			continue
		}
		row := asvsRow.FindStringSubmatch(line)
		if row == nil {
			t.Errorf("not a row: %s", line)
			continue
		}
		id, shown, note := row[1], row[4], row[5]
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
		names := asvsTest.FindAllStringSubmatch(shown, -1)
		switch {
		case len(names) > 0:
			tested++
		case shown != "**gap**" && shown != "–", note == "":
			t.Errorf("%s names no test, and no reason: %s", id, line)
		}
		for _, name := range names {
			if !hasTest(t, name[1], name[2]) {
				t.Errorf("%s: there is no %s in %s", id, name[2], name[1])
			}
		}
	}
	if len(seen) != 219 || tested < 150 {
		t.Errorf("%d requirements, of which %d have tests", len(seen), tested)
	}
}

// hasTest reports whether the package in dir has a test.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(code), "\nfunc "+name+"(t *testing.T) {") {
			return true
		}
	}
	return false
}
