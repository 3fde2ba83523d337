package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Progress is called during a long task with what it is doing and how many
// bytes of how many are done. A total of 0 is unknown.
type Progress func(doing string, done, total int64)

// Backup copies the database at from, which may be in use, to a new file that
// only its owner can read, and writes its manifest beside it. The copy is one
// consistent, compact state. Backup refuses to replace a file, and leaves no
// file behind if it fails.
func Backup(ctx context.Context, from, to string, now time.Time, progress Progress) (m Manifest, err error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	if file, err := Resolve(from); err != nil {
		return m, err
	} else if _, err := os.Stat(file); err == nil {
		from = file
	}
	for _, name := range append(logsOf(to), to, ManifestPath(to)) {
		if _, err := os.Lstat(name); err == nil {
			return m, fmt.Errorf("%s exists already; use another name for the backup", name)
		}
	}
	part := to + ".part"
	defer func() {
		if err != nil {
			removeFile(part)
		}
	}()
	if err := copyDatabase(ctx, from, part, progress); err != nil {
		return m, err
	}
	m.MadeAt = TimeOf(now)
	progress("counting rows", 0, 0)
	err = inspect(part, complete, func(c *Conn) error {
		defer c.interruptOn(ctx)()
		if m.SchemaVersion, err = c.number("PRAGMA user_version"); err == nil {
			m.Rows, err = countRows(c)
		}
		return err
	})
	if err != nil {
		return m, err
	}
	if m.SHA256, m.Size, err = hashFile(ctx, part, nil, "reading the copy back", progress); err != nil {
		return m, err
	}
	return m, finishBackup(from, part, to, m)
}

// finishBackup syncs a copy and its manifest and gives the copy its name.
func finishBackup(from, part, to string, m Manifest) error {
	if err := syncFile(part); err != nil {
		return err
	}
	if err := writeManifest(from, to, m); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		os.Remove(ManifestPath(to))
		return err
	}
	return SyncDir(filepath.Dir(to))
}

// copyDatabase writes a compact copy of from, read on a connection of its own.
func copyDatabase(ctx context.Context, from, to string, progress Progress) error {
	if fi, err := os.Stat(from); err != nil {
		return fmt.Errorf("there is no database %s; name it with --db", from)
	} else if !fi.Mode().IsRegular() || fi.Size() == 0 {
		return fmt.Errorf("%s is not a hearth database; name it with --db", from)
	}
	if err := removeFile(to); err != nil {
		return err
	}
	return inspect(from, tidying, func(c *Conn) error {
		id, err := c.number("PRAGMA application_id")
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", from, err)
		}
		if err := refuseApplication(from, uint32(id)); err != nil {
			return err
		}
		size, err := c.number(`SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
			* (SELECT page_size FROM pragma_page_size)`)
		if err != nil {
			return err
		}
		// It is the copy that has to be written; VACUUM INTO only reads the file.
		if err := c.run("PRAGMA query_only = 0"); err != nil {
			return err
		}
		defer watchGrowth(to, int64(size), progress)()
		if err := vacuumInto(ctx, c, from, to); err != nil {
			return fmt.Errorf("cannot copy %s to %s: %w", from, to, err)
		}
		return nil
	})
}

// watchGrowth reports the size of a file that is being written until it is
// stopped.
func watchGrowth(path string, total int64, progress Progress) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if fi, err := os.Stat(path); err == nil {
					progress("copying", min(fi.Size(), total), total)
				}
			case <-end:
				progress("copying", total, total)
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// modeOf returns how to read a file that no server has open.
func modeOf(path string) mode {
	if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		return complete
	}
	return readOnly
}

// Inspect calls f with a connection that only reads the database file at path,
// which must be one of hearth's.
func Inspect(path string, f func(*Conn) error) error {
	if err := checkHead(path); err != nil {
		return err
	}
	return inspect(path, modeOf(path), f)
}

// inspect opens path for reading only.
func inspect(path string, m mode, f func(*Conn) error) error {
	c, err := openConn(path, m, "")
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer c.Close()
	return f(c)
}

// countRows returns the number of rows of each table that is not virtual.
func countRows(c *Conn) (map[string]int64, error) {
	rows, err := c.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := map[string]int64{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		n, err := c.number(`SELECT count(*) FROM "` + name + `"`)
		if err != nil {
			return nil, err
		}
		counts[name] = int64(n)
	}
	return counts, rows.Err()
}

// hashFile reads a file from end to end, writes it to w if that is not nil,
// and returns its SHA-256 in hex and its size.
func hashFile(ctx context.Context, path string, w io.Writer, doing string, progress Progress) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	to := io.Writer(h)
	if w != nil {
		to = io.MultiWriter(h, w)
	}
	for ctx.Err() == nil {
		n, err := io.CopyN(to, f, 4<<20)
		size += n
		progress(doing, size, fi.Size())
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), size, nil
		}
		if err != nil {
			return "", 0, err
		}
	}
	return "", 0, ctx.Err()
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
