package engine

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// applicationID marks a SQLite file as hearth's: "hear". Files from before the first
// release are marked earlyID, "hrth"; their schema versions are others.
const (
	applicationID = 0x68656172
	earlyID       = 0x68727468
)

// Resolve returns the absolute path of a database without symbolic links. SQLite
// follows them, too, so that its log, and our lock, are beside the file itself,
// by whichever name it is opened.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if target, err := os.Readlink(path); err == nil {
		return "", fmt.Errorf("%s is a symbolic link to %s, and there is no such file; create it or remove the link: %w", path, target,
			fs.ErrNotExist)
	}
	return path, nil // to be made
}

// lockDatabase takes the lock of the file, which it creates if there is none, before
// SQLite opens the file for writing. It refuses a file that is not a database of hearth.
func lockDatabase(path string, schema Schema) (*os.File, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode().IsRegular() && fi.Size() == 0 {
		f, err := createFile(path, schema)
		if err != nil {
			return nil, fmt.Errorf("cannot create the database %s: %w", path, err)
		}
		return f, nil
	}
	head, err := checkHead(path, "; it was not changed. Use another file with --db")
	if err != nil {
		return nil, err
	}
	// SQLite would read the rest of the last page as zeros. Beside a log that does no harm, as
	// the log has the page.
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 { // how 65536 is written in two bytes
		page = 65536
	}
	if log, err := os.Stat(path + "-wal"); (err != nil || log.Size() == 0) && (page == 0 || fi.Size()%page != 0) {
		return nil, fmt.Errorf("%s is damaged and was not changed: it ends within a page. Restore a backup with: hearth restore", path)
	}
	return lockFile(path, os.O_RDWR)
}

// checkHead refuses a file that is not hearth's by its first bytes, which it returns. The
// advice is added to the error for a file that is no database.
func checkHead(path, advice string) (head []byte, err error) {
	if err := regular(path); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	defer f.Close()
	head = make([]byte, 100)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return nil, fmt.Errorf("%s is not a hearth database%s", path, advice)
	}
	switch binary.BigEndian.Uint32(head[68:]) {
	case applicationID:
		return head, nil
	case earlyID:
		return nil, fmt.Errorf("%s is of a hearth from before its first release, which this one cannot read; it was not changed. "+
			"Use the program that wrote it, or begin with a new file with --db", path)
	}
	return nil, fmt.Errorf("%s belongs to another program, not to hearth; it was not changed. Use another file with --db", path)
}

// regular returns an error for what is not a regular file, such as a pipe, from
// which reading might wait for ever.
func regular(path string) error {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return err
}

// checkVersion returns the schema version of a file. It refuses one that is newer than the
// program's or impossible, and an older one that is kept. It reads it with
// SQLite, read-only, because the version may be in the log alone.
func checkVersion(path string, schema Schema, kept bool) (version int, err error) {
	err = inspect(path, func(c *Conn) error { return c.Value([]any{&version}, "PRAGMA user_version") })
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s is damaged and was not changed: %w. Restore a backup with: hearth restore", path, err)
	case version < 1:
		return 0, fmt.Errorf("%s is damaged and was not changed: there is no schema version %d. Restore a backup with: hearth restore", path,
			version)
	case version > schema.Version():
		return 0, fmt.Errorf("%s was written by a newer hearth (schema version %d, this program knows %d); it was not changed. "+
			"Use the newer program", path, version, schema.Version())
	case kept && version < schema.Version():
		return 0, fmt.Errorf("%s has schema version %d and this program needs version %d; it was not changed. Use the server's own version "+
			"of hearth, or start this version with: hearth serve --db %s", path, version, schema.Version(), path)
	}
	return version, nil
}

// Inspect calls f with a connection that only reads the database file at path,
// which must be one of hearth's.
func Inspect(path string, f func(*Conn) error) error {
	if _, err := checkHead(path, ""); err != nil {
		return err
	}
	return inspect(path, f)
}

// inspect calls f with a connection that only reads the file at path. A file without a log
// is not open anywhere.
func inspect(path string, f func(*Conn) error) error {
	m := readOnly
	if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		m = complete
	}
	c, err := openConn(path, m, "")
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer c.Close()
	return f(c)
}

// create creates a file that only its owner can read, the owner of the database at path.
func create(name, path string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Own(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// logsOf returns the paths of the files that SQLite keeps beside a database. It
// applies what they hold to whichever file has the database's name.
func logsOf(path string) []string {
	return []string{path + "-wal", path + "-shm", path + "-journal"}
}

// removeDatabase removes a database that nobody uses, if it is there, and its logs.
func removeDatabase(path string) error { return removeFiles(append(logsOf(path), path)...) }

// removeFiles removes files, if they are there.
func removeFiles(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeFile calls f with a connection to a database that nobody else uses and that
// is to be renamed. If it returns nil the file has everything that f wrote, and there
// is no log, not even one that the file had before.
func writeFile(path string, f func(*Conn) error) error {
	c, err := openConn(path, writing, "FULL")
	if err != nil {
		return err
	}
	err = f(c)
	closing := c.Close()
	for _, name := range logsOf(path) {
		if _, there := os.Lstat(name); there == nil {
			closing = fmt.Errorf("%w: %s could not be moved into %s", ErrIO, name, path)
		}
	}
	return cmp.Or(err, closing)
}
