package storetest

import (
	"os"
	"testing"
)

// Without skips t because something it needs is not on this machine. In CI, where HEARTH_CI is set, it fails instead.
func Without(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("HEARTH_CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
