package engine

import (
	"context"
	"fmt"
	"os"
)

// prepareFile migrates an older file after copying it.
func prepareFile(ctx context.Context, c *Conn, path string, schema Schema, opt Options) error {
	if err := checkSQLite(c); err != nil {
		return err
	}
	have, err := c.number("PRAGMA user_version")
	if err != nil {
		return fmt.Errorf("%s is damaged: %w. Restore a backup with: hearth restore", path, err)
	}
	if have == schema.Version() {
		return nil
	}
	if opt.Shared {
		return refuseShared(path, have, schema.Version())
	}
	return migrate(ctx, c, path, have, schema.Migrations, opt.OnMigrate)
}

// createFile creates a database that only its owner can read. It is made under
// another name and renamed when it is complete: the header, by which a file is
// recognised, would otherwise be in the log alone for a long time, and a crash
// would leave a file that is refused. The name is synced with that of the log,
// before the first write is answered.
func createFile(path string, schema Schema) error {
	if schema.Create == "" {
		return fmt.Errorf("store: no schema to create a database from")
	}
	part := path + ".new"
	for _, name := range []string{part, part + "-journal", part + "-wal", part + "-shm"} {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err := createSchema(part, schema); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// createSchema fills an empty file and closes it, which removes its log.
func createSchema(path string, schema Schema) error {
	c, err := openConn(path, writing, "FULL")
	if err != nil {
		return err
	}
	err = c.script(fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", schema.Create, applicationID, schema.Version()))
	if e := c.Close(); err == nil {
		err = e
	}
	return err
}

// migrate runs the migrations from version have on, each in a transaction.
// Before that it copies the file as it is to one beside it.
func migrate(ctx context.Context, c *Conn, path string, have int, migrations []string, report func(from, to int, copyPath string)) error {
	want := len(migrations) + 1
	backup := fmt.Sprintf("%s.v%d", path, have)
	if err := os.Remove(backup); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot replace the old copy %s: %w", backup, err)
	}
	if report != nil {
		report(have, want, backup)
	}
	if err := vacuumInto(ctx, c, backup); err != nil {
		return fmt.Errorf("cannot copy the database to %s before migrating it: %w", backup, err)
	}
	for v := have; v < want; v++ {
		if err := c.script(fmt.Sprintf("%s;\nPRAGMA user_version = %d", migrations[v-1], v+1)); err != nil {
			return fmt.Errorf("the migration from schema version %d to %d failed and was undone (a copy of the file is %s): %w", v, v+1, backup, err)
		}
	}
	return nil
}

// vacuumInto writes a compact copy of the whole database to a new file that
// only its owner can read.
func vacuumInto(ctx context.Context, c *Conn, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
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
