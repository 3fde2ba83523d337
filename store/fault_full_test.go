//go:build linux

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hearth/store"
	"hearth/store/storetest"
)

// On a full disk writes fail and nothing is lost; reads still work, and writes
// work again once there is space.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	t.Run("disk", func(t *testing.T) {
		cmd := child(t, "full", filepath.Join(t.TempDir(), "hearth.db"), "disk")
		// The child has its own file system, which ends with it.
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Geteuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		runFull(t, cmd)
	})
	t.Run("limit", func(t *testing.T) {
		runFull(t, child(t, "full", filepath.Join(t.TempDir(), "hearth.db"), "limit"))
	})
}

func runFull(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.Output()
	switch last := string(out); {
	case errors.Is(err, syscall.EPERM), strings.HasPrefix(last, "no mount"):
		storetest.Without(t, "a file system cannot be created here: %v %s", err, out)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case !strings.HasSuffix(last, "recovered\n"):
		t.Errorf("child printed:\n%s", out)
	default:
		t.Log(strings.ReplaceAll(strings.TrimSpace(last), "\n", "; "))
	}
}

func childFull(t *testing.T, path string, args []string) error {
	fill, free, err := makeDisk(filepath.Dir(path), args[0])
	if err != nil {
		printLine("no mount: %v", err)
		return nil
	}
	db, err := openChild(t, path, "FULL")
	if err != nil {
		return err
	}
	for round := range 3 {
		if err := loadClient(db, 0, 20); err != nil {
			return fmt.Errorf("with space, round %d: %w", round, err)
		}
		acked, err := writeUntilFull(db, path, fill)
		if err != nil {
			return err
		}
		if err := readLast(db, acked); err != nil {
			return err
		}
		if round == 1 { // a restart on the full disk may be refused, but must change nothing
			if err := db.Close(); err != nil {
				return err
			}
			if again, err := openChild(t, path, "FULL"); err == nil {
				again.Close()
			} else if !store.Unavailable(err) || strings.Contains(err.Error(), "\n") {
				return fmt.Errorf("open on a full disk: %q", err)
			}
		}
		if err := free(); err != nil {
			return err
		}
		if round == 1 {
			if db, err = openChild(t, path, "FULL"); err != nil {
				return fmt.Errorf("open with space again: %w", err)
			}
		}
		if err := loadClient(db, 0, 1); err != nil {
			return fmt.Errorf("the first write with space again: %w", err)
		}
		if err := readLast(db, acked+1); err != nil {
			return err
		}
		if err := db.Close(); err != nil {
			return err
		}
		if lost, wrong := checkLoad(t, path, map[int]int{0: acked + 1}); lost > 0 || len(wrong) > 0 {
			return fmt.Errorf("%d acknowledged rows lost; %v", lost, wrong)
		}
		if db, err = openChild(t, path, "FULL"); err != nil {
			return err
		}
	}
	printLine("recovered")
	return db.Close()
}

// writeUntilFull fills the disk and writes until some writes were refused. It
// returns the number of the last acknowledged write.
func writeUntilFull(db *store.DB, path string, fill func(used int64) error) (acked int, err error) {
	fi, err := os.Stat(path + "-wal")
	if err != nil {
		return 0, err
	}
	if err := fill(fi.Size()); err != nil {
		return 0, err
	}
	refused, tries := 0, 0
	for ; refused < 20 && tries < 5000; tries++ {
		var n int
		err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
			n, err = loadWrite(tx, 0)
			return err
		})
		switch {
		case err == nil:
			acked = n
		case errors.Is(err, store.ErrFull), errors.Is(err, store.ErrIO):
			refused++
		default:
			return 0, fmt.Errorf("a write on a full disk: %w", err)
		}
		select {
		case <-db.Dead():
			return 0, errors.New("the database is dead after a full disk")
		default:
		}
	}
	printLine("%d of %d writes refused", refused, tries)
	if refused == 0 {
		return 0, errors.New("the disk did not fill up")
	}
	if acked == 0 {
		err = db.Read(context.Background(), func(r *store.Reader) error {
			s, err := r.Setting("last0")
			fmt.Sscan(s, &acked)
			return err
		})
	}
	return acked, err
}

// readLast checks that reads work and see exactly what was acknowledged.
func readLast(db *store.DB, acked int) error {
	return db.Read(context.Background(), func(r *store.Reader) error {
		if s, err := r.Setting("last0"); err != nil || s != fmt.Sprint(acked) {
			return fmt.Errorf("%d writes were acknowledged, %q are there: %v", acked, s, err)
		}
		return nil
	})
}

// makeDisk returns functions that fill and free the disk that dir is on, or the
// quota.
func makeDisk(dir, kind string) (fill func(used int64) error, free func() error, err error) {
	if kind == "limit" {
		signal.Ignore(unix.SIGXFSZ)
		limit := func(n uint64) error {
			return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY})
		}
		return func(used int64) error { return limit(uint64(used) + 10_000) }, func() error { return limit(unix.RLIM_INFINITY) }, nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, nil, err
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		return nil, nil, err
	}
	ballast := filepath.Join(dir, "ballast")
	fill = func(int64) error {
		f, err := os.Create(ballast)
		if err != nil {
			return err
		}
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if !errors.Is(err, unix.ENOSPC) {
			return err
		}
		return nil
	}
	return fill, func() error { return os.Remove(ballast) }, nil
}
