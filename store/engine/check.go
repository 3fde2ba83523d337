package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// Check returns a line for each invariant of the schema that does not hold, and
// for what SQLite's integrity check finds. It reads the whole file: minutes for
// a large one. It uses a connection of its own, so that other long reads need
// not wait for it.
func (db *DB[E]) Check(ctx context.Context) (broken []string, err error) {
	select {
	case <-db.long.closed:
		return nil, ErrClosed
	default:
	}
	if _, err := os.Stat(db.path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrLost, db.path)
	}
	c, err := openConn(db.path, readOnly, db.opt.Synchronous)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	defer c.interruptOn(ctx)()
	if err := c.control("BEGIN"); err != nil {
		return nil, err
	}
	return check(c, db.schema, db.schema.Version())
}

// check returns the faults of a file of a version of the schema. The invariants are
// those of the newest, so an older file is not held to them.
func check(c *Conn, schema Schema, version int) (broken []string, err error) {
	if broken, err = integrity(c); err != nil {
		return broken, err
	}
	more, err := foreignParts(c, schema, version)
	broken = append(broken, more...)
	if err != nil || version < schema.Version() {
		return broken, err
	}
	more, err = brokenInvariants(c, schema.Invariants)
	return append(broken, more...), err
}

// integrity runs SQLite's integrity check.
func integrity(c *Conn) (broken []string, err error) {
	line, err := c.firstRow("PRAGMA integrity_check(1)")
	if err != nil {
		return nil, err
	}
	if line != "ok" {
		broken = append(broken, "integrity: "+line)
	}
	return broken, nil
}

// brokenInvariants returns a line for each query that returns a row. A line
// "-- name: ..." stands before each query.
func brokenInvariants(c *Conn, invariants string) (broken []string, err error) {
	for _, part := range strings.Split("\n"+invariants, "\n-- name: ")[1:] {
		name, query, _ := strings.Cut(part, "\n")
		row, err := c.firstRow(uncommented(query))
		if err != nil {
			return broken, fmt.Errorf("invariant %q: %w", name, err)
		}
		if row != "" {
			broken = append(broken, fmt.Sprintf("broken: %s: %s", name, row))
		}
	}
	return broken, nil
}

// printable returns s with escapes in place of line ends, and of characters that
// would control a terminal or change the order of what it shows.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// uncommented returns query without its lines of comment.
func uncommented(query string) string {
	var b strings.Builder
	for line := range strings.Lines(query) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			b.WriteString(line)
		}
	}
	return b.String()
}
