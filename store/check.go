package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed invariants.sql
var invariants string

// Check returns a line for each rule of invariants.sql that the database
// breaks, and what SQLite's own integrity check finds. It reads everything:
// minutes on a large file.
func (db *DB) Check(ctx context.Context) (broken []string, err error) {
	err = db.Snapshot(ctx, func(r *Reader) error {
		broken, err = check(ctx, r.c.c)
		return err
	})
	return broken, err
}

func check(ctx context.Context, c *sql.Conn) (broken []string, err error) {
	if broken, err = integrity(ctx, c); err != nil {
		return broken, err
	}
	more, err := rules(ctx, c)
	return append(broken, more...), err
}

// integrity asks SQLite whether the file is sound.
func integrity(ctx context.Context, c *sql.Conn) (broken []string, err error) {
	var line string
	if err := c.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&line); err != nil {
		return nil, translate(err)
	}
	if line != "ok" {
		broken = append(broken, "integrity: "+line)
	}
	return broken, nil
}

// rules returns a line for each rule of invariants.sql that is broken. They
// are about the newest format only.
func rules(ctx context.Context, c *sql.Conn) (broken []string, err error) {
	for _, part := range strings.Split(invariants, "-- name: ")[1:] {
		name, query, _ := strings.Cut(part, "\n")
		row, err := firstRow(ctx, c, query)
		if err != nil {
			return broken, fmt.Errorf("invariant %q: %w", name, translate(err))
		}
		if row != "" {
			broken = append(broken, fmt.Sprintf("broken: %s: %s", name, row))
		}
	}
	return broken, nil
}

// firstRow returns the first row of a query as text; "" without one.
func firstRow(ctx context.Context, c *sql.Conn, query string) (string, error) {
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", rows.Err()
	}
	cols, err := rows.Columns()
	if err != nil {
		return "", err
	}
	vals := make([]any, len(cols))
	dest := make([]any, len(cols))
	for i := range vals {
		dest[i] = &vals[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return "", err
	}
	return strings.TrimSpace(fmt.Sprintln(vals...)), nil
}
