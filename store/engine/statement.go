package engine

import (
	"fmt"
	"reflect"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// statement is a prepared statement. Text and blob parameters are copied to one
// buffer outside the Go heap, which it keeps for the next time.
type statement struct {
	h       *handle
	p       uintptr
	query   string
	params  int
	columns int
	buf     uintptr
	size    int
	active  bool // rows are being read from it
}

// prepare compiles one statement. More text after it is an error.
func (h *handle) prepare(query string) (*statement, error) {
	text, err := libc.CString(query)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(h.tls, text)
	out := h.alloc(16)
	defer libc.Xfree(h.tls, out)
	rc := sqlite3.Xsqlite3_prepare_v3(h.tls, h.db, text, int32(len(query)+1), sqlite3.SQLITE_PREPARE_PERSISTENT, out, out+8)
	if rc != sqlite3.SQLITE_OK {
		return nil, h.fail(rc)
	}
	s := &statement{h: h, p: pointerAt(out), query: query}
	if rest := query[pointerAt(out+8)-text:]; s.p == 0 || !blank(rest) {
		s.close()
		return nil, fmt.Errorf("engine: not a single statement: %s", query)
	}
	s.params = int(sqlite3.Xsqlite3_bind_parameter_count(h.tls, s.p))
	s.columns = int(sqlite3.Xsqlite3_column_count(h.tls, s.p))
	return s, nil
}

// blank reports whether nothing but white space and semicolons is in s.
func blank(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r', ';':
		default:
			return false
		}
	}
	return true
}

func (s *statement) close() {
	sqlite3.Xsqlite3_finalize(s.h.tls, s.p)
	if s.buf != 0 {
		libc.Xfree(s.h.tls, s.buf)
	}
	s.p, s.buf, s.size = 0, 0, 0
}

// step runs the statement up to its next row and reports whether there is one.
func (s *statement) step() (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(s.h.tls, s.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.h.fail(rc)
	}
}

func (s *statement) reset() { sqlite3.Xsqlite3_reset(s.h.tls, s.p) }

// bind sets all parameters. Fewer or more arguments than parameters are an
// error: SQLite would take NULL for what is missing.
func (s *statement) bind(args []any) error {
	if len(args) != s.params {
		return fmt.Errorf("engine: %d arguments for %d parameters", len(args), s.params)
	}
	need := 1
	for _, a := range args {
		switch v := a.(type) {
		case string:
			need += len(v)
		case []byte:
			need += len(v)
		case int64, int, bool, float64, nil:
		default:
			return s.bindPlain(args)
		}
	}
	if need > s.size {
		if s.buf != 0 {
			libc.Xfree(s.h.tls, s.buf)
		}
		s.size = max(2*need, 128)
		s.buf = s.h.alloc(s.size)
	}
	at := s.buf
	for i, a := range args {
		n, rc := s.bindOne(int32(i+1), at, a)
		if rc != sqlite3.SQLITE_OK {
			return s.h.fail(rc)
		}
		at += uintptr(n)
	}
	return nil
}

// bindOne binds one argument; text is copied to at. It returns how many bytes
// that took.
func (s *statement) bindOne(i int32, at uintptr, a any) (n int, rc int32) {
	tls := s.h.tls
	switch v := a.(type) {
	case int64:
		return 0, sqlite3.Xsqlite3_bind_int64(tls, s.p, i, v)
	case int:
		return 0, sqlite3.Xsqlite3_bind_int64(tls, s.p, i, int64(v))
	case bool:
		return 0, sqlite3.Xsqlite3_bind_int64(tls, s.p, i, int64(libc.Bool32(v)))
	case float64:
		return 0, sqlite3.Xsqlite3_bind_double(tls, s.p, i, v)
	case string:
		copy(libc.GoBytes(at, len(v)), v)
		return len(v), sqlite3.Xsqlite3_bind_text(tls, s.p, i, at, int32(len(v)), 0)
	case []byte:
		if v == nil {
			break
		}
		copy(libc.GoBytes(at, len(v)), v)
		return len(v), sqlite3.Xsqlite3_bind_blob(tls, s.p, i, at, int32(len(v)), 0)
	}
	return 0, sqlite3.Xsqlite3_bind_null(tls, s.p, i)
}

// bindPlain binds arguments of other types by their kind.
func (s *statement) bindPlain(args []any) error {
	plain := make([]any, len(args))
	for i, a := range args {
		v, err := plainValue(a)
		if err != nil {
			return fmt.Errorf("engine: argument %d: %w", i+1, err)
		}
		plain[i] = v
	}
	return s.bind(plain)
}

// plainValue returns a as nil, int64, float64, string or []byte.
func plainValue(a any) (any, error) {
	v := reflect.ValueOf(a)
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, nil
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("a %T cannot be stored", a)
}
