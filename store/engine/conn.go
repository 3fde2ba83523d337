package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Conn is a connection with the statements prepared on it. Only one goroutine
// may use it at a time.
type Conn struct {
	c         *sqlite.Conn
	stmts     map[string]*statement
	onPrepare func(c *Conn, query string)
	changes   int64 // rows changed by Exec and by queries that return what they change
	// broken is the first error since the connection was taken from its pool
	// after which SQLite may have rolled back by itself. No statement runs
	// after it: it would not be part of the transaction.
	broken error
}

// statement is a prepared statement.
type statement struct {
	*sqlite.Stmt
	query     string
	params    int
	columns   int
	returning bool // it returns the rows that it changes
}

// connect opens the file that a URI names.
func connect(uri string) (*Conn, error) {
	c, err := sqlite.OpenConn(uri, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return nil, translate(err)
	}
	if err := protect(c); err != nil {
		c.Close()
		return nil, err
	}
	return &Conn{c: c, stmts: map[string]*statement{}}, nil
}

// protect makes statements fail that write shadow tables or the schema by themselves. SetDefensive of the library
// leaves out an argument, so that SQLite writes to an address of chance.
func protect(c *sqlite.Conn) error {
	fields := reflect.ValueOf(c).Elem()
	tls := (*libc.TLS)(fields.FieldByName("tls").UnsafePointer())
	args := libc.NewVaList(int32(1), uintptr(0))
	defer libc.Xfree(tls, args)
	code := lib.Xsqlite3_db_config(tls, uintptr(fields.FieldByName("conn").Uint()), lib.SQLITE_DBCONFIG_DEFENSIVE, args)
	return translate(sqlite.ResultCode(code).ToError())
}

// Close closes the connection and its statements.
func (c *Conn) Close() error { return translate(c.c.Close()) }

// statement returns query prepared on this connection.
func (c *Conn) statement(query string) (*statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if c.onPrepare != nil {
		c.onPrepare(c, query)
	}
	prepared, err := c.c.Prepare(query)
	if err != nil {
		return nil, err
	}
	s := &statement{
		Stmt: prepared, query: query, params: prepared.BindParamCount(), columns: prepared.ColumnCount(),
		returning: strings.Contains(query, "RETURNING"),
	}
	c.stmts[query] = s
	return s, nil
}

// bind sets all parameters. Fewer or more arguments than parameters are an
// error: SQLite would take NULL for what is missing.
func (s *statement) bind(args []any) error {
	if len(args) != s.params {
		return fmt.Errorf("engine: %d arguments for %d parameters", len(args), s.params)
	}
	for i, a := range args {
		switch v := a.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case int:
			s.BindInt64(i+1, int64(v))
		case string:
			s.BindText(i+1, v)
		default:
			if err := s.bindKind(i+1, reflect.ValueOf(a)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bindKind binds an argument of another type by its kind.
func (s *statement) bindKind(i int, v reflect.Value) error {
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
	if err := c.control(query, args...); err != nil {
		return Result{}, err
	}
	r := Result{Changed: int64(c.c.Changes()), LastID: c.c.LastInsertRowID()}
	c.changes += r.Changed
	return r, nil
}

// control is Exec for a statement that changes no rows, such as BEGIN, after
// which SQLite still has the number of an earlier one.
func (c *Conn) control(query string, args ...any) error {
	rows, err := c.Query(query, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return rows.Err()
}

// Query runs a statement up to its first row. Args are those of Exec.
func (c *Conn) Query(query string, args ...any) (*Rows, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	s, err := c.statement(query)
	if err != nil {
		return nil, c.Failed(err)
	}
	r := &Rows{c: c, s: s, first: true}
	if err = s.bind(args); err == nil {
		r.more, err = s.Step()
	}
	if err != nil {
		r.Close()
		return nil, c.Failed(err)
	}
	if r.more && s.returning {
		c.changes++
	}
	return r, nil
}

// TotalChanges returns how many rows all statements together have changed, of
// full-text indexes, too.
func (c *Conn) TotalChanges() (n int64) {
	c.Value([]any{&n}, "SELECT total_changes()")
	return n
}

// Plan returns the lines of SQLite's plan for a query.
func (c *Conn) Plan(query string) (plan []string, err error) {
	s, _, err := c.c.PrepareTransient("EXPLAIN QUERY PLAN " + query)
	if err != nil {
		return nil, translate(err)
	}
	defer s.Finalize()
	for {
		more, err := s.Step()
		if err != nil || !more {
			return plan, translate(err)
		}
		plan = append(plan, s.ColumnText(3))
	}
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
	err = c.once(query, func(s *sqlite.Stmt) { n = s.ColumnInt(0) })
	return n, err
}

// firstRow returns the first row of a query as text; "" without one.
func (c *Conn) firstRow(query string) (row string, err error) {
	err = c.once(query, func(s *sqlite.Stmt) {
		var values []string
		for i := range s.ColumnCount() {
			values = append(values, s.ColumnText(i))
		}
		row = strings.Join(values, " ")
	})
	if err == ErrNoRow {
		err = nil
	}
	return row, err
}

// once calls f with the first row of a query, which is not kept prepared.
func (c *Conn) once(query string, f func(*sqlite.Stmt)) error {
	s, _, err := c.c.PrepareTransient(query)
	if err != nil {
		return translate(err)
	}
	defer s.Finalize()
	more, err := s.Step()
	if err != nil {
		return translate(err)
	}
	if !more {
		return ErrNoRow
	}
	f(s)
	return nil
}

// run runs a statement without keeping it prepared, and drops its rows.
func (c *Conn) run(query string) error { return translate(sqlitex.ExecuteTransient(c.c, query, nil)) }

// script runs statements separated by semicolons in one transaction.
func (c *Conn) script(text string) error { return translate(sqlitex.ExecuteScript(c.c, text, nil)) }

// interruptOn makes the statements of this connection fail once ctx is done,
// until stop is called.
func (c *Conn) interruptOn(ctx context.Context) (stop func()) {
	c.c.SetInterrupt(ctx.Done())
	return func() { c.c.SetInterrupt(nil) }
}

// busyTimeout sets how long the connection waits for locks.
func (c *Conn) busyTimeout(wait time.Duration) { c.c.SetBusyTimeout(wait) }
