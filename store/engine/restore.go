package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Restore replaces the database to with a verified copy of the backup from. It
// returns the path under which the database that was there before is kept, ""
// if there was none. It refuses, and changes neither file, while to is being
// served, while SQLite's log of an earlier run is beside it, and when the backup
// is broken, foreign or newer than this program. Of a backup without a manifest
// only the content is checked. It calls replacing last, with a connection to the copy;
// if that fails, nothing is replaced.
func Restore(ctx context.Context, schema Schema, from, to string, now time.Time, progress Progress,
	replacing func(*Conn) error) (aside string, rep Report, err error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if to, err = Resolve(to); err != nil {
		return "", rep, err
	}
	if from, err = Resolve(from); err != nil {
		return "", rep, err
	}
	if _, err := os.Lstat(to); err == nil {
		lock, err := lockFile(to)
		if err != nil {
			return "", rep, err
		}
		defer lock.Close()
	}
	if err := noLogs(from, to); err != nil {
		return "", rep, err
	}
	part := restoringPath(to)
	if sameFile(from, part) { // which is removed first
		return "", rep, fmt.Errorf("%s is of a restore that did not end, and may not be whole; restore the backup itself, or rename the file "+
			"and check it with: hearth verify", from)
	}
	defer removeFile(part)
	if rep, err = copyVerified(ctx, schema, from, part, to, progress); err != nil {
		return "", rep, err
	}
	if len(rep.Broken) > 0 {
		return "", rep, fmt.Errorf("%s is broken and was not restored: %s", from, rep.Broken[0])
	}
	if err := prepareRestored(part, from, schema, replacing); err != nil {
		return "", rep, err
	}
	if err := noLogs(from, to); err != nil { // since the copy was begun
		return "", rep, err
	}
	aside, err = replace(part, to, now)
	return aside, rep, err
}

// prepareRestored runs the schema's statements for a restored copy, and then replacing.
func prepareRestored(path, from string, schema Schema, replacing func(*Conn) error) error {
	return writeFile(path, func(c *Conn) error {
		if err := c.script(schema.Restored); err != nil {
			return fmt.Errorf("cannot prepare the copy of %s: %w", from, err)
		}
		return replacing(c)
	})
}

// restoringPath returns the name of a file while it is being restored.
func restoringPath(to string) string { return to + ".restoring" }

// sameFile reports whether two paths are of one file that exists.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// replace renames part over to, after giving the existing file a second name, so that
// to is always one of them, whenever this is interrupted.
func replace(part, to string, now time.Time) (aside string, err error) {
	if aside, err = keepAside(to, now); err != nil {
		return "", err
	}
	dir := filepath.Dir(to)
	if aside != "" {
		err = SyncDir(dir)
	}
	if err == nil {
		err = noLogOf(to) // of a command that opened it meanwhile
	}
	if err == nil {
		err = rename(part, to)
	}
	if err != nil {
		if aside != "" {
			os.Remove(aside)
		}
		return "", err
	}
	return aside, SyncDir(dir)
}

// noLogs refuses logs beside either file: the backup's would be left out, and
// the target's would be applied to the restored file.
func noLogs(from, to string) error {
	if err := noLogOf(to); err != nil {
		return err
	}
	if log := logOf(from); log != "" {
		return fmt.Errorf("%s has a log beside it (%s), so it is a database in use and no backup; make one with: hearth backup", from, log)
	}
	return nil
}

// noLogOf refuses a log beside the file that is to be replaced.
func noLogOf(to string) error {
	if log := logOf(to); log != "" {
		return fmt.Errorf("%s was left by a run that did not end cleanly, or a command uses the database now, and would damage the restored "+
			"file; "+
			"end the command, or start hearth on %s once and stop it, or move all its files away", log, to)
	}
	return nil
}

// logOf returns the name of a log beside a database, "" if there is none.
func logOf(path string) string {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(path + suffix); err == nil {
			return path + suffix
		}
	}
	return ""
}

// copyVerified copies from to part and checks the copy, so that what was checked
// is what is restored.
func copyVerified(ctx context.Context, schema Schema, from, part, to string, progress Progress) (rep Report, err error) {
	if err := checkHead(from); err != nil {
		return rep, err
	}
	if rep.Manifest, err = readManifest(from); err != nil {
		return rep, err
	}
	if err := removeFile(part); err != nil { // of a restore that was killed
		return rep, err
	}
	f, err := create(part, to)
	if err != nil {
		return rep, err
	}
	sum, size, err := hashFile(ctx, from, f, "copying", progress)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return rep, fmt.Errorf("cannot copy %s to %s: %w", from, part, err)
	}
	if rep.Manifest != nil {
		rep.Broken = rep.Manifest.differences(sum, size)
	}
	if len(rep.Broken) > 0 {
		return rep, nil
	}
	err = checkContent(ctx, schema, part, complete, &rep, progress)
	return rep, err
}

// keepAside gives the file at path a second name, so that a restore never loses one.
func keepAside(path string, now time.Time) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for n := range 100 {
		aside := path + ".before-" + now.UTC().Format("20060102T150405Z")
		if n > 0 {
			aside = fmt.Sprintf("%s.%d", aside, n)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, linkOrCopy(path, aside)
		}
	}
	return "", fmt.Errorf("too many replaced files are beside %s; remove some", path)
}

// linkOrCopy makes to the same file as from, or a copy where the file system has no
// links.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	f, err := create(to, from)
	if err != nil {
		return err
	}
	_, _, err = hashFile(context.Background(), from, f, "copying", func(string, int64, int64) {})
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(to)
		return fmt.Errorf("cannot copy %s to %s: %w", from, to, err)
	}
	return nil
}
