package engine

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Rows is the result of a query. Its methods are those of sql.Rows; it must be
// closed before the function that was given the reader returns.
type Rows struct {
	c      *Conn
	s      *statement
	first  bool // the first row is read already
	more   bool
	closed bool
	own    bool // the statement is not one of the connection's prepared ones
	err    error
}

// Next moves to the next row and reports whether there is one.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if r.first {
		r.first = false
	} else if r.more {
		r.more, r.err = r.s.step()
	}
	if !r.more {
		r.Close()
	}
	return r.more
}

// Err returns the error that ended the rows, if any.
func (r *Rows) Err() error { return r.c.failed(r.err) }

// Close ends the query. It may be called more than once.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.s.reset()
	r.s.active = false
	if r.own {
		r.s.close()
	}
	return nil
}

// Columns returns how many columns a row has.
func (r *Rows) Columns() int { return r.s.columns }

// TextScanner is a destination in which NULL is the same as an empty text. It is
// what sql.Scanner is, without an interface value for each text.
type TextScanner interface{ ScanText(s string) }

// Scan copies the columns of the row to what dest points to, one for each. It
// converts as sql.Rows.Scan does: NULL goes into a pointer, a []byte, an any or
// a sql.Scanner, and into nothing else.
func (r *Rows) Scan(dest ...any) error {
	if r.closed {
		return fmt.Errorf("engine: Scan without a row")
	}
	if len(dest) != r.s.columns {
		return fmt.Errorf("engine: %d destinations for the %d columns of %s", len(dest), r.s.columns, r.s.query)
	}
	for i, d := range dest {
		if err := r.s.column(int32(i), d); err != nil {
			return fmt.Errorf("engine: column %d: %w", i, err)
		}
	}
	return nil
}

// column copies a column to what dest points to. The types that rows are made
// of come first, without a detour over an interface value.
func (s *statement) column(i int32, dest any) error {
	kind := sqlite3.Xsqlite3_column_type(s.h.tls, s.p, i)
	switch d := dest.(type) {
	case *string:
		if kind == sqlite3.SQLITE_TEXT {
			*d = s.text(i)
			return nil
		}
	case *int64:
		if kind == sqlite3.SQLITE_INTEGER {
			*d = s.integer(i)
			return nil
		}
	case *int:
		if kind == sqlite3.SQLITE_INTEGER {
			*d = int(s.integer(i))
			return nil
		}
	case *Time:
		switch kind {
		case sqlite3.SQLITE_INTEGER:
			*d = Time(s.integer(i))
			return nil
		case sqlite3.SQLITE_NULL:
			*d = 0
			return nil
		}
	case *bool:
		if kind == sqlite3.SQLITE_INTEGER {
			return setBool(d, s.integer(i))
		}
	case TextScanner:
		switch kind {
		case sqlite3.SQLITE_TEXT:
			d.ScanText(s.text(i))
			return nil
		case sqlite3.SQLITE_NULL:
			d.ScanText("")
			return nil
		}
	}
	return assign(dest, s.value(i, kind))
}

func (s *statement) integer(i int32) int64 { return sqlite3.Xsqlite3_column_int64(s.h.tls, s.p, i) }

func (s *statement) text(i int32) string {
	p := sqlite3.Xsqlite3_column_text(s.h.tls, s.p, i)
	b := libc.GoBytes(p, int(sqlite3.Xsqlite3_column_bytes(s.h.tls, s.p, i)))
	return string(b)
}

// value returns a column as nil, int64, float64, string or []byte.
func (s *statement) value(i, kind int32) any {
	switch kind {
	case sqlite3.SQLITE_INTEGER:
		return s.integer(i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(s.h.tls, s.p, i)
	case sqlite3.SQLITE_TEXT:
		return s.text(i)
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(s.h.tls, s.p, i)
		n := int(sqlite3.Xsqlite3_column_bytes(s.h.tls, s.p, i))
		if p == 0 || n == 0 {
			return []byte{}
		}
		return append([]byte(nil), libc.GoBytes(p, n)...)
	}
	return nil
}

func setBool(d *bool, n int64) error {
	if n != 0 && n != 1 {
		return fmt.Errorf("%d is not 0 or 1", n)
	}
	*d = n == 1
	return nil
}

// assign sets what dest points to from a value of statement.value.
func assign(dest, v any) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(v)
	case *any:
		*d = v
		return nil
	case *[]byte:
		return setBytes(d, v)
	}
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("a %T is not a pointer to scan into", dest)
	}
	return assignKind(to.Elem(), v)
}

func setBytes(d *[]byte, v any) error {
	switch v := v.(type) {
	case nil:
		*d = nil
	case []byte:
		*d = v
	default:
		*d = []byte(asText(v))
	}
	return nil
}

func assignKind(to reflect.Value, v any) error {
	if v == nil && to.Kind() != reflect.Pointer {
		return fmt.Errorf("NULL cannot be scanned into a %s", to.Type())
	}
	switch kind := to.Kind(); {
	case kind == reflect.Pointer:
		if v == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), v)
	case to.Type() == reflect.TypeFor[string](), kind == reflect.String && isText(v):
		to.SetString(asText(v))
		return nil
	case to.Type() == reflect.TypeFor[bool]():
		b, err := strconv.ParseBool(asText(v))
		to.SetBool(b)
		return err
	case to.CanInt():
		n, err := strconv.ParseInt(asText(v), 10, to.Type().Bits())
		to.SetInt(n)
		return err
	case to.CanFloat():
		f, err := strconv.ParseFloat(asText(v), to.Type().Bits())
		to.SetFloat(f)
		return err
	}
	return fmt.Errorf("a %T cannot be scanned into a %s", v, to.Type())
}

func isText(v any) bool {
	switch v.(type) {
	case string, []byte:
		return true
	}
	return false
}

func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}
