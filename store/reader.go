package store

import (
	"time"

	"hearth/store/engine"
)

// Reader answers queries. It is valid within the function it was given to.
type Reader struct {
	c *Conn
	e *engine.Reader

	senders    *UserCache[string, Sender] // nil within a write, which may have changed them
	generation uint64                     // of senders, before the state was chosen

	marks *itemMarks // nil within a write
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

// exec runs a statement that changes rows and returns how many it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	res, err := tx.c.Exec(query, args...)
	return res.Changed, err
}

// exec1 is exec for a statement that must change a row: ErrNoRow otherwise.
func (tx *Tx) exec1(query string, args ...any) error {
	n, err := tx.exec(query, args...)
	if err == nil && n == 0 {
		err = ErrNoRow
	}
	return err
}

// scanner is a row about to be scanned.
type scanner interface{ Scan(dest ...any) error }

// value runs a query for one row and scans it into dest; ErrNoRow without one.
func (r *Reader) value(dest []any, query string, args ...any) error {
	return r.c.Value(dest, query, args...)
}

// one runs a query for one row; ErrNoRow without one.
func one[T any](r *Reader, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var zero T
	rows, err := r.c.Query(query, args...)
	if err != nil {
		return zero, err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return zero, err
		}
		return zero, ErrNoRow
	}
	return scan(rows)
}

// all runs a query for many rows, which must be bounded by a LIMIT or by what
// they belong to.
func all[T any](r *Reader, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := r.c.Query(query, args...)
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
	return out, rows.Err()
}

// sized is a row that may have much text.
type sized interface{ Size() int }

// within is all for rows that may be large: it ends before they have more than size
// bytes of text together, and reports whether there are more. One row is always returned.
func within[T sized](r *Reader, size int, scan func(scanner) (T, error), query string, args ...any) (out []T, more bool, err error) {
	rows, err := r.c.Query(query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, false, err
		}
		if size -= v.Size(); size < 0 && len(out) > 0 {
			return out, true, nil
		}
		out = append(out, v)
	}
	return out, false, rows.Err()
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

// scanOne scans a row of a single column.
func scanOne[T any](s scanner) (v T, err error) {
	err = s.Scan(&v)
	return v, err
}
