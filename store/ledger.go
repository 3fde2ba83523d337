package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hearth/store/engine"
)

// The deletion ledger is in the file, in the table erased, and so lost with it.
// It is therefore also written to a text file beside the database, which a
// restored backup does not replace: a line for each deleted account, its id and
// the time. Accounts in either are deleted again before a file is served.

// LedgerPath returns the path of the text file with the deletion ledger of the
// database at path.
func LedgerPath(path string) string { return path + ".erased" }

// AppendLedger adds accounts to the text file and syncs it to disk. Accounts in
// it are not added again.
func (db *DB) AppendLedger(list []Erased) error { return appendLedger(LedgerPath(db.Path()), list) }

func appendLedger(path string, list []Erased) error {
	have, text, err := readLedger(path)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(have))
	for _, e := range have {
		known[e.UserID] = true
	}
	var lines bytes.Buffer
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines.WriteByte('\n') // a power cut left a part of a line
	}
	added := lines.Len()
	for _, e := range list {
		if !known[e.UserID] {
			known[e.UserID] = true
			fmt.Fprintf(&lines, "%s %s\n", e.UserID, e.At)
		}
	}
	if lines.Len() == added {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := engine.Own(f, strings.TrimSuffix(path, LedgerPath(""))); err != nil {
		return err
	}
	if _, err := f.Write(lines.Bytes()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return engine.SyncDir(filepath.Dir(path))
}

// ReadLedger returns the accounts in the text file beside the database at path;
// none if there is no file.
func ReadLedger(path string) ([]Erased, error) {
	list, _, err := readLedger(LedgerPath(path))
	return list, err
}

func readLedger(path string) (list []Erased, text string, err error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	for line := range strings.Lines(string(b)) {
		// What does not begin with an id is the rest of a line that was cut.
		id, at, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if t, err := ParseTime(at); err == nil && ValidID(id) {
			list = append(list, Erased{UserID: id, At: t})
		}
	}
	return list, string(b), nil
}

// LedgerOf returns the deletion ledger of the database file at path, which no
// server may have open, and of the text file beside it.
func LedgerOf(ctx context.Context, path string) (list []Erased, err error) {
	if list, err = ReadLedger(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	err = engine.Inspect(path, func(c *Conn) error {
		rows, err := all[Erased](&Reader{c: c}, `SELECT user_id, at FROM erased /* scan: every deleted account */`)
		list = append(list, rows...)
		return err
	})
	return list, err
}
