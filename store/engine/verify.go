package engine

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Report is what Verify found out about a file.
type Report struct {
	Manifest      *Manifest // nil if there is none beside the file
	SchemaVersion int
	Served        bool     // a server has the file open
	Broken        []string // a line for each fault; empty for a sound file
}

// Verify reads the database file at path from end to end and changes nothing.
// It compares a backup with its manifest, and runs SQLite's integrity check and
// the invariants of the schema. It fails if the file is not one of hearth's or
// cannot be read at all; faults within it are in the report.
func Verify(ctx context.Context, schema Schema, path string, progress Progress) (rep Report, err error) {
	if path, err = Resolve(path); err != nil {
		return rep, err
	}
	if _, err := checkHead(path, ""); err != nil {
		return rep, err
	}
	// Beside a server, too, this reads what is on the disk, as SQLite's locks permit: a copy of the server's would need as
	// much space again.
	if rep.Served = served(path); !rep.Served {
		if rep.Manifest, err = readManifest(path); err != nil {
			return rep, err
		}
	}
	if rep.Manifest != nil {
		sum, size, err := hashFile(ctx, path, io.Discard, "comparing with the manifest", progress)
		if err != nil {
			return rep, err
		}
		rep.Broken = rep.Manifest.differences(sum, size)
	}
	err = rep.check(ctx, schema, path, progress)
	return rep, err
}

// check adds to the report what SQLite and the invariants find.
func (rep *Report) check(ctx context.Context, schema Schema, path string, progress Progress) error {
	progress.tell("checking the content", 0, 0)
	var broken []string
	err := inspect(path, func(c *Conn) (err error) {
		defer c.interruptOn(ctx)()
		if err := c.run("BEGIN"); err != nil {
			return err
		}
		defer c.run("ROLLBACK")
		if err = c.Value([]any{&rep.SchemaVersion}, "PRAGMA user_version"); err == nil && rep.SchemaVersion <= schema.Version() {
			broken, err = check(c, schema, rep.SchemaVersion)
		}
		if err == nil && len(broken) == 0 && schema.Verify != nil && rep.SchemaVersion == schema.Version() {
			broken, err = schema.Verify(ctx, c)
		}
		return err
	})
	rep.Broken = append(rep.Broken, broken...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case rep.SchemaVersion > schema.Version():
		return fmt.Errorf("%s was written by a newer hearth (schema version %d, this program knows %d); use the newer program", path,
			rep.SchemaVersion, schema.Version())
	case err != nil:
		rep.Broken = append(rep.Broken, "cannot be read to the end: "+err.Error())
	}
	return nil
}

// check returns a line for each fault of a file of a version of the schema. The
// invariants belong to the newest version, so an older file is not held to them.
func check(c *Conn, schema Schema, version int) (broken []string, err error) {
	if version < 1 {
		return []string{fmt.Sprintf("there is no schema version %d", version)}, nil
	}
	line, err := c.firstRow("PRAGMA integrity_check(1)")
	if err != nil {
		return nil, err
	}
	if line != "ok" {
		return []string{"integrity: " + line}, nil
	}
	if version < schema.Version() {
		return nil, nil
	}
	for _, part := range strings.Split("\n"+schema.Invariants, "\n-- name: ")[1:] {
		name, query, _ := strings.Cut(part, "\n")
		row, err := c.firstRow(query)
		if err != nil {
			return broken, fmt.Errorf("invariant %q: %w", name, err)
		}
		if row != "" {
			broken = append(broken, fmt.Sprintf("broken: %s: %s", name, row))
		}
	}
	return broken, nil
}

// Check returns a line for each invariant of the schema that does not hold, and
// for what SQLite's integrity check finds. It reads the whole file: minutes for
// a large one.
func (db *DB[E]) Check(ctx context.Context) (broken []string, err error) {
	err = db.ReadLong(ctx, func(r *Reader) error {
		broken, err = check(r.Conn, db.schema, db.schema.Version())
		return err
	})
	return broken, err
}
