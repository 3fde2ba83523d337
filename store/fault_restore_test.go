//go:build linux

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// failing returns the command under strace with system calls on a file that fail.
func failing(t *testing.T, cmd *exec.Cmd, file, calls, how string) *exec.Cmd {
	t.Helper()
	args := []string{"-f", "-o", os.DevNull, "-P", file, "-e", "signal=none", "-e", "trace=" + calls, "-e", "inject=" + calls + ":" + how}
	failing := exec.Command("strace", append(args, cmd.Args...)...)
	failing.Env = cmd.Env
	return failing
}

// output runs a command and returns all that it printed.
func output(cmd *exec.Cmd) (string, error) {
	cmd.Stderr = nil
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// faults are ways in which the last writes to a file fail. The later ones may come
// after the last write.
var faults = []struct {
	calls, how string
	certain    bool
}{
	{"pwrite64", "error=ENOSPC:when=1+", true},
	{"pwrite64", "error=ENOSPC:when=2+", true},
	{"pwrite64", "error=EIO:when=3+", false},
	{"fsync,fdatasync", "error=EIO:when=1+", true},
	{"fsync,fdatasync", "error=EIO:when=2+", false},
	{"fsync,fdatasync", "error=EIO:when=3+", false},
}

// A restore whose writes fail is refused, changes nothing, and leaves no file. If it
// is done in spite of the fault, nothing is missing.
func TestRestoreOnFailingDisk(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, f := range faults {
		db, backup := madeBackup(t)
		before := read(t, db)
		out, err := output(failing(t, child(t, "restore", db, backup), db+".restoring", f.calls, f.how))
		if f.certain && err == nil {
			t.Errorf("%s %s: restored: %s", f.calls, f.how, out)
		}
		if err == nil {
			if rep, err := store.Verify(context.Background(), storetest.Schema(t), db, nil); err != nil || len(rep.Broken) > 0 ||
				newestEvent(t, db) < 1<<32 {
				t.Errorf("%s %s: restored in part: %v %v", f.calls, f.how, rep.Broken, err)
			}
			continue
		}
		if !bytes.Equal(read(t, db), before) {
			t.Errorf("%s %s: the database was changed: %v %s", f.calls, f.how, err, out)
		}
		if left, _ := filepath.Glob(db + ".*"); len(left) > 0 {
			t.Errorf("%s %s: left behind: %v", f.calls, f.how, left)
		}
	}
}

func childRestore(t *testing.T, path string, args []string) error {
	_, _, err := store.Restore(context.Background(), storetest.Schema(t), args[0], path, storetest.Epoch, nil)
	return err
}

// What an earlier restore left that was killed is not applied to another backup.
func TestRestoreAfterUnfinished(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	for ending, data := range unfinished(t, backup) {
		if err := os.WriteFile(db+".restoring"+ending, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, rep, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, nil); err != nil {
		t.Fatal(rep, err)
	}
	if rep, err := store.Verify(context.Background(), storetest.Schema(t), db, nil); err != nil || len(rep.Broken) > 0 {
		t.Error(rep.Broken, err)
	}
	if n := settings(t, db, "row"); n != 300 {
		t.Errorf("%d of 300 rows came back", n)
	}
	if left, _ := filepath.Glob(db + ".restoring*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The copy that a restore makes is no backup for it, whatever it is called: the restore
// would remove it before it reads it.
func TestRestoreFromItsOwnCopy(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	data := read(t, backup)
	part := db + ".restoring"
	if err := os.WriteFile(part, data, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(part, link); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{true, false} {
		for _, from := range []string{part, link} {
			_, _, err := store.Restore(context.Background(), storetest.Schema(t), from, db, storetest.Epoch, nil)
			if err == nil || !strings.Contains(err.Error(), "of a restore that did not end") || !bytes.Equal(maybeRead(part), data) {
				t.Errorf("with a database: %v, from %s: %v", there, from, err)
			}
		}
		if _, err := os.Lstat(db); (err == nil) != there {
			t.Errorf("the database is there: %v", err)
		}
		os.Remove(db)
	}
}

// unfinished returns the files that a restore of a backup leaves that is killed before
// it has moved its log into the copy, by their endings. The log deletes the rows.
func unfinished(t *testing.T, backup string) map[string][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "killed.db")
	if err := os.WriteFile(path, read(t, backup), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.SetMaxOpenConns(1)
	for _, statement := range []string{`PRAGMA journal_mode = WAL`, `PRAGMA wal_autocheckpoint = 0`, `DELETE FROM setting`} {
		if _, err := file.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	left := map[string][]byte{}
	for _, ending := range []string{"", "-wal", "-shm"} {
		left[ending] = read(t, path+ending)
	}
	return left
}

// A log that appears beside the database while a backup is copied would be applied to
// the restored file, and one that appears beside the backup would be left out: the restore
// is refused.
func TestRestoreBesideNewLog(t *testing.T) {
	t.Parallel()
	for _, beside := range []string{"database", "backup"} {
		db, backup := madeBackup(t)
		before := read(t, db)
		log := map[string]string{"database": db, "backup": backup}[beside] + "-wal"
		_, _, err := store.Restore(context.Background(), storetest.Schema(t), backup, db, storetest.Epoch, func(doing string, _, _ int64) {
			os.WriteFile(log, []byte("frames"), 0o600)
		})
		if err == nil || !bytes.Equal(read(t, db), before) {
			t.Errorf("restored beside a new log of the %s: %v", beside, err)
		}
	}
}

// A first start whose writes fail leaves no database, and the next one makes it.
func TestFirstStartOnFailingDisk(t *testing.T) {
	t.Parallel()
	needStrace(t)
	for _, f := range faults {
		path := filepath.Join(t.TempDir(), "h.db")
		load := func() *exec.Cmd { return child(t, "load", path, "FULL", "1", "1", "1") }
		out, err := output(failing(t, load(), path+".new", f.calls, f.how))
		if f.certain && err == nil || strings.Contains(out, "panic") {
			t.Errorf("%s %s: %v %s", f.calls, f.how, err, out)
		}
		if _, there := os.Lstat(path); err != nil && there == nil {
			t.Errorf("%s %s: the database is there", f.calls, f.how)
		}
		if out, err := output(load()); err != nil {
			t.Errorf("%s %s: the next start: %v %s", f.calls, f.how, err, out)
		}
	}
}

// A log without its database is not applied to a new one, and a restore that was
// interrupted before there was a database is not passed over.
func TestFirstStartBesideOldLog(t *testing.T) {
	for _, ending := range []string{"-wal", "-journal", ".restoring"} {
		path := filepath.Join(t.TempDir(), "h.db")
		if err := os.WriteFile(path+ending, []byte("frames"), 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(context.Background(), path, store.Options{Schema: storetest.Schema(t)})
		if err == nil {
			db.Close()
			t.Errorf("%s: a database was made beside it", ending)
		}
		if string(maybeRead(path+ending)) != "frames" {
			t.Errorf("%s was changed", ending)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: the database is there", ending)
		}
	}
}

// A backup is not written beside what would be applied to it.
func TestBackupBesideOldLog(t *testing.T) {
	t.Parallel()
	db, backup := madeBackup(t)
	for _, ending := range []string{"-wal", "-journal"} {
		to := fmt.Sprint(backup, ending[1:])
		if err := os.WriteFile(to+ending, []byte("frames"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := backUp(t, db, to); err == nil {
			t.Errorf("a backup was made beside %s", ending)
		}
	}
}
