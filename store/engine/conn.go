package engine

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Conn is a connection, which keeps its statements prepared. Only one goroutine
// may use it at a time.
type Conn struct {
	c         *sqlite.Conn
	onPrepare func(c *Conn, query string)
	stmts     map[string]*sqlite.Stmt // by their text: the library clears parameters of its own, and SQLite then plans again
	// broken is the first error since the connection was taken from its pool
	// after which SQLite may have rolled back by itself. No statement runs
	// after it: it would not be part of the transaction.
	broken error
}

// Close closes the connection and its statements.
func (c *Conn) Close() error { return translate(c.c.Close()) }

// prepare returns query prepared on this connection, with its parameters. Fewer or more
// arguments than parameters are an error: SQLite would take NULL for what is missing.
func (c *Conn) prepare(query string, args []any) (*sqlite.Stmt, error) {
	s := c.stmts[query]
	if s == nil {
		if c.onPrepare != nil {
			c.onPrepare(c, query)
		}
		var err error
		if s, err = c.c.Prepare(query); err != nil {
			return nil, err
		}
		c.stmts[query] = s
	}
	if n := s.BindParamCount(); len(args) != n {
		return nil, fmt.Errorf("engine: %d arguments for %d parameters", len(args), n)
	}
	for i, a := range args {
		switch v := a.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case int:
			s.BindInt64(i+1, int64(v))
		case string:
			s.BindText(i+1, v)
		case Time:
			s.BindInt64(i+1, int64(v))
		default:
			if err := bind(s, i+1, reflect.ValueOf(a)); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// bind binds an argument of another type by its kind.
func bind(s *sqlite.Stmt, i int, v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch kind := v.Kind(); {
	case kind == reflect.Invalid, kind == reflect.Slice && v.IsNil():
		s.BindNull(i)
	case kind == reflect.Bool:
		s.BindBool(i, v.Bool())
	case v.CanInt():
		s.BindInt64(i, v.Int())
	case v.CanUint():
		s.BindInt64(i, int64(v.Uint()))
	case v.CanFloat():
		s.BindFloat(i, v.Float())
	case kind == reflect.String:
		s.BindText(i, v.String())
	case kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		s.BindBytes(i, v.Bytes())
	default:
		return fmt.Errorf("engine: a %s cannot be stored", v.Type())
	}
	return nil
}

// Result is what a statement changed.
type Result struct {
	Changed int64 // rows
	LastID  int64 // the rowid of the row inserted last on this connection
}

// Exec runs a statement to its end. Args may be nil, integers, bools, strings,
// []byte, types based on these, and pointers to them.
func (c *Conn) Exec(query string, args ...any) (Result, error) {
	err := c.Each(nil, nil, query, args...)
	return Result{Changed: int64(c.c.Changes()), LastID: c.c.LastInsertRowID()}, err
}

// control is Exec for a statement that changes no rows, such as BEGIN.
func (c *Conn) control(query string) error { return c.Each(nil, nil, query) }

// Value runs a query for one row and scans it into dest; ErrNoRow without one.
func (c *Conn) Value(dest []any, query string, args ...any) error {
	found := false
	err := c.Each(dest, func() bool { found = true; return false }, query, args...)
	if err == nil && !found {
		err = ErrNoRow
	}
	return err
}

// Each scans the rows of a query into dest, one after another, and calls f after each until it reports false. A nil f
// drops the rows. Args are as for Exec. The same query must not be asked again meanwhile.
func (c *Conn) Each(dest []any, f func() bool, query string, args ...any) error {
	if c.broken != nil {
		return c.broken
	}
	s, err := c.prepare(query, args)
	if err != nil {
		return c.Failed(err)
	}
	defer s.Reset()
	for {
		row, err := s.Step()
		if err != nil || !row {
			return c.Failed(err)
		}
		if f == nil {
			continue
		}
		if err := scan(s, dest, query); err != nil {
			return err
		}
		if !f() {
			return nil
		}
	}
}

// TotalChanges returns how many rows all statements together have changed, of
// full-text indexes, too.
func (c *Conn) TotalChanges() (n int64) {
	c.Value([]any{&n}, "SELECT total_changes()")
	return n
}

// Plan returns the lines of SQLite's plan for a query.
func (c *Conn) Plan(query string) (plan []string, err error) {
	err = c.once("EXPLAIN QUERY PLAN "+query, func(s *sqlite.Stmt) { plan = append(plan, s.ColumnText(3)) })
	return plan, err
}

// Failed is called with the error of a query, which may be nil, and returns it
// translated. After one of Unavailable the transaction may have ended, and the
// connection runs no more statements.
func (c *Conn) Failed(err error) error {
	if err = translate(err); err != nil && c.broken == nil && Unavailable(err) {
		c.broken = err
	}
	return err
}

// firstRow returns the first row of a query as text; "" without one.
func (c *Conn) firstRow(query string) (row string, err error) {
	err = c.once(query, func(s *sqlite.Stmt) {
		var values []string
		for i := range s.ColumnCount() {
			values = append(values, s.ColumnText(i))
		}
		row = cmp.Or(row, strings.Join(values, " "))
	})
	return row, err
}

// once runs a query without keeping it prepared, and calls f with each row.
func (c *Conn) once(query string, f func(*sqlite.Stmt)) error {
	s, _, err := c.c.PrepareTransient(query)
	if err != nil {
		return translate(err)
	}
	defer s.Finalize()
	for {
		row, err := s.Step()
		if err != nil || !row {
			return translate(err)
		}
		f(s)
	}
}

// run is control for a statement that is not kept prepared.
func (c *Conn) run(query string) error { return c.once(query, func(*sqlite.Stmt) {}) }

// script runs statements separated by semicolons in one transaction.
func (c *Conn) script(text string) error { return translate(sqlitex.ExecuteScript(c.c, text, nil)) }

// interruptOn makes the statements of this connection fail once ctx is done,
// until stop is called.
func (c *Conn) interruptOn(ctx context.Context) (stop func()) {
	c.c.SetInterrupt(ctx.Done())
	return func() { c.c.SetInterrupt(nil) }
}
