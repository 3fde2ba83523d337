package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// applicationID marks a SQLite file as hearth's: "hrth".
const applicationID = 0x68727468

// minSQLite is the first version without the fault that could lose a
// write-ahead log.
const minSQLite = "3.51.3"

// gate looks at the file before SQLite opens it for writing, and makes it if
// there is none.
func gate(ctx context.Context, path, schema string) error {
	head := make([]byte, 100)
	n, err := readHead(path, head)
	if errors.Is(err, fs.ErrNotExist) || err == nil && n == 0 {
		if err := makeFile(ctx, path, schema); err != nil {
			return fmt.Errorf("cannot make the database %s: %w", path, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	if n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return fmt.Errorf("%s is not a hearth database; it was left as it is. Give another file with --db", path)
	}
	if id := binary.BigEndian.Uint32(head[68:]); id != applicationID {
		return fmt.Errorf("%s belongs to another program; it was left as it is. Give another file with --db", path)
	}
	if err := gateSize(path, binary.BigEndian.Uint16(head[16:])); err != nil {
		return err
	}
	return gateVersion(ctx, path)
}

// gateSize refuses a file that ends within a page: SQLite would take the rest
// of it for zeros. Beside a log that is no harm, the log brings the page again.
func gateSize(path string, pageSize uint16) error {
	fi, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil
	}
	page := int64(pageSize)
	if page == 1 { // two bytes cannot say it
		page = 65536
	}
	if page == 0 || fi.Size()%page != 0 {
		return fmt.Errorf("%s is damaged and was left as it is: it ends within a page. Restore a backup with: hearth restore", path)
	}
	return nil
}

func readHead(path string, b []byte) (int, error) {
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

// gateVersion refuses a file that a newer hearth has written, or none. It asks SQLite
// itself, read-only, because the answer may still stand in the log.
func gateVersion(ctx context.Context, path string) error {
	var version int
	err := inspect(ctx, path, accessOf(path), func(c *sql.Conn) (err error) {
		version, err = number(ctx, c, "PRAGMA user_version")
		return err
	})
	if err != nil {
		return fmt.Errorf("%s is damaged and was left as it is: %w. Restore a backup with: hearth restore", path, err)
	}
	if version < 1 {
		return fmt.Errorf("%s is damaged and was left as it is: there never was a format %d. Restore a backup with: hearth restore", path, version)
	}
	if version > schemaVersion {
		return fmt.Errorf("%s was written by a newer hearth (format %d, this program knows %d); it was left as it is. Use the newer program", path, version, schemaVersion)
	}
	return nil
}

// checkSQLite refuses a SQLite library older than minSQLite.
func checkSQLite(ctx context.Context, c *sql.Conn) error {
	var v string
	if err := c.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&v); err != nil {
		return translate(err)
	}
	if olderVersion(v, minSQLite) {
		return fmt.Errorf("this program was built with SQLite %s; it needs %s or newer", v, minSQLite)
	}
	return nil
}

func olderVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}
