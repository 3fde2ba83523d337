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
	// Copy writes the file to w as it is at one moment, with what is in its log.
	Copy(ctx context.Context, w io.Writer) error
}

// Copy implements Source. One copy is made at a time, and Close waits for it.
func (db *DB[E]) Copy(ctx context.Context, w io.Writer) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	select {
	case <-db.w.stopped:
		return ErrClosed
	default:
	}
	return inspect(db.path, func(c *Conn) error {
		if err := db.w.checkFiles(); err != nil { // else it might be another file than the server's
			return err
		}
		defer c.interruptOn(ctx)()
		var page []byte
		var failed error
		err := c.Each([]any{&page}, func() bool { _, failed = w.Write(page); return failed == nil },
			"SELECT data FROM sqlite_dbpage ORDER BY pgno")
		return cmp.Or(failed, err)
	})
}

// MakeBackup copies a database to a new file that only the owner of the database can read, and writes its manifest
// beside it. The copy is one consistent, compact state. MakeBackup refuses to replace a file, and leaves no file behind
// if it fails. It needs twice the size of the database meanwhile.
func MakeBackup(ctx context.Context, from Source, to string, now time.Time, progress Progress) (m Manifest, err error) {
	for _, name := range append(logsOf(to), to, ManifestPath(to)) {
		if _, err := os.Lstat(name); err == nil {
			return m, fmt.Errorf("%s exists already; use another name for the backup", name)
		}
	}
	pages, part := to+".pages", to+".part"
	if err := errors.Join(removeDatabase(pages), removeDatabase(part)); err != nil {
		return m, err
	}
	err = copyDatabase(ctx, from, pages, part, progress)
	if err = errors.Join(err, removeDatabase(pages)); err != nil {
		return m, errors.Join(fmt.Errorf("cannot copy %s to %s: %w", from.Path(), part, err), removeFiles(part))
	}
	if m, err = finishBackup(ctx, from.Path(), part, to, now, progress); err != nil {
		return m, errors.Join(err, removeFiles(part, ManifestPath(to)))
	}
	return m, nil
}

// copyDatabase writes the pages of from to one file and makes a compact database of them in another.
func copyDatabase(ctx context.Context, from Source, pages, part string, progress Progress) error {
	fi, err := os.Stat(from.Path())
	if err != nil {
		return err
	}
	f, err := create(pages, from.Path())
	if err != nil {
		return err
	}
	err = from.Copy(ctx, io.MultiWriter(f, &meter{ctx: ctx, progress: progress, doing: "copying", total: fi.Size()}))
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	progress.tell("compacting", 0, 0)
	return writeFile(pages, func(c *Conn) error { return vacuumInto(ctx, c, from.Path(), part) })
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
