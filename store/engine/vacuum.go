package engine

import "context"

// Vacuum makes the file again without its free space, in which pages may still have
// parts of what was deleted. It returns how many bytes smaller the file is. Writes wait
// meanwhile, and reads do not. It needs twice the size of the file on the disk.
func (db *DB[E]) Vacuum(ctx context.Context) (freed int64, err error) {
	before, err := db.pages(ctx)
	if err != nil {
		return 0, err
	}
	err = db.w.between(ctx, func(c *Conn) error {
		defer c.interruptOn(ctx)()
		if err := c.run("PRAGMA temp_store = file"); err != nil { // the copy may be larger than the memory
			return err
		}
		defer c.run("PRAGMA temp_store = memory")
		return c.run("VACUUM")
	})
	if err != nil {
		return 0, err
	}
	if _, err := db.Truncate(ctx); err != nil {
		return 0, err
	}
	after, err := db.pages(ctx)
	return before - after, err
}

// pages returns the size of all pages in bytes.
func (db *DB[E]) pages(ctx context.Context) (size int64, err error) {
	err = db.Read(ctx, func(r *Reader) error {
		var count, each int64
		err := r.Value([]any{&count}, `PRAGMA page_count`)
		if err == nil {
			err = r.Value([]any{&each}, `PRAGMA page_size`)
		}
		size = count * each
		return err
	})
	return size, err
}
