package engine

import (
	"bytes"
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

// lockDatabase takes the lock of the file, which it creates if there is none, and refuses
// it, before SQLite opens it for writing, if it is not one of hearth's.
func lockDatabase(path string, schema Schema) (*os.File, error) {
	head := make([]byte, 100)
	n, err := readHead(path, head)
	if errors.Is(err, fs.ErrNotExist) || err == nil && n == 0 {
		f, err := createFile(path, schema)
		if err != nil {
			return nil, fmt.Errorf("cannot create the database %s: %w", path, err)
		}
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the database: %w", err)
	}
	if n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return nil, fmt.Errorf("%s is not a hearth database; it was not changed. Use another file with --db", path)
	}
	if err := refuseApplication(path, binary.BigEndian.Uint32(head[68:])); err != nil {
		return nil, err
	}
	if err := checkSize(path, binary.BigEndian.Uint16(head[16:])); err != nil {
		return nil, err
	}
	return lockFile(path)
}

// refuseApplication refuses a file that is not marked as hearth's.
func refuseApplication(path string, id uint32) error {
	switch id {
	case applicationID:
		return nil
	case earlyID:
		return fmt.Errorf("%s is of a hearth from before its first release, which this one cannot read; it was not changed. "+
			"Use the program that wrote it, or begin with a new file with --db", path)
	}
	return fmt.Errorf("%s belongs to another program, not to hearth; it was not changed. Use another file with --db", path)
}

// checkSize refuses a file that ends within a page: SQLite would read the rest
// of it as zeros. Beside a log that does no harm, as the log has the page.
func checkSize(path string, pageSize uint16) error {
	fi, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil
	}
	page := int64(pageSize)
	if page == 1 { // how 65536 is written in two bytes
		page = 65536
	}
	if page == 0 || fi.Size()%page != 0 {
		return fmt.Errorf("%s is damaged and was not changed: it ends within a page. Restore a backup with: hearth restore", path)
	}
	return nil
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

func readHead(path string, b []byte) (int, error) {
	if err := regular(path); err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// checkVersion refuses a file whose schema version is newer than the program's
// or impossible, and an older one that is kept. It reads it with
// SQLite, read-only, because the version may be in the log alone.
func checkVersion(path string, schema Schema, kept bool) error {
	var version int
	err := inspect(path, modeOf(path), func(c *Conn) (err error) {
		version, err = c.number("PRAGMA user_version")
		return err
	})
	if err != nil {
		return fmt.Errorf("%s is damaged and was not changed: %w. Restore a backup with: hearth restore", path, err)
	}
	return refuseVersion(path, version, schema, kept)
}

func refuseVersion(path string, version int, schema Schema, kept bool) error {
	switch {
	case version < 1:
		return fmt.Errorf("%s is damaged and was not changed: there is no schema version %d. Restore a backup with: hearth restore", path,
			version)
	case version > schema.Version():
		return fmt.Errorf("%s was written by a newer hearth (schema version %d, this program knows %d); it was not changed. "+
			"Use the newer program", path, version, schema.Version())
	case kept && version < schema.Version():
		return fmt.Errorf("%s has schema version %d and this program needs version %d; it was not changed. Use the server's own version of "+
			"hearth, or start this version with: hearth serve --db %s", path, version, schema.Version(), path)
	}
	return nil
}

// statOrFolder returns what is at path, or else its folder.
func statOrFolder(path string) (fs.FileInfo, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		fi, err = os.Stat(filepath.Dir(path))
	}
	return fi, err
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

// removeFile removes a database that nobody uses, if it is there, and its logs.
func removeFile(path string) error {
	for _, name := range append(logsOf(path), path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeFile calls f with a connection to a database that nobody else uses and that
// is to be renamed. If it returns nil the file has everything that f wrote, and there
// is no log. Closing alone does not report that the log could not be moved.
func writeFile(path string, f func(*Conn) error) error {
	c, err := openConn(path, writing, "FULL")
	if err != nil {
		return err
	}
	if err = f(c); err == nil {
		err = c.moveLog()
	}
	if e := c.Close(); err == nil {
		err = e
	}
	for _, name := range logsOf(path) {
		if _, e := os.Lstat(name); err == nil && !errors.Is(e, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %s could not be moved into %s", ErrIO, name, path)
		}
	}
	return err
}

// moveLog moves the whole write-ahead log into the file.
func (c *Conn) moveLog() error {
	var busy, pages, moved int
	err := c.Value([]any{&busy, &pages, &moved}, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err == nil && (busy != 0 || pages != moved) {
		err = fmt.Errorf("%w: %d of %d pages of the log were moved", ErrBusy, moved, pages)
	}
	return err
}
