package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// steps bring a file from format n+1 to n+2. A step, once released, is never
// changed; the newest format is also what schema.sql makes.
func steps() []string { return []string{migrationTo2} }

// schemaVersion is the format of the files this program makes: 1 and one more
// for each step.
const schemaVersion = 2

// prepareFile runs the steps an older file needs after setting a copy of it
// aside.
func prepareFile(ctx context.Context, c *sql.Conn, path string, opt Options) error {
	if err := checkSQLite(ctx, c); err != nil {
		return err
	}
	var have int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return fmt.Errorf("%s is damaged: %w. Restore a backup with: hearth restore", path, translate(err))
	}
	if have == schemaVersion {
		return nil
	}
	return migrate(ctx, c, path, have, steps(), opt.OnMigrate)
}

// makeFile makes a new database, readable by its owner alone. It is made under
// another name and moved to path when it is whole: the header, by which a file
// is known as ours, would otherwise stand in the log alone for a long time, and
// a crash leave a file behind that is refused. The name is synced together
// with that of the log, before the first write is answered.
func makeFile(ctx context.Context, path, schema string) error {
	if schema == "" {
		return fmt.Errorf("store: no schema given to make a database from")
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
	if err := makeSchema(ctx, part, schema); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// makeSchema fills an empty file and closes it, which empties its log.
func makeSchema(ctx context.Context, path, schema string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, false, "FULL"))
	if err != nil {
		return err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = translate(e)
		}
	}()
	c, err := db.Conn(ctx)
	if err != nil {
		return translate(err)
	}
	defer c.Close()
	return inTransaction(ctx, c, fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", schema, applicationID, schemaVersion))
}

// migrate runs the steps after format have in one transaction. Before that it
// leaves a copy of the file as it was beside it.
func migrate(ctx context.Context, c *sql.Conn, path string, have int, steps []string, report func(from, to int, copyPath string)) error {
	want := len(steps) + 1
	backup := fmt.Sprintf("%s.format%d", path, have)
	if err := os.Remove(backup); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot replace the old copy %s: %w", backup, err)
	}
	if report != nil {
		report(have, want, backup)
	}
	if err := vacuumInto(ctx, c, backup); err != nil {
		return fmt.Errorf("cannot copy the database to %s before bringing it up to date: %w", backup, err)
	}
	for v := have; v < want; v++ {
		step := fmt.Sprintf("%s;\nPRAGMA user_version = %d", steps[v-1], v+1)
		if err := inTransaction(ctx, c, step); err != nil {
			return fmt.Errorf("step %d to format %d failed and was undone (a copy of the file is %s): %w", v, v+1, backup, err)
		}
	}
	return nil
}

// vacuumInto writes a compact copy of the whole database to a new file that
// only its owner may read.
func vacuumInto(ctx context.Context, c *sql.Conn, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	_, err = c.ExecContext(ctx, "VACUUM INTO ?", to)
	return translate(err)
}

func inTransaction(ctx context.Context, c *sql.Conn, script string) error {
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return translate(err)
	}
	if _, err := c.ExecContext(ctx, script); err != nil {
		c.ExecContext(ctx, "ROLLBACK")
		return translate(err)
	}
	_, err := c.ExecContext(ctx, "COMMIT")
	return translate(err)
}
