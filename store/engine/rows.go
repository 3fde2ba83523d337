package engine

import (
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"
)

// Rows is the result of a query. It must be closed before the function that was
// given the reader returns, and before the same query is asked again.
type Rows struct {
	c      *Conn
	s      *sqlite.Stmt
	query  string
	first  bool // the first row is read already
	more   bool
	closed bool
	err    error
}

// Next moves to the next row and reports whether there is one.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if r.first {
		r.first = false
	} else {
		r.more, r.err = r.s.Step()
	}
	if !r.more {
		r.Close()
	}
	return r.more
}

// Err returns the error that ended the rows, if any.
func (r *Rows) Err() error { return r.c.Failed(r.err) }

// Close ends the query. It may be called more than once.
func (r *Rows) Close() error {
	if !r.closed {
		r.closed = true
		r.s.Reset()
	}
	return nil
}

// TextScanner is a destination that reads a text itself.
type TextScanner interface{ ScanText(s string) error }

// Scan copies the columns of the row to what dest points to, one for each. A
// column goes into its own kind. NULL is zero, or an empty text.
func (r *Rows) Scan(dest ...any) error {
	if r.closed {
		return fmt.Errorf("engine: Scan without a row")
	}
	if n := r.s.ColumnCount(); len(dest) != n {
		return fmt.Errorf("engine: %d destinations for the %d columns of %s", len(dest), n, r.query)
	}
	for i, d := range dest {
		if err := scan(r.s, i, d); err != nil {
			return fmt.Errorf("engine: column %d: %w", i, err)
		}
	}
	return nil
}

// scan copies a column to what dest points to. The types that rows are made of
// come first, without reflection.
func scan(s *sqlite.Stmt, i int, dest any) error {
	kind := s.ColumnType(i)
	switch d := dest.(type) {
	case *string:
		if kind == sqlite.TypeText || kind == sqlite.TypeNull {
			*d = s.ColumnText(i)
			return nil
		}
	case *int64:
		if kind == sqlite.TypeInteger {
			*d = s.ColumnInt64(i)
			return nil
		}
	case *int:
		if kind == sqlite.TypeInteger {
			*d = s.ColumnInt(i)
			return nil
		}
	case *bool:
		if kind == sqlite.TypeInteger {
			*d = s.ColumnInt64(i) != 0
			return nil
		}
	case *Time:
		if kind == sqlite.TypeInteger || kind == sqlite.TypeNull {
			*d = Time(s.ColumnInt64(i))
			return nil
		}
	case TextScanner:
		if kind == sqlite.TypeText || kind == sqlite.TypeNull {
			return d.ScanText(s.ColumnText(i))
		}
	}
	return set(reflect.ValueOf(dest).Elem(), valueOf(s, i, kind))
}

// valueOf returns a column as nil, int64, float64, string or []byte.
func valueOf(s *sqlite.Stmt, i int, kind sqlite.ColumnType) any {
	switch kind {
	case sqlite.TypeInteger:
		return s.ColumnInt64(i)
	case sqlite.TypeFloat:
		return s.ColumnFloat(i)
	case sqlite.TypeText:
		return s.ColumnText(i)
	case sqlite.TypeBlob:
		b := make([]byte, s.ColumnLen(i))
		s.ColumnBytes(i, b)
		return b
	}
	return nil
}

// set sets a destination of any other type.
func set(to reflect.Value, value any) error {
	v, kind := reflect.ValueOf(value), to.Kind()
	switch {
	case value == nil:
		to.SetZero()
	case kind == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return set(to.Elem(), value)
	case kind == reflect.Interface:
		to.Set(v)
	case v.CanInt() && kind == reflect.Bool:
		to.SetBool(v.Int() != 0)
	case v.CanInt() && to.CanInt(), v.CanInt() && to.CanFloat(), v.CanFloat() && to.CanFloat():
		to.Set(v.Convert(to.Type()))
	case !v.CanInt() && !v.CanFloat() && v.CanConvert(to.Type()): // text and blobs
		to.Set(v.Convert(to.Type()))
	default:
		return fmt.Errorf("a %T cannot be scanned into a %s", value, to.Type())
	}
	return nil
}
