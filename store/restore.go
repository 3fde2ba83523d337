package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Report is what Verify found out about a file.
type Report struct {
	Manifest *Manifest // nil if none stands beside the file
	Format   int       // the version of the schema
	Served   bool      // a server has the file open
	Broken   []string  // a line for each fault; empty for a sound file
}

// Verify reads the database file at path from end to end, changing nothing:
// it compares a backup with its manifest, and runs SQLite's integrity check
// and the rules of invariants.sql. It fails if the file is none of hearth's
// or cannot be read at all; faults within it are in the report.
func Verify(ctx context.Context, path string, progress Progress) (Report, error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	var rep Report
	var err error
	if rep.Served, err = served(path); err != nil {
		return rep, err
	}
	if !rep.Served {
		if err := checkHead(path); err != nil {
			return rep, err
		}
		if rep.Manifest, err = readManifest(path); err != nil {
			return rep, err
		}
	}
	if rep.Manifest != nil {
		sum, size, err := hashFile(ctx, path, nil, "comparing with the manifest", progress)
		if err != nil {
			return rep, err
		}
		rep.Broken = rep.Manifest.differs(sum, size)
	}
	how := left
	if !rep.Served {
		how = accessOf(path)
	}
	err = checkFile(ctx, path, how, &rep, progress)
	return rep, err
}

// differs says in what a file is not the one of the manifest.
func (m *Manifest) differs(sum string, size int64) []string {
	switch {
	case size != m.Size:
		return []string{fmt.Sprintf("the file has %d bytes, its manifest says %d", size, m.Size)}
	case sum != m.SHA256:
		return []string{"the file is not the one its manifest was made for: the SHA-256 differs"}
	}
	return nil
}

// checkFile adds to the report what a look inside finds.
func checkFile(ctx context.Context, path string, how access, rep *Report, progress Progress) error {
	progress("checking the content", 0, 0)
	opened := false
	err := inspect(ctx, path, how, func(c *sql.Conn) (err error) {
		opened = true
		if rep.Format, err = number(ctx, c, "PRAGMA user_version"); err != nil {
			rep.Broken = append(rep.Broken, "cannot be read: "+err.Error())
			return nil
		}
		if rep.Format > schemaVersion {
			return newerFormat(path, rep.Format)
		}
		if _, err := c.ExecContext(ctx, "BEGIN"); err != nil {
			return translate(err)
		}
		defer c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		look := check
		if rep.Format < schemaVersion {
			look = integrity
		}
		broken, err := look(ctx, c)
		rep.Broken = append(rep.Broken, broken...)
		if err != nil && ctx.Err() == nil {
			rep.Broken = append(rep.Broken, "cannot be read to the end: "+err.Error())
			err = nil
		}
		if rep.Manifest == nil || err != nil || len(rep.Broken) > 0 {
			return err
		}
		return compareRows(ctx, c, rep)
	})
	if err != nil && !opened && ctx.Err() == nil {
		rep.Broken = append(rep.Broken, err.Error())
		err = nil
	}
	return err
}

func compareRows(ctx context.Context, c *sql.Conn, rep *Report) error {
	have, err := countRows(ctx, c)
	if err != nil {
		return err
	}
	for table, want := range rep.Manifest.Rows {
		if have[table] != want {
			rep.Broken = append(rep.Broken, fmt.Sprintf("table %s has %d rows, the manifest says %d", table, have[table], want))
		}
	}
	return nil
}

// served tells whether a process holds the lock of the database at path.
func served(path string) (bool, error) {
	if _, err := os.Stat(path + ".lock"); err != nil {
		return false, nil
	}
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return false, fmt.Errorf("cannot tell whether %s is being served: %w", path, err)
	}
	if ok {
		err = l.Unlock()
	}
	return !ok, err
}

// checkHead refuses a file that is not hearth's by its first bytes.
func checkHead(path string) error {
	head := make([]byte, 100)
	n, err := readHead(path, head)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", path, err)
	case n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return fmt.Errorf("%s is not a hearth database", path)
	case binary.BigEndian.Uint32(head[68:]) != applicationID:
		return fmt.Errorf("%s belongs to another program, not to hearth", path)
	}
	return nil
}

func newerFormat(path string, format int) error {
	return fmt.Errorf("%s was written by a newer hearth (format %d, this program knows %d); use the newer program", path, format, schemaVersion)
}

// Restore puts a verified copy of the backup from in the place of the
// database to, and returns where it has put what stood there before ("" if
// nothing did). It refuses, with both files as they were, while to is being
// served, while SQLite's log of an earlier run stands beside it, and when the
// backup is broken, foreign or newer than this program. A backup without a
// manifest is checked by its content alone.
func Restore(ctx context.Context, from, to string, now time.Time, progress Progress) (aside string, rep Report, err error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", rep, err
	}
	lock := flock.New(to+".lock", flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return "", rep, fmt.Errorf("cannot make %s.lock beside the database: %w", to, err)
	}
	if !ok {
		return "", rep, fmt.Errorf("a hearth is serving %s; stop it first", to)
	}
	defer lock.Unlock()
	if err := noLeftovers(from, to); err != nil {
		return "", rep, err
	}
	part := to + ".restoring"
	defer os.Remove(part)
	if rep, err = copyVerified(ctx, from, part, progress); err != nil {
		return "", rep, err
	}
	if len(rep.Broken) > 0 {
		return "", rep, fmt.Errorf("%s is broken and was not restored: %s", from, rep.Broken[0])
	}
	if err := leapEvents(ctx, part); err != nil {
		return "", rep, fmt.Errorf("cannot prepare the copy of %s: %w", from, err)
	}
	if aside, err = putAside(to, now); err != nil {
		return "", rep, err
	}
	if err := os.Rename(part, to); err != nil {
		if aside != "" {
			os.Rename(aside, to)
		}
		return "", rep, err
	}
	return aside, rep, syncDir(filepath.Dir(to))
}

// leapEvents moves the numbers of later events past all that can have been
// given out since the backup: a client that resumes after one of those must
// not take new events for ones it has had.
func leapEvents(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(path, false, "FULL"))
	if err != nil {
		return err
	}
	defer db.Close()
	const leap = 1 << 32
	if _, err := db.ExecContext(ctx, `INSERT INTO event (id, topic, kind, object_id, at)
		SELECT coalesce(max(id), 0) + ?, '', 'restored', '', coalesce(max(at), 0) FROM event`, leap); err != nil {
		return translate(err)
	}
	return db.Close() // moves the log into the file and removes it
}

// noLeftovers refuses logs beside either file: the one of the backup would
// be left out, the one of the target would be played into the restored file.
func noLeftovers(from, to string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(to + suffix); err == nil {
			return fmt.Errorf("%s%s was left by a run that did not end cleanly and would damage the restored file; "+
				"start hearth on %s once and stop it, or move all its files aside", to, suffix, to)
		}
		if _, err := os.Lstat(from + suffix); err == nil {
			return fmt.Errorf("%s has a log beside it (%s%s), so it is a database in use and no backup; make one with: hearth backup", from, from, suffix)
		}
	}
	return nil
}

// copyVerified copies from to part and examines the copy, so that what was
// checked is what is put in place.
func copyVerified(ctx context.Context, from, part string, progress Progress) (rep Report, err error) {
	if err := checkHead(from); err != nil {
		return rep, err
	}
	if rep.Manifest, err = readManifest(from); err != nil {
		return rep, err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
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
		rep.Broken = rep.Manifest.differs(sum, size)
	}
	if len(rep.Broken) > 0 {
		return rep, nil
	}
	err = checkFile(ctx, part, cold, &rep, progress)
	return rep, err
}

// putAside renames what stands at path so that nothing is ever lost by a
// restore.
func putAside(path string, now time.Time) (string, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for n := range 100 {
		aside := path + ".before-" + now.UTC().Format("20060102T150405Z")
		if n > 0 {
			aside = fmt.Sprintf("%s.%d", aside, n)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		}
	}
	return "", fmt.Errorf("too many replaced files stand beside %s; remove some", path)
}
