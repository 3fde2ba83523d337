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

// Restore replaces the database to with a verified copy of the backup from. It returns
// the path under which the database that was there before is kept, "" if there was
// none. It refuses, and changes neither file, while to is being served, or while
// SQLite's log of an earlier run is beside it. It also refuses a backup that is
// broken, foreign or newer than this program. Of a backup without a manifest only the
// content is checked. It calls replacing last, with a connection to the copy; if that
// fails, nothing is replaced.
func Restore(ctx context.Context, schema Schema, from, to string, now time.Time, progress Progress,
	replacing func(*Conn) error) (aside string, rep Report, err error) {
	if to, err = Resolve(to); err != nil {
		return "", rep, err
	}
	if from, err = Resolve(from); err != nil {
		return "", rep, err
	}
	if _, err := os.Lstat(to); err == nil {
		lock, err := lockFile(to, os.O_RDWR)
		if err != nil {
			return "", rep, err
		}
		defer unlock(lock)
	}
	if err := noLogs(from, to); err != nil {
		return "", rep, err
	}
	part := restoringPath(to)
	if from == part { // which is removed first
		return "", rep, fmt.Errorf("%s is of a restore that did not end, and may not be whole; restore the backup itself, or rename the file "+
			"and check it with: hearth verify", from)
	}
	defer removeDatabase(part)
	if rep, err = copyVerified(ctx, schema, from, part, to, progress); err != nil {
		return "", rep, err
	}
	if len(rep.Broken) > 0 {
		return "", rep, fmt.Errorf("%s is broken and was not restored: %s", from, rep.Broken[0])
	}
	if err := writeFile(part, replacing); err != nil {
		return "", rep, err
	}
	if err := noLogs(from, to); err != nil { // since the copy was begun
		return "", rep, err
	}
	aside, err = replace(part, to, now)
	return aside, rep, err
}

// restoringPath returns the name of a file while it is being restored.
func restoringPath(to string) string { return to + ".restoring" }

// noLogs refuses logs beside either file: the backup's would be left out, and
// the target's would be applied to the restored file.
func noLogs(from, to string) error {
	for _, log := range logsOf(to) {
		if _, err := os.Lstat(log); err == nil {
			return fmt.Errorf("%s was left by a run that did not end cleanly, or a command uses the database now, and would damage the restored "+
				"file; end the command, or start hearth on %s once and stop it, or move all its files away", log, to)
		}
	}
	for _, log := range logsOf(from) {
		if _, err := os.Lstat(log); err == nil {
			return fmt.Errorf("%s has a log beside it (%s), so it is a database in use and no backup; make one with: hearth backup", from, log)
		}
	}
	return nil
}

// copyVerified copies from to part and checks the copy, so that what was checked
// is what is restored.
func copyVerified(ctx context.Context, schema Schema, from, part, to string, progress Progress) (rep Report, err error) {
	if _, err := checkHead(from, ""); err != nil {
		return rep, err
	}
	if rep.Manifest, err = readManifest(from); err != nil {
		return rep, err
	}
	if err := removeDatabase(part); err != nil { // of a restore that was killed
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
	if err = errors.Join(err, f.Close()); err != nil {
		return rep, fmt.Errorf("cannot copy %s to %s: %w", from, part, err)
	}
	if rep.Manifest != nil {
		rep.Broken = rep.Manifest.differences(sum, size)
	}
	if len(rep.Broken) == 0 {
		err = rep.check(ctx, schema, part, progress)
	}
	return rep, err
}

// replace renames part over to, after giving the existing file a second name, so that
// to is always one of them, whenever this is interrupted. Where the file system has no links,
// the existing file is renamed before, and to is missing for a moment.
func replace(part, to string, now time.Time) (aside string, err error) {
	if _, there := os.Lstat(to); there == nil {
		if aside, err = freeName(to + ".before-" + now.UTC().Format("20060102T150405Z")); err != nil {
			return "", err
		}
		if os.Link(to, aside) != nil {
			err = rename(to, aside)
		}
		if err != nil {
			return "", err
		}
	}
	dir := filepath.Dir(to)
	if err = SyncDir(dir); err == nil {
		err = rename(part, to)
	}
	if err != nil {
		if aside != "" {
			rename(aside, to) // does nothing if both are one file
			os.Remove(aside)
		}
		return "", err
	}
	return aside, SyncDir(dir)
}

// freeName returns name, or name with a number if there is such a file.
func freeName(name string) (string, error) {
	for n := range 100 {
		free := name
		if n > 0 {
			free = fmt.Sprintf("%s.%d", name, n)
		}
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free, nil
		}
	}
	return "", fmt.Errorf("too many replaced files are beside %s; remove some", name)
}
