//go:build linux

package app_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hearth/store/storetest"
)

// The server is killed at random moments under load. Every acknowledged message
// must exist after the next start, which must be quick, and messages that were
// not acknowledged can be sent again without being stored twice.
func TestServerKilled(t *testing.T) {
	t.Parallel() // most of it is waiting
	program := storetest.Program(t)
	path := filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 4)
	rounds := storetest.Rounds(3, 100)
	var starts []time.Duration
	for range rounds {
		start := time.Now()
		p := serve(t, exec.Command(program, serveArgs(path)...))
		if a := p.ask(nil, "GET", "/health", nil); a.status != http.StatusOK {
			t.Fatalf("the first response after a start: %d", a.status)
		}
		starts = append(starts, time.Since(start))
		for _, who := range people {
			if a := p.send(who); a.status/100 != 2 {
				t.Errorf("a message sent again: %d %s", a.status, a.body.Code)
			}
			if _, ids := p.newest(who); !slices.Contains(ids, who.acked[len(who.acked)-1]) {
				t.Error("an acknowledged message is not on the newest page")
			}
		}
		killUnderLoad(t, p, people)
		checkMessages(t, path, people)
		if t.Failed() {
			return
		}
	}
	slices.Sort(starts)
	t.Logf("%d kills, %d messages acknowledged; first response after %v (median), %v (slowest)",
		rounds, checkMessages(t, path, people), starts[len(starts)/2], starts[len(starts)-1])
}

func killUnderLoad(t *testing.T, p *process, people []*client) {
	t.Helper()
	var answered atomic.Int64
	until := 1 + rand.Int64N(400)
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for _, who := range people {
		wg.Go(func() {
			for {
				a := p.send(who)
				if a.status == 0 {
					return
				}
				if a.status != http.StatusCreated {
					t.Errorf("a send: %d %s", a.status, a.body.Code)
				}
				if answered.Add(1) == until {
					close(enough)
				}
			}
		})
	}
	<-enough
	if err := p.kill(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the server did not die of SIGKILL: %v\n%s", err, p.log)
	}
	wg.Wait()
}

// On a full disk, writes are 503 storage_full and reads continue. The server
// recovers once there is space.
func TestServerDiskFull(t *testing.T) {
	t.Parallel() // most of it is waiting
	program, self := storetest.Program(t), testProgram(t)
	seed, mnt := filepath.Join(t.TempDir(), "seed.db"), t.TempDir()
	people := clients(t, seed, 2)
	cmd := exec.Command(self, "-test.run=^TestFaultMount$")
	cmd.Env = []string{mountEnv + "=" + strings.Join([]string{mnt, seed, program}, "\x1f")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	p := serve(t, cmd)
	inside := fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, mnt)
	for range 3 {
		trySend(t, p, people, http.StatusCreated, "")
		fillDisk(t, filepath.Join(inside, "ballast"))
		for a := (answered{}); a.status != http.StatusServiceUnavailable; { // the last page of the WAL has some space
			if a = p.send(people[0]); a.status != http.StatusCreated && a.status != http.StatusServiceUnavailable {
				t.Fatalf("a send on a full disk: %d %s", a.status, a.body.Code)
			}
		}
		trySend(t, p, people, http.StatusServiceUnavailable, "storage_full")
		if err := os.Remove(filepath.Join(inside, "ballast")); err != nil {
			t.Fatal(err)
		}
		trySend(t, p, people, http.StatusCreated, "")
	}
	copyOut := filepath.Join(t.TempDir(), "hearth.db")
	copyFiles(t, filepath.Join(inside, "hearth.db"), copyOut)
	checkMessages(t, copyOut, people)
}

// trySend lets every client send, checks the response, and checks that reads
// work.
func trySend(t *testing.T, p *process, people []*client, status int, code string) {
	t.Helper()
	for range 5 {
		for _, who := range people {
			a := p.send(who)
			if a.status != status || a.body.Code != code || (status == http.StatusServiceUnavailable) != (a.retryAfter != "") {
				t.Errorf("a send: %d %q, Retry-After %q; want %d %q", a.status, a.body.Code, a.retryAfter, status, code)
			}
			if a, ids := p.newest(who); a.status != http.StatusOK || len(who.acked) > 0 && !slices.Contains(ids, who.acked[len(who.acked)-1]) {
				t.Errorf("a read: %d with %d messages", a.status, len(ids))
			}
		}
	}
}

const mountEnv = "HEARTH_FAULT_MOUNT"

// TestFaultMount is run in a child process on a small file system of its own.
func TestFaultMount(t *testing.T) {
	args := strings.Split(os.Getenv(mountEnv), "\x1f")
	if len(args) != 3 {
		t.Skip("runs as the child process of TestServerDiskFull")
	}
	mnt, seed, program := args[0], args[1], args[2]
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=4m")
	}
	if err == nil {
		path := filepath.Join(mnt, "hearth.db")
		copyFiles(t, seed, path)
		err = syscall.Exec(program, append([]string{program}, serveArgs(path)...), nil)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

func testProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// copyFiles copies a database that this process does not have open, with its
// WAL.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	for _, ending := range []string{"", "-wal"} {
		b, err := os.ReadFile(from + ending)
		if ending != "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+ending, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func fillDisk(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// The database file is moved away and back.
func TestServerFileLost(t *testing.T) {
	t.Parallel() // most of it is waiting
	path := filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 2)
	p := serve(t, exec.Command(storetest.Program(t), serveArgs(path)...))
	for range 3 {
		trySend(t, p, people, http.StatusCreated, "")
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		trySend(t, p, people, http.StatusServiceUnavailable, "storage_unavailable")
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
	trySend(t, p, people, http.StatusCreated, "")
	p.kill()
	checkMessages(t, path, people)
}

// After the first failed sync nothing is acknowledged, and the server exits with
// an error.
func TestServerFailedSync(t *testing.T) {
	t.Parallel() // most of it is waiting
	if _, err := exec.LookPath("strace"); err != nil {
		storetest.Without(t, "strace is not installed; .ci/run installs it")
	}
	path := filepath.Join(t.TempDir(), "hearth.db")
	people := clients(t, path, 2)
	program := storetest.Program(t)
	// Only syncs after the start may fail: the WAL exists by then, and the first
	// jobs have run.
	args := []string{"-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=60+"}
	cmd := exec.Command("strace", append(append(args, program), serveArgs(path)...)...)
	p := serve(t, cmd)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	var failed int
	for ctx.Err() == nil {
		a := p.send(people[0])
		if a.status == 0 {
			break
		}
		if a.status != http.StatusCreated {
			failed++
			if a.status != http.StatusServiceUnavailable {
				t.Errorf("a send whose sync failed: %d %s", a.status, a.body.Code)
			}
		} else if failed > 0 {
			t.Error("a send was acknowledged after a failed sync")
		}
	}
	select {
	case err := <-p.ended:
		close(p.ended)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() <= 0 {
			t.Errorf("the server exited with %v", err)
		}
		if !strings.Contains(p.log.String(), "a sync to disk failed") {
			t.Errorf("the log has no reason:\n%s", p.log)
		}
	case <-ctx.Done():
		t.Fatal("the server continues after a failed sync")
	}
	// If the first sync to fail is that of a checkpoint, the send before it was
	// acknowledged, and the next may find no server.
	if len(people[0].acked) == 0 {
		t.Errorf("no send was acknowledged before the first failed sync (%d refused)", failed)
	}
	checkMessages(t, path, people)
}
