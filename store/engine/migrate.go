package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// createFile creates a database that only its owner can read, and locks it. It is made under
// another name and renamed when it is complete: a crash would otherwise leave a file that
// is refused. The name is synced before there is a log beside it: a log without its database
// is refused, as it would be applied to the new one.
func createFile(path string, schema Schema) (*os.File, error) {
	if schema.Create == "" {
		return nil, fmt.Errorf("store: no schema to create a database from")
	}
	if err := refuseLeftovers(path); err != nil {
		return nil, err
	}
	part := path + ".new"
	f, err := lockFile(part, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := makeDatabase(f, path, part, schema); err != nil {
		removeDatabase(part)
		f.Close()
		return nil, err
	}
	return f, SyncDir(filepath.Dir(path))
}

// makeDatabase writes a new database to f, which was opened at part, and renames it.
func makeDatabase(f *os.File, path, part string, schema Schema) error {
	if err := errors.Join(Own(f, path), f.Truncate(0), removeFiles(logsOf(part)...)); err != nil {
		return err
	}
	err := writeFile(part, func(c *Conn) error {
		return c.script(fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", schema.Create, applicationID, schema.Version()))
	})
	if err != nil {
		return err
	}
	if fi, err := os.Stat(path); err == nil && fi.Size() > 0 {
		return fmt.Errorf("another hearth has just created it; %w", ErrInUse)
	}
	return rename(part, path)
}

// refuseLeftovers refuses to create a database beside the log of a missing or empty
// database, because the log has its last writes. It also refuses beside the leftovers of a
// restore that was interrupted before there was a database.
func refuseLeftovers(path string) error {
	for _, name := range []string{path + "-wal", path + "-journal"} {
		if fi, err := os.Lstat(name); err == nil && fi.Size() > 0 {
			return fmt.Errorf("%s has what was written last to a database that is missing or empty; move it to where that is, or away", name)
		}
	}
	part := restoringPath(path)
	if _, err := os.Lstat(part); err == nil {
		return fmt.Errorf("%s is of a restore that did not end; run hearth restore again with the backup, or remove it to begin with an empty "+
			"database", part)
	}
	return nil
}

// migrate runs the migrations from version have on, each in a transaction.
// Before that it copies the file as it is to one beside it.
func migrate(ctx context.Context, c *Conn, path string, have int, migrations []string, report func(from, to int, copyPath string)) error {
	want := len(migrations) + 1
	backup := fmt.Sprintf("%s.v%d", path, have)
	if err := removeDatabase(backup); err != nil {
		return fmt.Errorf("cannot replace the old copy %s: %w", backup, err)
	}
	if report != nil {
		report(have, want, backup)
	}
	if err := vacuumInto(ctx, c, path, backup); err != nil {
		return fmt.Errorf("cannot copy the database to %s before migrating it: %w", backup, err)
	}
	// A migration can replace a table without what refers to its rows being deleted. SQLite
	// ignores the setting within a transaction.
	if err := c.run("PRAGMA foreign_keys = 0"); err != nil {
		return err
	}
	for v := have; v < want; v++ {
		if err := c.script(fmt.Sprintf("%s;\nPRAGMA user_version = %d", migrations[v-1], v+1)); err != nil {
			return fmt.Errorf("the migration from schema version %d to %d failed and was undone (a copy of the file is %s): %w", v, v+1, backup,
				err)
		}
	}
	return c.run("PRAGMA foreign_keys = 1")
}

// vacuumInto writes a compact copy of the whole database at path to a new file that
// only its owner can read.
func vacuumInto(ctx context.Context, c *Conn, path, to string) error {
	f, err := create(to, path)
	if err != nil {
		return err
	}
	f.Close()
	defer c.interruptOn(ctx)()
	if _, err = c.Exec("VACUUM INTO ?", to); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
