package store

import (
	"errors"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/store/engine"
)

// Reader answers queries. It is valid within the function it was given to.
type Reader struct {
	c *Conn
	e *engine.Reader

	senders    *UserCache[string, Sender] // nil within a write, which may have changed them
	generation uint64                     // of senders, before the state was chosen
}

// Now returns the time of the wall clock, to decide what has expired.
func (r *Reader) Now() Time { return r.e.Now() }

// Tx is a write under way: a Reader that includes its own changes, and the writes.
// It is valid within the function it was given to.
type Tx struct {
	Reader
	// Now is the time of this write, strictly later than that of every
	// earlier write that changed the file.
	Now Time

	db      *DB
	e       *engine.Tx[Event]
	events  []Event
	changed []string // accounts whose credentials may be judged differently
}

// In returns the time that is d from now, for what ends: readers compare that with the
// wall clock. It is reckoned from Now, which gives writes their order, but not if that
// is ahead of the wall clock, because the clock was set back.
func (tx *Tx) In(d time.Duration) Time {
	return min(tx.Now, tx.Reader.Now().Add(time.Second)).Add(d)
}

// Tick returns a time later than Now and every earlier Tick, for a write whose
// rows need an order.
func (tx *Tx) Tick() Time { return tx.e.Tick() }

// exec runs a statement that changes rows.
func (tx *Tx) exec(query string, args ...any) error {
	_, err := tx.execCount(query, args...)
	return err
}

// execCount is exec that returns how many rows the statement changed.
func (tx *Tx) execCount(query string, args ...any) (int64, error) {
	res, err := tx.c.Exec(query, args...)
	return res.Changed, err
}

// exec1 is exec for a statement that must change a row: ErrNoRow otherwise.
func (tx *Tx) exec1(query string, args ...any) error {
	n, err := tx.execCount(query, args...)
	if err == nil && n == 0 {
		err = ErrNoRow
	}
	return err
}

// value runs a query for one row and scans it into dest; ErrNoRow without one.
func (r *Reader) value(dest []any, query string, args ...any) error {
	return r.c.Value(dest, query, args...)
}

// sized is a row that may have much text.
type sized interface{ Size() int }

// all runs a query for many rows, which must be bounded by a LIMIT or by what
// they belong to. The columns are as for fields.
func all[T any](r *Reader, query string, args ...any) (out []T, err error) {
	return page[T](r, 0, query, args...)
}

// page is all with room for size rows, at most 100: rows are large, and a longer slice is a copy.
func page[T any](r *Reader, size int, query string, args ...any) (out []T, err error) {
	row := new(T)
	if size > 0 {
		out = make([]T, 0, min(size, 100))
	}
	err = r.scan(row, func() bool { out = append(out, *row); return true }, query, args)
	return out, err
}

// one is all for one row; ErrNoRow without one.
func one[T any](r *Reader, query string, args ...any) (row T, err error) {
	err = r.scanOne(&row, query, args)
	return row, err
}

func (r *Reader) scanOne(row any, query string, args []any) error {
	err := ErrNoRow
	if failed := r.scan(row, func() bool { err = nil; return false }, query, args); failed != nil {
		return failed
	}
	return err
}

// First returns the first of the rows that a query returned; ErrNoRow without one.
func First[T any](rows []T, err error) (first T, _ error) {
	switch {
	case err != nil:
		return first, err
	case len(rows) == 0:
		return first, ErrNoRow
	}
	return rows[0], nil
}

// Optional returns nil for ErrNoRow, and other errors unchanged.
func Optional(err error) error {
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	return err
}

// orZero returns what a query of one row returned, and no error if there is none.
func orZero[T any](v T, err error) (T, error) {
	return v, Optional(err)
}

// within is all for rows that may be large: it ends before they have more than size
// bytes of text together, and reports whether there are more. One row is always returned.
func within[T sized](r *Reader, size int, query string, args ...any) (out []T, more bool, err error) {
	err = each(r, func(row *T) bool {
		if size -= (*row).Size(); size < 0 && len(out) > 0 {
			more = true
			return false
		}
		out = append(out, *row)
		return true
	}, query, args...)
	return out, more, err
}

// keeping returns the newest limit rows of a query, up to size bytes of text together, and
// all those to be kept, the newest first.
func keeping[T sized](r *Reader, limit, size int, keep func(row *T) bool, query string, args ...any) (out []T, err error) {
	n := 0
	err = each(r, func(row *T) bool {
		n++
		size -= (*row).Size()
		if keep(row) || n <= limit && (size >= 0 || n == 1) {
			out = append(out, *row)
		}
		return true
	}, query, args...)
	return out, err
}

// each calls f with the rows of a query, one after another, until it reports false.
func each[T any](r *Reader, f func(row *T) bool, query string, args ...any) error {
	row := new(T)
	return r.scan(row, func() bool { return f(row) }, query, args)
}

// scan scans the rows of a query into row, a pointer, one after another. It calls next after each, until it reports false.
func (r *Reader) scan(row any, next func() bool, query string, args []any) error {
	derived, _ := row.(interface{ derive() })
	return r.c.Each(fields(nil, reflect.ValueOf(row).Elem()), func() bool {
		if derived != nil {
			derived.derive()
		}
		return next()
	}, query, args...)
}

// fields appends to dest where the columns of a row are scanned to: the fields of a struct in
// their order, and of the structs among them, but for those with the tag row:"-". What
// these have follows from the columns, and a method derive sets it.
func fields(dest []any, row reflect.Value) []any {
	if row.Kind() != reflect.Struct {
		to := row.Addr().Interface()
		if list, ok := to.(*[]string); ok {
			to = (*texts)(list)
		}
		return append(dest, to)
	}
	for i := range row.NumField() {
		if row.Type().Field(i).Tag != `row:"-"` {
			dest = fields(dest, row.Field(i))
		}
	}
	return dest
}

// texts is a list that a column has as JSON.
type texts []string

// ScanText implements engine.TextScanner.
func (t *texts) ScanText(s string) error {
	*t = nil // the rows before share nothing with it
	return json.Unmarshal([]byte(s), t)
}

// bytesOf returns how many bytes texts have.
func bytesOf(lists ...[]string) (n int) {
	for _, l := range lists {
		for _, s := range l {
			n += len(s)
		}
	}
	return n
}
