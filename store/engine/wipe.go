package engine

import (
	"context"
	"encoding/binary"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"
)

// With secure_delete SQLite overwrites the place of a row that it deletes. Where
// it moves rows between pages, however, copies of rows can stay in the
// part of a page that has no rows, which are not overwritten with the row.
// Residue finds them and Wipe overwrites them.

// maxWiped is the page up to which the first byte of a page tells that it has
// rows: other pages begin with the number of a page.
const maxWiped = 1 << 25

// Residue looks at up to limit pages, from a number on, and returns those that
// have anything in the part without rows, and the number to go on with; 0 at the
// end.
func (db *DB[E]) Residue(ctx context.Context, from int64, limit int) (found []int64, next int64, err error) {
	err = db.ReadLong(ctx, func(r *Reader) error {
		var pages int64
		if err := r.Value([]any{&pages}, `PRAGMA page_count`); err != nil {
			return err
		}
		end := min(from+int64(limit), pages+1, maxWiped)
		for n := from; n < end; n++ {
			page, err := r.page(n)
			if err != nil {
				return err
			}
			if clearGap(n, page) {
				found = append(found, n)
			}
		}
		if end <= pages && end < maxWiped {
			next = end
		}
		return nil
	})
	return found, next, err
}

// page returns a copy of a page.
func (c *Conn) page(n int64) (page []byte, err error) {
	err = c.Value([]any{&page}, `SELECT data FROM sqlite_dbpage WHERE pgno = ? /* scan: one page */`, n)
	return page, err
}

// Wipe overwrites with zeros what the pages have in the part without rows.
func (tx *Tx[E]) Wipe(pages []int64) error {
	return tx.Unprotected(func() error {
		for _, n := range pages {
			page, err := tx.page(n)
			if err == nil && clearGap(n, page) {
				_, err = tx.Exec(`UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1 /* scan: one page */`, n, page)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Unprotected runs a function while SQLite does not refuse to write pages and the tables
// that virtual tables are made of.
func (tx *Tx[E]) Unprotected(f func() error) (err error) {
	if err := tx.h.flag(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, false); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.h.flag(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, true)) }()
	return f()
}

// clearGap overwrites the part of a page between the list of its rows and the
// first of them, and reports whether there was anything. It leaves pages of other
// kinds as they are. See https://sqlite.org/fileformat2.html#b_tree_pages.
func clearGap(number int64, page []byte) (found bool) {
	header := 0
	if number == 1 {
		header = 100 // after that of the file
	}
	if len(page) < header+12 {
		return false
	}
	list := header + 8
	switch page[header] {
	case 2, 5:
		list = header + 12
	case 10, 13:
	default:
		return false
	}
	from, to := list+2*int(binary.BigEndian.Uint16(page[header+3:])), int(binary.BigEndian.Uint16(page[header+5:]))
	if from > to || to > len(page) {
		return false
	}
	for at := list; at < from; at += 2 {
		if row := int(binary.BigEndian.Uint16(page[at:])); row < to || row >= len(page) {
			return false // not what it seems
		}
	}
	for i := from; i < to; i++ {
		found = found || page[i] != 0
		page[i] = 0
	}
	return found
}
