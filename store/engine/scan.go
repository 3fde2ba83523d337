package engine

import (
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"
)

// TextScanner is a destination that reads a text itself.
type TextScanner interface{ ScanText(s string) error }

// scan copies the columns of a row to what dest points to, one for each. A
// column goes into its own kind. NULL is zero, or an empty text.
func scan(s *sqlite.Stmt, dest []any, query string) error {
	if n := s.ColumnCount(); len(dest) != n {
		return fmt.Errorf("engine: %d destinations for the %d columns of %s", len(dest), n, query)
	}
	for i, d := range dest {
		if err := scanColumn(s, i, d); err != nil {
			return fmt.Errorf("engine: column %d: %w", i, err)
		}
	}
	return nil
}

// scanColumn copies a column to what dest points to. The types that rows are made of
// come first, without reflection.
func scanColumn(s *sqlite.Stmt, i int, dest any) error {
	kind := s.ColumnType(i)
	switch d := dest.(type) {
	case *string:
		switch kind {
		case sqlite.TypeText:
			*d = recurring(s, i, *d)
			return nil
		case sqlite.TypeNull: // many columns are: they are not asked for their text
			*d = ""
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
		switch kind {
		case sqlite.TypeInteger:
			*d = Time(s.ColumnInt64(i))
			return nil
		case sqlite.TypeNull:
			*d = 0
			return nil
		}
	case TextScanner:
		if kind == sqlite.TypeText || kind == sqlite.TypeNull {
			return d.ScanText(s.ColumnText(i))
		}
	}
	return set(reflect.ValueOf(dest).Elem(), s, i, kind)
}

// recurring returns the text of a column, and last instead of a copy if they are equal: many rows of a page have the
// same conversation and sender.
func recurring(s *sqlite.Stmt, i int, last string) string {
	const long = 36 // a UUID
	if n := s.ColumnLen(i); n == long && len(last) == long {
		var text [long]byte
		if s.ColumnBytes(i, text[:]); string(text[:]) == last {
			return last
		}
	}
	return s.ColumnText(i)
}

// set sets a destination of any other type.
func set(to reflect.Value, s *sqlite.Stmt, i int, kind sqlite.ColumnType) error {
	number, text := kind == sqlite.TypeInteger || kind == sqlite.TypeFloat, kind == sqlite.TypeText || kind == sqlite.TypeBlob
	switch {
	case kind == sqlite.TypeNull:
		to.SetZero()
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return set(to.Elem(), s, i, kind)
	case kind == sqlite.TypeInteger && to.Kind() == reflect.Bool:
		to.SetBool(s.ColumnInt64(i) != 0)
	case kind == sqlite.TypeInteger && to.CanInt():
		to.SetInt(s.ColumnInt64(i))
	case number && to.CanFloat():
		to.SetFloat(s.ColumnFloat(i))
	case text && to.Kind() == reflect.String:
		to.SetString(s.ColumnText(i))
	case text && to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		b := make([]byte, s.ColumnLen(i))
		s.ColumnBytes(i, b)
		to.SetBytes(b)
	default:
		return fmt.Errorf("a column of type %v cannot be scanned into a %s", kind, to.Type())
	}
	return nil
}
