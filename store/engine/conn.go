package engine

import (
	"context"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// Conn is a connection with the statements prepared on it. Only one goroutine
// may use it at a time.
type Conn struct {
	h         *handle
	stmts     map[string]*statement
	onPrepare func(c *Conn, query string)
	// broken is the first error since the connection was taken from its pool
	// after which SQLite may have rolled back by itself. No statement runs
	// after it: it would not be part of the transaction.
	broken error
}

// Close closes the connection and its statements.
func (c *Conn) Close() error {
	for _, s := range c.stmts {
		s.close()
	}
	clear(c.stmts)
	return translate(c.h.close())
}

// statement returns query prepared on this connection.
func (c *Conn) statement(query string) (*statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if c.onPrepare != nil {
		c.onPrepare(c, query)
	}
	s, err := c.h.prepare(query)
	if err == nil {
		c.stmts[query] = s
	}
	return s, err
}

// Result is what a statement changed.
type Result struct {
	Changed int64 // rows
	LastID  int64 // the rowid of the row inserted last on this connection
}

// Exec runs a statement to its end. Args may be nil, integers, bools, strings,
// []byte, types based on these, and pointers to them.
func (c *Conn) Exec(query string, args ...any) (Result, error) {
	if c.broken != nil {
		return Result{}, c.broken
	}
	s, err := c.statement(query)
	if err != nil {
		return Result{}, c.failed(err)
	}
	if s.active {
		return Result{}, fmt.Errorf("engine: the statement's rows are still being read: %s", query)
	}
	if err := s.bind(args); err != nil {
		return Result{}, c.failed(err)
	}
	more := true
	for more && err == nil {
		more, err = s.step()
	}
	s.reset()
	if err != nil {
		return Result{}, c.failed(err)
	}
	return Result{
		Changed: sqlite3.Xsqlite3_changes64(c.h.tls, c.h.db),
		LastID:  sqlite3.Xsqlite3_last_insert_rowid(c.h.tls, c.h.db),
	}, nil
}

// Query runs a statement up to its first row. Args are those of Exec.
func (c *Conn) Query(query string, args ...any) (*Rows, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	r := &Rows{c: c, first: true}
	var err error
	if r.s, err = c.statement(query); err != nil {
		return nil, c.failed(err)
	}
	if r.s.active { // the same query within its own rows
		if r.s, err = c.h.prepare(query); err != nil {
			return nil, c.failed(err)
		}
		r.own = true
	}
	r.s.active = true
	if err = r.s.bind(args); err == nil {
		r.more, err = r.s.step()
	}
	if err != nil {
		r.Close()
		return nil, c.failed(err)
	}
	return r, nil
}

// TotalChanges returns how many rows all statements together have changed.
func (c *Conn) TotalChanges() int64 { return c.h.changes() }

// Plan returns the lines of SQLite's plan for a query.
func (c *Conn) Plan(query string) (plan []string, err error) {
	s, err := c.h.prepare("EXPLAIN QUERY PLAN " + query)
	if err != nil {
		return nil, translate(err)
	}
	defer s.close()
	for {
		more, err := s.step()
		if err != nil || !more {
			return plan, translate(err)
		}
		plan = append(plan, s.text(3))
	}
}

// failed translates err, which may be nil, and stores it if it is one of
// those after which the connection's transaction may have ended.
func (c *Conn) failed(err error) error {
	if err == nil {
		return nil
	}
	if err = translate(err); c.broken == nil && Unavailable(err) {
		c.broken = err
	}
	return err
}

// Failed is called with the error of a query, which may be nil, and returns it
// translated. After one of Unavailable the connection runs no more statements.
func (c *Conn) Failed(err error) error { return c.failed(err) }

// Value runs a query for one row and scans it into dest; ErrNoRow without one.
func (c *Conn) Value(dest []any, query string, args ...any) error {
	rows, err := c.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return ErrNoRow
	}
	return rows.Scan(dest...)
}

// number runs a query for one integer without keeping it prepared.
func (c *Conn) number(query string) (n int, err error) {
	err = c.once(query, func(s *statement) error { return s.column(0, &n) })
	return n, err
}

// once runs a query for one row without keeping it prepared.
func (c *Conn) once(query string, f func(*statement) error) error {
	s, err := c.h.prepare(query)
	if err != nil {
		return translate(err)
	}
	defer s.close()
	more, err := s.step()
	if err != nil {
		return translate(err)
	}
	if !more {
		return ErrNoRow
	}
	return f(s)
}

// script runs statements separated by semicolons in one transaction.
func (c *Conn) script(text string) error {
	if err := c.h.script("BEGIN IMMEDIATE"); err != nil {
		return translate(err)
	}
	err := c.h.script(text)
	if err == nil {
		err = c.h.script("COMMIT")
	}
	if err != nil {
		err = translate(err)
		c.h.script("ROLLBACK") // SQLite may have done so already
	}
	return err
}

// interruptOn makes the statements of this connection fail once ctx is done,
// until stop is called.
func (c *Conn) interruptOn(ctx context.Context) (stop func()) { return c.h.interruptOn(ctx) }
