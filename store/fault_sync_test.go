//go:build linux

package store_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// Every commit is synced, and every acknowledgement comes after a sync.
func TestEveryCommitIsSynced(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, clients := range []int{1, 16} {
		dir := t.TempDir()
		ops := runTraced(t, child(t, "load", filepath.Join(dir, "hearth.db"), "FULL", "1", fmt.Sprint(clients), "40"), dir)
		commits, syncs, acked, unsynced := countCommits(ops, clients)
		if syncs < commits {
			t.Errorf("%d clients: %d commits but %d syncs", clients, commits, syncs)
		}
		if unsynced > 0 {
			t.Errorf("%d clients: %d acknowledgements while a commit was not synced", clients, unsynced)
		}
		if clients == 1 && (acked != 40 || commits < acked) {
			t.Errorf("one client: %d acknowledgements, %d commits", acked, commits)
		}
		if clients == 16 && (acked != 16*40 || commits >= acked) {
			t.Errorf("16 clients: %d acknowledgements, %d commits; they should share commits", acked, commits)
		}
	}
	dir := t.TempDir()
	ops := runTraced(t, child(t, "load", filepath.Join(dir, "hearth.db"), "NORMAL", "1", "1", "40"), dir)
	if commits, syncs, _, unsynced := countCommits(ops, 1); syncs >= commits || unsynced == 0 {
		t.Errorf("synchronous=NORMAL: %d commits, %d syncs, %d unsynced answers: this test cannot see a missing sync", commits, syncs, unsynced)
	}
}

// countCommits counts the commit records in the log, the syncs of the log, the
// acknowledgements, and those that came while a commit was not synced yet.
func countCommits(ops []diskOp, clients int) (commits, syncs, acked, unsynced int) {
	open := 0
	for _, op := range ops {
		switch {
		case op.kind == 'w' && strings.HasSuffix(op.name, ".db-wal") && len(op.data) == 24:
			if binary.BigEndian.Uint32(op.data[4:]) != 0 { // the frame that ends a transaction
				commits++
				open++
			}
		case op.kind == 's' && strings.HasSuffix(op.name, ".db-wal"):
			syncs++
			open = 0
		case op.kind == 'a':
			acked++
			// One client waits for each answer, so an answer means a commit.
			// With several clients one commit may be under way.
			if clients == 1 && commits-open < acked || open > 1 {
				unsynced++
			}
		}
	}
	return commits, syncs, acked, unsynced
}

// After the first failed sync the content of the disk is unknown: neither this
// write nor a later one is acknowledged, even if later syncs would succeed.
func TestFailedSync(t *testing.T) {
	needStrace(t)
	for _, file := range []string{"hearth.db-wal", "hearth.db"} {
		for _, first := range []string{"write", "truncate"} {
			t.Run(file+" "+first, func(t *testing.T) { failedSync(t, file, first) })
		}
	}
}

func failedSync(t *testing.T, file, first string) {
	path := filepath.Join(t.TempDir(), "hearth.db")
	cmd := child(t, "sync", path, first)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	output := lines(stdout)
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	var seen acks
	for line := range output {
		if !seen.parse(line) {
			break // ready
		}
	}
	detach := failSyncs(t, cmd.Process.Pid, filepath.Join(filepath.Dir(path), file))
	io.WriteString(stdin, "go\n")
	for line := range output {
		if !seen.parse(line) {
			if want := "dead: dead"; line != want {
				t.Errorf("what first failed to sync: %q, want %q", line, want)
			}
			break
		}
	}
	detach()
	io.WriteString(stdin, "go\n")
	if line, want := <-output, "dead: dead"; line != want {
		t.Errorf("a write after the disk recovered: %q, want %q", line, want)
	}
	stdin.Close()
	for range output {
	}
	if lost, wrong := checkLoad(t, path, seen.last); lost > 0 || len(wrong) > 0 {
		t.Errorf("%d acknowledged rows lost; %v", lost, wrong)
	}
}

// failSyncs makes the syncs of a file fail in a running process until detach is
// called.
func failSyncs(t *testing.T, pid int, file string) (detach func()) {
	t.Helper()
	cmd := exec.Command("strace", "-f", "-o", os.DevNull, "-P", file, "-e", "trace=fsync,fdatasync",
		"-e", "inject=fsync,fdatasync:error=EIO", "-p", fmt.Sprint(pid))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	output := lines(stderr)
	for line := range output {
		if strings.Contains(line, "attached") {
			go func() {
				for range output {
				}
			}()
			return func() {
				cmd.Process.Signal(os.Interrupt)
				cmd.Wait()
			}
		}
		if strings.Contains(line, "not permitted") || strings.Contains(line, "Could not attach") {
			cmd.Wait()
			storetest.Without(t, "a running process cannot be traced here: %s", line)
		}
	}
	t.Fatal("strace printed nothing")
	return nil
}

// childSync writes, waits for its parent, and writes until a write fails, or empties
// the log; then it writes again.
func childSync(t *testing.T, path string, args []string) error {
	letTrace()
	db, err := openChild(t, path, "FULL")
	if err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	if err := loadClient(db, 0, 5); err != nil {
		return err
	}
	printLine("ready")
	for truncate := args[0] == "truncate"; in.Scan(); truncate = false {
		if truncate {
			_, err = db.Truncate(context.Background())
		} else { // enough to reach a checkpoint, which syncs the database file
			err = loadClient(db, 0, 3000)
		}
		dead := "alive"
		select {
		case <-db.Dead():
			dead = "dead"
		case <-time.After(time.Second):
		}
		switch {
		case errors.Is(err, store.ErrDead):
			printLine("dead: %s", dead)
		case err != nil:
			printLine("error: %s: %q", dead, err)
		default:
			printLine("no error: %s", dead)
		}
		if err := db.Read(context.Background(), func(r *store.Reader) error { _, err := r.Setting("last0"); return err }); err != nil {
			return err
		}
	}
	return nil // without Close, like a process that exits at once
}
