package store

import (
	"context"
	"fmt"
	"time"

	"hearth/store/engine"
)

// ManifestPath returns the path of a backup's manifest.
func ManifestPath(backup string) string { return engine.ManifestPath(backup) }

// MakeBackup copies a database to a new file that only the owner of the database can read, and writes its manifest
// beside it. The copy is one consistent, compact state. MakeBackup refuses to replace a file, and leaves no file behind
// if it fails.
func MakeBackup(ctx context.Context, from engine.Source, to string, now time.Time, progress Progress) (Manifest, error) {
	return engine.MakeBackup(ctx, from, to, now, progress)
}

// Verify reads the database file at path from end to end and changes nothing. It
// compares a backup with its manifest, and its parts with schema, the text of
// schema.sql. It runs SQLite's integrity check and the rules of invariants.sql. It
// fails if the file is not one of hearth's or cannot be read at all; faults within
// it are in the report.
func Verify(ctx context.Context, schema, path string, progress Progress) (Report, error) {
	return engine.Verify(ctx, schemaOf(schema), path, progress)
}

// Restore replaces the database to with a verified copy of the backup from. It
// returns the path to which it renamed the database that was there before, "" if
// there was none. It refuses, and changes neither file, while to is being served, or
// while SQLite's log of an earlier run is beside it. It also refuses a backup that
// is broken, foreign, newer than this program, or has a part that is not in schema,
// the text of schema.sql. Of a backup without a manifest only the content is
// checked.
//
// Accounts that were deleted from the replaced database are written to the text file
// beside it. So they are deleted from the copy before it is served. What has ended there
// of what lets somebody read or act as an account is ended in the copy, too (see
// endedOf). Restore refuses if the database that is replaced cannot be read.
func Restore(ctx context.Context, schema, from, to string, now time.Time, progress Progress) (aside string, rep Report, err error) {
	if to, err = engine.Resolve(to); err != nil {
		return "", rep, err
	}
	return engine.Restore(ctx, schemaOf(schema), from, to, now, progress, func(c *Conn) error {
		if _, err := c.Exec(restored); err != nil {
			return fmt.Errorf("cannot prepare the copy of %s: %w", from, err)
		}
		deleted, err := LedgerOf(ctx, to)
		if err == nil {
			err = appendLedger(LedgerPath(to), deleted)
		}
		if err != nil {
			return fmt.Errorf("cannot read which accounts were deleted from %s, which must be deleted from the backup again: %w. "+
				"Move %s away and restore again: then those in %s are", to, err, to, LedgerPath(to))
		}
		if err := endedOf(c, to, TimeOf(now)); err != nil {
			return fmt.Errorf("cannot end in the backup what has ended in %s: %w. Move %s away and restore again: then sessions, keys and "+
				"passwords come from the backup", to, err, to)
		}
		return nil
	})
}
