package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"hearth/store"
)

// Backup is "hearth backup FILE".
func Backup(env Env) *cli.Command {
	return &cli.Command{
		Name: "backup", Usage: "copy the database to a file, while it is being served", ArgsUsage: "FILE",
		Description: describe("Writes one consistent copy and beside it FILE.manifest.json with its SHA-256 and row counts, then\n"+
			"reads the copy back and checks it. The server goes on meanwhile. An existing FILE is not replaced.",
			"hearth backup --db hearth.db backup-$(date +%F).db"),
		Flags: []cli.Flag{dbFlag()},
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "the FILE to write")
			if err != nil {
				return err
			}
			show, done := progress(env.Err)
			m, err := store.Backup(c.Context, c.String("db"), args[0], env.Now(), show)
			if err != nil {
				done()
				return err
			}
			rep, err := store.Verify(c.Context, args[0], show)
			done()
			if err != nil {
				return err
			}
			env.say("Backed up %s to %s (%s, %d rows) with its manifest %s.", c.String("db"), args[0], size(m.Size), rows(m), filepath.Base(store.ManifestPath(args[0])))
			if len(rep.Broken) > 0 {
				return faults(args[0], rep)
			}
			env.say("Keep both files together, on another machine. To go back: stop the server, then run\n   hearth restore --db %s %s", c.String("db"), args[0])
			return nil
		},
	}
}

// Restore is "hearth restore FILE".
func Restore(env Env) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "put a backup in the place of the database", ArgsUsage: "FILE",
		Description: describe("Checks the backup, then puts a copy of it in the place of the database. What stood there is kept\n"+
			"beside it under another name. Refuses while a server has the database, and a backup that is\n"+
			"broken, not hearth's, or made by a newer hearth.",
			"hearth restore --db hearth.db backup-2026-11-20.db"),
		Flags: []cli.Flag{dbFlag()},
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "the FILE to restore")
			if err != nil {
				return err
			}
			show, done := progress(env.Err)
			aside, rep, err := store.Restore(c.Context, args[0], c.String("db"), env.Now(), show)
			done()
			if err != nil {
				return err
			}
			if rep.Manifest == nil {
				env.say("Restored %s from %s. It has no manifest, so only its content was checked.", c.String("db"), args[0])
			} else {
				env.say("Restored %s from %s: %d rows, as they were at %s.", c.String("db"), args[0], rows(*rep.Manifest), rep.Manifest.MadeAt)
			}
			if aside != "" {
				env.say("The database that was there before is %s; remove it when you are sure.", aside)
			}
			env.say("Now start the server: hearth serve --db %s", c.String("db"))
			return nil
		},
	}
}

// Verify is "hearth verify FILE".
func Verify(env Env) *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "read a database or a backup from end to end and check it", ArgsUsage: "FILE",
		Description: describe("Compares a backup with its manifest, and looks for damage and broken rules in the content.\n"+
			"Changes nothing. A database that is being served can be checked, too.",
			"hearth verify backup-2026-11-20.db"),
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "the FILE to check")
			if err != nil {
				return err
			}
			show, done := progress(env.Err)
			rep, err := store.Verify(c.Context, args[0], show)
			done()
			if err != nil {
				return err
			}
			if len(rep.Broken) > 0 {
				return faults(args[0], rep)
			}
			switch {
			case rep.Served:
				env.say("%s is sound (schema version %d). It is being served.", args[0], rep.SchemaVersion)
			case rep.Manifest != nil:
				env.say("%s is sound and the file its manifest was made for at %s (schema version %d, %d rows).", args[0], rep.Manifest.MadeAt, rep.SchemaVersion, rows(*rep.Manifest))
			default:
				env.say("%s is sound (schema version %d). It has no manifest to compare it with.", args[0], rep.SchemaVersion)
			}
			return nil
		},
	}
}

func faults(file string, rep store.Report) error {
	return fmt.Errorf("%s has faults:\n   %s\nDo not rely on it; use an older backup (hearth restore)", file, strings.Join(rep.Broken, "\n   "))
}

func rows(m store.Manifest) (n int64) {
	for _, r := range m.Rows {
		n += r
	}
	return n
}

// size is n bytes for people.
func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
