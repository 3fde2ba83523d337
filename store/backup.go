package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"modernc.org/sqlite"
)

// Manifest says what a backup holds. It stands beside the backup, in a file
// of its name with ".manifest.json" added.
type Manifest struct {
	SHA256 string           `json:"sha256"`  // of the whole file, in hex
	Size   int64            `json:"size"`    // bytes
	Format int              `json:"format"`  // the version of the schema
	Rows   map[string]int64 `json:"rows"`    // how many, by table
	MadeAt Time             `json:"made_at"` // when the copy was finished
}

// Progress is told how far a long task is: what it is doing, and how many
// bytes of how many. A total of 0 is unknown.
type Progress func(doing string, done, total int64)

// ManifestPath returns where the manifest of a backup stands.
func ManifestPath(backup string) string { return backup + ".manifest.json" }

// Backup copies the database at from, which may be served at the same time,
// to a new file that only its owner may read, and writes its manifest beside
// it. The copy is one consistent state and has no gaps. It refuses to replace
// a file, and leaves nothing behind if it fails.
func Backup(ctx context.Context, from, to string, now time.Time, progress Progress) (m Manifest, err error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	for _, name := range []string{to, ManifestPath(to)} {
		if _, err := os.Lstat(name); err == nil {
			return m, fmt.Errorf("%s exists already; give the backup another name", name)
		}
	}
	part := to + ".part"
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	if err := copyDatabase(ctx, from, part, progress); err != nil {
		return m, err
	}
	m.MadeAt = TimeOf(now)
	progress("counting rows", 0, 0)
	err = inspect(ctx, part, cold, func(c *sql.Conn) error {
		if m.Format, err = number(ctx, c, "PRAGMA user_version"); err == nil {
			m.Rows, err = countRows(ctx, c)
		}
		return err
	})
	if err != nil {
		return m, err
	}
	if m.SHA256, m.Size, err = hashFile(ctx, part, nil, "reading the copy back", progress); err != nil {
		return m, err
	}
	if err := syncFile(part); err != nil {
		return m, err
	}
	if err := writeManifest(to, m); err != nil {
		return m, err
	}
	if err := os.Rename(part, to); err != nil {
		os.Remove(ManifestPath(to))
		return m, err
	}
	return m, syncDir(filepath.Dir(to))
}

// copyDatabase writes a compact copy of from, seen by its own read-only
// connection.
func copyDatabase(ctx context.Context, from, to string, progress Progress) error {
	if fi, err := os.Stat(from); err != nil {
		return fmt.Errorf("there is no database %s; say which with --db", from)
	} else if !fi.Mode().IsRegular() || fi.Size() == 0 {
		return fmt.Errorf("%s is not a hearth database; say which with --db", from)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return inspect(ctx, from, live, func(c *sql.Conn) error {
		id, err := number(ctx, c, "PRAGMA application_id")
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", from, err)
		}
		if id != applicationID {
			return fmt.Errorf("%s belongs to another program, not to hearth; say which with --db", from)
		}
		pages, err := number(ctx, c, "SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)")
		if err != nil {
			return err
		}
		size, err := number(ctx, c, "PRAGMA page_size")
		if err != nil {
			return err
		}
		// The file itself stays read-only; the copy is what has to be written.
		if _, err := c.ExecContext(ctx, "PRAGMA query_only = 0"); err != nil {
			return translate(err)
		}
		stop := watchGrowth(to, int64(pages)*int64(size), progress)
		defer stop()
		if err := vacuumInto(ctx, c, to); err != nil {
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

// access says what is known about a file that is only read.
type access string

const (
	// live files may be written to at the same time. Whoever closes one last
	// tidies its log away, which takes the right to write.
	live access = "rw"
	// left files have a log beside them; nothing is changed about either.
	left access = "ro"
	// cold files are complete and written to by nobody: they are read as they
	// are, and no other file is made beside them.
	cold access = "ro&immutable=1"
)

// accessOf is for a file that no process has open.
func accessOf(path string) access {
	if _, err := os.Lstat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		return cold
	}
	return left
}

// inspect opens path for reading alone.
func inspect(ctx context.Context, path string, how access, f func(*sql.Conn) error) error {
	sqlite.StrictPragmas(true)
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(dsn(path, true, "FULL"), "mode=ro&_query_only=on") + "_query_only=on&mode=" + string(how)
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, translate(err))
	}
	defer c.Close()
	return f(c)
}

func number(ctx context.Context, c *sql.Conn, query string) (n int, err error) {
	err = c.QueryRowContext(ctx, query).Scan(&n)
	return n, translate(err)
}

func countRows(ctx context.Context, c *sql.Conn) (map[string]int64, error) {
	rows, err := c.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		names = append(names, n)
	}
	if err := rows.Err(); err != nil {
		return nil, translate(err)
	}
	counts := make(map[string]int64, len(names))
	for _, n := range names {
		count, err := number(ctx, c, `SELECT count(*) FROM "`+n+`"`)
		if err != nil {
			return nil, err
		}
		counts[n] = int64(count)
	}
	return counts, nil
}

// hashFile reads a file from end to end, writes it to w if that is not nil,
// and returns its SHA-256 and size.
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

func writeManifest(backup string, m Manifest) error {
	b, err := json.Marshal(m, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	name := ManifestPath(backup)
	if err := os.WriteFile(name, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return syncFile(name)
}

// readManifest returns nil if the backup has no manifest.
func readManifest(backup string) (*Manifest, error) {
	name := ManifestPath(backup)
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w); the backup cannot be trusted", name, err)
	}
	return &m, nil
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
