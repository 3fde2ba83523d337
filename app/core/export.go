package core

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// A page of an export stays in memory until the client has read it. It has up to ExportRows rows, or up to ExportText
// bytes and one row more. A row can have some 100 KB.
const (
	ExportRows = 2
	ExportText = 32 << 10
)

// Export is the export of an account while it is written.
type Export struct {
	By    store.Viewer
	Since store.Time // messages and thoughts after it; 0 for all
	Until store.Time // up to and including it, the last write before the export began
	JSON  *jsontext.Encoder
	// Turn runs a function that reads and encodes a page, one export at a time, and sends the page.
	Turn func(ctx context.Context, page func() error) error
}

// ExportFunc writes the value of one member of an export. It reads unbounded data in pages, each within a Turn.
type ExportFunc func(ctx context.Context, e *Export) error

// Value writes v.
func (e *Export) Value(v any) error {
	return json.MarshalEncode(e.JSON, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

// Member writes a member of the current object.
func (e *Export) Member(name string, v any) error {
	if err := e.JSON.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return e.Value(v)
}

// ExportValue writes what read returns, which is bounded, as one page.
func ExportValue[T any](db *store.DB, read func(r *store.Reader, by store.Viewer) (T, error)) ExportFunc {
	return func(ctx context.Context, e *Export) error {
		return e.Turn(ctx, func() error {
			v, err := store.Get(ctx, db, func(r *store.Reader) (T, error) { return read(r, e.By) })
			if err != nil {
				return err
			}
			return e.Value(v)
		})
	}
}

// ExportPages writes an array of the pages that next returns, until a page is empty.
func ExportPages[T any](ctx context.Context, e *Export, next func() ([]T, error)) error {
	if err := e.JSON.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for more := true; more; {
		err := e.Turn(ctx, func() error {
			page, err := next()
			more = len(page) > 0
			for i := range page {
				if err == nil {
					err = e.Value(&page[i])
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return e.JSON.WriteToken(jsontext.EndArray)
}

// ExportParts writes an array of all rows; show converts up to n at a time.
func ExportParts[Row, T any](ctx context.Context, e *Export, rows []Row, n int, show func([]Row) ([]T, error)) error {
	return ExportPages(ctx, e, func() (page []T, err error) {
		for len(page) == 0 && len(rows) > 0 && err == nil {
			part := rows[:min(n, len(rows))]
			rows = rows[len(part):]
			page, err = show(part)
		}
		return page, err
	})
}

// ExportNewest writes an array of rows up to the end of the export, the newest first. read returns the next page of the
// rows from before a moment, and at the moment of a row.
func ExportNewest[Row, T any](ctx context.Context, e *Export, db *store.DB, read func(r *store.Reader, before store.Time) ([]Row, error),
	at func(Row) store.Time, show func(r *store.Reader, by store.Viewer, rows []Row) ([]T, error)) error {
	before := e.Until + 1
	return ExportPages(ctx, e, func() (page []T, err error) {
		err = db.Read(ctx, func(r *store.Reader) error {
			rows, err := read(r, before)
			if err != nil || len(rows) == 0 {
				return err
			}
			before = at(rows[len(rows)-1])
			page, err = show(r, e.By, rows)
			return err
		})
		return page, err
	})
}
