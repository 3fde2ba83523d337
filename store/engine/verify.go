package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
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
func Verify(ctx context.Context, schema Schema, path string, progress Progress) (Report, error) {
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	var rep Report
	path, err := Resolve(path)
	if err != nil {
		return rep, err
	}
	if rep.Served, err = served(path); err != nil {
		return rep, err
	}
	if !rep.Served {
		if err := checkHead(path); err != nil {
			return rep, err
		}
		if rep.Manifest, err = readManifest(path); err != nil {
			return rep, err
		}
	}
	if rep.Manifest != nil {
		sum, size, err := hashFile(ctx, path, nil, "comparing with the manifest", progress)
		if err != nil {
			return rep, err
		}
		rep.Broken = rep.Manifest.differences(sum, size)
	}
	m := readOnly
	if !rep.Served {
		m = modeOf(path)
	}
	err = checkContent(ctx, schema, path, m, &rep, progress)
	return rep, err
}

// checkHead refuses a file that is not hearth's by its first bytes.
func checkHead(path string) error {
	head := make([]byte, 100)
	n, err := readHead(path, head)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", path, err)
	case n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return fmt.Errorf("%s is not a hearth database", path)
	}
	return refuseApplication(path, binary.BigEndian.Uint32(head[68:]))
}

// checkContent adds to the report what SQLite and the invariants find.
func checkContent(ctx context.Context, schema Schema, path string, m mode, rep *Report, progress Progress) error {
	progress("checking the content", 0, 0)
	opened := false
	err := inspect(path, m, func(c *Conn) (err error) {
		opened = true
		defer c.interruptOn(ctx)()
		if rep.SchemaVersion, err = c.number("PRAGMA user_version"); err != nil {
			rep.Broken = append(rep.Broken, "cannot be read: "+err.Error())
			return nil
		}
		if rep.SchemaVersion > schema.Version() {
			return fmt.Errorf("%s was written by a newer hearth (schema version %d, this program knows %d); use the newer program", path,
				rep.SchemaVersion, schema.Version())
		}
		if rep.SchemaVersion < 1 {
			rep.Broken = append(rep.Broken, fmt.Sprintf("there is no schema version %d", rep.SchemaVersion))
			return nil
		}
		return rep.check(ctx, c, schema)
	})
	for i, line := range rep.Broken {
		rep.Broken[i] = printable(line)
	}
	if err != nil && !opened && ctx.Err() == nil {
		rep.Broken = append(rep.Broken, err.Error())
		err = nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// check adds the faults of an open file, in one state of it.
func (rep *Report) check(ctx context.Context, c *Conn, schema Schema) error {
	if err := c.run("BEGIN"); err != nil {
		return err
	}
	defer c.run("ROLLBACK")
	broken, err := check(c, schema, rep.SchemaVersion)
	rep.Broken = append(rep.Broken, broken...)
	if err == nil && len(rep.Broken) == 0 && schema.Verify != nil && rep.SchemaVersion == schema.Version() {
		rep.Broken, err = schema.Verify(ctx, c)
	}
	if err != nil && ctx.Err() == nil {
		rep.Broken = append(rep.Broken, "cannot be read to the end: "+err.Error())
		err = nil
	}
	if rep.Manifest == nil || err != nil || len(rep.Broken) > 0 {
		return err
	}
	return rep.compareRows(c)
}

func (rep *Report) compareRows(c *Conn) error {
	have, err := countRows(c)
	if err != nil {
		return err
	}
	for table, want := range rep.Manifest.Rows {
		if have[table] != want {
			rep.Broken = append(rep.Broken, fmt.Sprintf("table %s has %d rows, the manifest says %d", table, have[table], want))
		}
	}
	return nil
}
