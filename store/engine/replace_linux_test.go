package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A file that is replaced has its name at every moment: the system tells of no renaming
// or removal of it.
func TestReplaceLeavesNoGap(t *testing.T) {
	dir := t.TempDir()
	to, part := filepath.Join(dir, "h.db"), filepath.Join(dir, "part")
	for path, text := range map[string]string{to: "old", part: "new"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_FROM|unix.IN_DELETE); err != nil {
		t.Fatal(err)
	}
	aside, err := replace(part, to, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	events := make([]byte, 4096)
	n, err := unix.Read(fd, events)
	if err != nil || !bytes.Contains(events[:n], []byte("part\x00")) {
		t.Errorf("the system told nothing of the new file: %d bytes, %v", n, err)
	}
	if n > 0 && bytes.Contains(events[:n], []byte("h.db\x00")) {
		t.Error("the file was without its name for a moment")
	}
	for path, want := range map[string]string{to: "new", aside: "old"} {
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("%s has %q, want %q, %v", path, got, want, err)
		}
	}
}

// Where the new file cannot take its place, the old one stays, under its name alone;
// and where there was none, none is kept.
func TestReplaceThatFails(t *testing.T) {
	dir := t.TempDir()
	to := filepath.Join(dir, "h.db")
	if err := os.WriteFile(to, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if aside, err := replace(filepath.Join(dir, "none"), to, time.Unix(0, 0)); err == nil || aside != "" {
		t.Errorf("a file that is not there: %q, %v", aside, err)
	}
	if err := os.Rename(to, filepath.Join(dir, "part")); err != nil {
		t.Fatal(err)
	}
	if aside, err := replace(filepath.Join(dir, "part"), to, time.Unix(0, 0)); err != nil || aside != "" {
		t.Errorf("to a new place: %q, %v", aside, err)
	}
	if found, err := os.ReadDir(dir); len(found) != 1 || err != nil {
		t.Errorf("%d files are left, want one, %v", len(found), err)
	}
}
