package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Progress is called during a long task with what it is doing and how many
// bytes of how many are done. A total of 0 is unknown. It may be nil.
type Progress func(doing string, done, total int64)

func (p Progress) tell(doing string, done, total int64) {
	if p != nil {
		p(doing, done, total)
	}
}

// Source is a database to back up: one that is open, or a server that has it open.
type Source interface {
	Path() string
	// Copy writes a compact copy to w, of the state at one moment.
	Copy(ctx context.Context, w io.Writer) error
}

// Copy implements Source. It writes a compact copy beside the file first, and sends that. One copy is made at a time, and
// Close waits for it.
func (db *DB[E]) Copy(ctx context.Context, w io.Writer) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	select {
	case <-db.w.stopped:
		return ErrClosed
	default:
	}
	to := copyOf(db.path)
	if err := removeDatabase(to); err != nil {
		return err
	}
	defer removeDatabase(to)
	err := inspect(db.path, func(c *Conn) error {
		if err := db.w.checkFiles(); err != nil { // else it might be another file than the server's
			return err
		}
		// It is the copy that has to be written; VACUUM INTO only reads the file.
		if err := c.run("PRAGMA query_only = 0"); err != nil {
			return err
		}
		return vacuumInto(ctx, c, db.path, to)
	})
	if err != nil {
		return err
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// copyOf returns the path of the copy of a database that is being sent. Opening the database removes what a killed
// process left.
func copyOf(path string) string { return path + ".copy" }

// MakeBackup copies a database to a new file that only the owner of the database can read, and writes its manifest
// beside it. The copy is one consistent, compact state. MakeBackup refuses to replace a file, and leaves no file behind
// if it fails.
func MakeBackup(ctx context.Context, from Source, to string, now time.Time, progress Progress) (m Manifest, err error) {
	for _, name := range append(logsOf(to), to, ManifestPath(to)) {
		if _, err := os.Lstat(name); err == nil {
			return m, fmt.Errorf("%s exists already; use another name for the backup", name)
		}
	}
	part := to + ".part"
	if err := removeDatabase(part); err != nil {
		return m, err
	}
	if err = copyDatabase(ctx, from, part, progress); err != nil {
		return m, errors.Join(fmt.Errorf("cannot copy %s to %s: %w", from.Path(), part, err), removeFiles(part))
	}
	if m, err = finishBackup(ctx, from.Path(), part, to, now, progress); err != nil {
		return m, errors.Join(err, removeFiles(part, ManifestPath(to)))
	}
	return m, nil
}

// copyDatabase writes a copy of from to a new file.
func copyDatabase(ctx context.Context, from Source, part string, progress Progress) error {
	fi, err := os.Stat(from.Path())
	if err != nil {
		return err
	}
	f, err := create(part, from.Path())
	if err != nil {
		return err
	}
	progress.tell("compacting", 0, 0)
	err = from.Copy(ctx, io.MultiWriter(f, &meter{ctx: ctx, progress: progress, doing: "copying", total: fi.Size()}))
	return cmp.Or(err, f.Close())
}

// meter is written to beside a file: it tells of the progress, and fails once ctx is done.
type meter struct {
	ctx         context.Context
	progress    Progress
	doing       string
	done, total int64
}

func (m *meter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	m.progress.tell(m.doing, min(m.done, m.total), m.total)
	return len(b), m.ctx.Err()
}

// finishBackup writes the manifest of a copy of from, and gives the copy its name.
func finishBackup(ctx context.Context, from, part, to string, now time.Time, progress Progress) (m Manifest, err error) {
	m.MadeAt = TimeOf(now)
	progress.tell("counting rows", 0, 0)
	err = inspect(part, func(c *Conn) error {
		defer c.interruptOn(ctx)()
		if err = c.Value([]any{&m.SchemaVersion}, "PRAGMA user_version"); err == nil {
			m.Rows, err = countRows(c)
		}
		return err
	})
	if err != nil {
		return m, err
	}
	if m.SHA256, m.Size, err = hashFile(ctx, part, io.Discard, "reading the copy back", progress); err != nil {
		return m, err
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return m, err
	}
	if err := writeManifest(from, to, m); err != nil {
		return m, err
	}
	if err := os.Rename(part, to); err != nil {
		return m, err
	}
	return m, SyncDir(filepath.Dir(to))
}

// countRows returns the number of rows of each table that is not virtual.
func countRows(c *Conn) (map[string]int64, error) {
	counts := map[string]int64{}
	var name string
	var failed error
	err := c.Each([]any{&name}, func() bool {
		var n int64
		failed = c.Value([]any{&n}, `SELECT count(*) FROM "`+name+`"`)
		counts[name] = n
		return failed == nil
	}, `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	return counts, cmp.Or(err, failed)
}

// hashFile reads a file from end to end, writes it to w, too, and returns its SHA-256 in hex and its size.
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
	size, err = io.Copy(io.MultiWriter(h, w, &meter{ctx: ctx, progress: progress, doing: doing, total: fi.Size()}), f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
