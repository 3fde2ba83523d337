package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var program struct {
	sync.Once
	dir string
	err error
}

// Main runs the tests of a package and then removes the program.
func Main(m *testing.M) {
	code := m.Run()
	if program.dir != "" {
		os.RemoveAll(program.dir)
	}
	os.Exit(code)
}

// Program returns the path of hearth, which is linked once for all tests of a package. The package runs its tests
// with [Main].
func Program(t testing.TB) string {
	t.Helper()
	path := func() string { return filepath.Join(program.dir, "hearth") }
	program.Do(func() {
		if program.dir, program.err = os.MkdirTemp("", "hearth-test-"); program.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path(), "hearth").CombinedOutput(); err != nil {
			program.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return path()
}
