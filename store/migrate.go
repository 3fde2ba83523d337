package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
)

// steps bring a file from format n+1 to n+2. A step, once released, is never
// changed; the newest format is also what schema.sql makes.
func steps() []string { return []string{} }

// schemaVersion is the format of the files this program makes: 1 and one more
// for each step.
const schemaVersion = 1

// prepareFile makes the schema in a fresh file, or runs the steps an older one
// needs after setting a copy of it aside.
func prepareFile(ctx context.Context, c *sql.Conn, path string, fresh bool, opt Options) error {
	if err := checkSQLite(ctx, c); err != nil {
		return err
	}
	if fresh {
		return makeSchema(ctx, c, opt.Schema)
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

func makeSchema(ctx context.Context, c *sql.Conn, schema string) error {
	if schema == "" {
		return fmt.Errorf("store: no schema given to make a database from")
	}
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
