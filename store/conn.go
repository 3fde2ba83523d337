package store

import (
	"context"
	"database/sql"
	"time"
)

// conn is one connection with the statements prepared on it. It is used by
// one goroutine at a time.
type conn struct {
	c         *sql.Conn
	stmts     map[string]*sql.Stmt
	onPrepare func(context.Context, *sql.Conn, string)
	// broken is the first error since the connection was taken up after which
	// SQLite may have rolled back by itself. Nothing more is run then: it
	// would no longer be part of the transaction.
	broken error
}

func newConn(c *sql.Conn, onPrepare func(context.Context, *sql.Conn, string)) *conn {
	return &conn{c: c, stmts: map[string]*sql.Stmt{}, onPrepare: onPrepare}
}

func (c *conn) close() {
	for _, s := range c.stmts {
		s.Close()
	}
	c.c.Close()
}

// stmt returns query prepared on this connection. No statement is given a
// context that can end: the driver would start a goroutine for each, and an
// interrupted statement rolls back the whole group it is part of.
func (c *conn) stmt(query string) (*sql.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	ctx := context.Background()
	if c.onPrepare != nil {
		c.onPrepare(ctx, c.c, query)
	}
	s, err := c.c.PrepareContext(ctx, query)
	if err == nil {
		c.stmts[query] = s
	}
	return s, err
}

func (c *conn) exec(query string, args ...any) (sql.Result, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	s, err := c.stmt(query)
	if err != nil {
		return nil, c.failed(err)
	}
	res, err := s.ExecContext(context.Background(), args...)
	return res, c.failed(err)
}

func (c *conn) query(query string, args ...any) (*sql.Rows, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	s, err := c.stmt(query)
	if err != nil {
		return nil, c.failed(err)
	}
	rows, err := s.QueryContext(context.Background(), args...)
	return rows, c.failed(err)
}

// failed translates err, which may be nil, and remembers it if it is one of
// those after which the connection's transaction may be gone.
func (c *conn) failed(err error) error {
	if err == nil {
		return nil
	}
	if err = translate(err); c.broken == nil && Unavailable(err) {
		c.broken = err
	}
	return err
}

// Reader answers queries. It is valid within the function it was given to.
type Reader struct {
	c   *conn
	now func() time.Time
}

// Now returns the wall clock's time, for deciding what has expired.
func (r *Reader) Now() Time { return TimeOf(r.now()) }

// scanner is a row about to be scanned.
type scanner interface{ Scan(dest ...any) error }

// value runs a query for one row and scans it into dest; ErrNoRow without one.
func (r *Reader) value(dest []any, query string, args ...any) error {
	rows, err := r.c.query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return r.c.failed(err)
		}
		return ErrNoRow
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return rows.Close()
}

// one runs a query for one row; ErrNoRow without one.
func one[T any](r *Reader, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var zero T
	rows, err := r.c.query(query, args...)
	if err != nil {
		return zero, err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return zero, r.c.failed(err)
		}
		return zero, ErrNoRow
	}
	v, err := scan(rows)
	if err != nil {
		return zero, err
	}
	return v, rows.Close()
}

// all runs a query for many rows, which must be bounded by a LIMIT or by
// what they are rows of.
func all[T any](r *Reader, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := r.c.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, r.c.failed(rows.Err())
}

// scanOne scans a row of a single column.
func scanOne[T any](s scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}
