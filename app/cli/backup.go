package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"hearth/app"
	"hearth/store"
)

// Backup is "hearth backup FILE".
func Backup(env Env) *Command {
	return &Command{
		name: "backup", usage: "back up the database to a file, also while a server uses it", args: "FILE",
		names: []string{"the FILE to write"},
		about: "Writes a consistent copy, and next to it FILE.manifest.json with its SHA-256 and row counts, then\n" +
			"verifies the copy. The server keeps running. An existing FILE is not replaced.",
		examples: []string{"hearth backup --db hearth.db backup-$(date +%F).db"}, options: []*option{dbFlag()},
		do: func(c *call, args []string) error {
			d, err := env.database(c)
			if err != nil {
				return err
			}
			show, done := progress(env.Err)
			m, err := store.MakeBackup(c.ctx, d, args[0], env.Now(), show)
			var rep store.Report
			if err = errors.Join(err, d.Close()); err == nil {
				rep, err = store.Verify(c.ctx, env.Schema, args[0], show)
			}
			done()
			if err != nil {
				return err
			}
			env.print("Backed up %s to %s (%s, %d rows) and wrote its manifest %s.", c.String("db"), args[0], size(m.Size), rows(m),
				filepath.Base(store.ManifestPath(args[0])))
			if len(rep.Broken) > 0 {
				return faults(args[0], rep)
			}
			return env.print("Store both files together on another machine. To restore them, stop the server and run:\n   "+
				"hearth restore --db %s %s", c.String("db"), args[0])
		},
	}
}

// Vacuum is "hearth vacuum".
func Vacuum(env Env) *Command {
	return &Command{
		name: "vacuum", usage: "give the free space of the database back to the disk",
		about:    "A server does this every night. It needs twice the size of the database on the disk meanwhile.",
		examples: []string{"hearth vacuum --db hearth.db"}, options: []*option{dbFlag()},
		do: env.operate(func(c *call, a *app.App, _ []string) error {
			freed, err := a.DB().Vacuum(c.ctx)
			if err != nil {
				return err
			}
			return env.print("%s is %s smaller.", cmp.Or(env.from.DB, c.String("db")), size(freed))
		}),
	}
}

// Restore is "hearth restore FILE".
func Restore(env Env) *Command {
	return &Command{
		name: "restore", usage: "replace the database with a backup", args: "FILE", names: []string{"the FILE to restore"},
		about: "Verifies the backup, then replaces the database with a copy of it. The previous database is kept\n" +
			"under another name. Fails while a server uses the database, and if the backup is damaged, not a\n" +
			"hearth database, or written by a newer version of hearth. Accounts that were deleted since the backup\n" +
			"was made are deleted from it again, and sessions, keys, links, webhooks and the rights of administrators\n" +
			"that have ended since then are ended. Webhooks whose URL has changed since then are disabled. Everything\n" +
			"else is as in the backup: blocks, who is in a group or shares a list, which lists are public, and which\n" +
			"Stories, asks and messages are there.",
		examples: []string{"hearth restore --db hearth.db backup-2026-11-20.db"}, options: []*option{dbFlag()},
		do: func(c *call, args []string) error {
			show, done := progress(env.Err)
			aside, rep, err := store.Restore(c.ctx, env.Schema, args[0], c.String("db"), env.Now(), show)
			done()
			if err != nil {
				return err
			}
			if rep.Manifest == nil {
				env.print("Restored %s from %s. It has no manifest, so only its content was verified.", c.String("db"), args[0])
			} else {
				env.print("Restored %s from %s: %d rows, as of %s.", c.String("db"), args[0], rows(*rep.Manifest), rep.Manifest.MadeAt)
			}
			if aside != "" {
				env.print("The previous database is now %s. Remove it when you no longer need it. Sessions, keys, links and webhooks that had ended "+
					"in it,\nand accounts that were suspended, are so again. Webhooks whose URL had changed are disabled.\nTell your members: what else "+
					"they have ended since then, such as blocks, shares, public lists, Stories, messages and\nsettings, is as it was in the backup.",
					aside)
			} else {
				env.print("There was no previous database, so sessions and keys that ended since the backup was made are valid again.")
			}
			if err := env.deleteAgain(c); err != nil {
				return err
			}
			return env.print("Start the server with: hearth serve --db %s", c.String("db"))
		},
	}
}

// Accounts that were deleted after the backup are deleted again. An older version is left to the server's start,
// which migrates it.
func (e Env) deleteAgain(c *call) error {
	ledger, err := store.ReadLedger(c.String("db"))
	if err != nil || len(ledger) == 0 {
		return err
	}
	d, err := app.OpenDatabase(c.ctx, app.Config{DB: c.String("db"), Log: e.logger(), Out: e.Out, Now: e.Now})
	if err != nil {
		return e.print("Accounts that were deleted since then are deleted again when the server starts.")
	}
	return d.Close()
}

// Verify is "hearth verify FILE".
func Verify(env Env) *Command {
	return &Command{
		name: "verify", usage: "verify a database or a backup", args: "FILE", names: []string{"the FILE to verify"},
		about: "Compares a backup with its manifest, and checks the content for damage and inconsistencies.\n" +
			"Changes nothing. Also works while a server uses the database.",
		examples: []string{"hearth verify backup-2026-11-20.db"},
		do: func(c *call, args []string) error {
			show, done := progress(env.Err)
			rep, err := store.Verify(c.ctx, env.Schema, args[0], show)
			done()
			if err != nil {
				return err
			}
			if len(rep.Broken) > 0 {
				return faults(args[0], rep)
			}
			switch {
			case rep.Served:
				return env.print("%s is valid (schema version %d). A server is using it.", args[0], rep.SchemaVersion)
			case rep.Manifest != nil:
				return env.print("%s is valid and matches its manifest of %s (schema version %d, %d rows).", args[0], rep.Manifest.MadeAt,
					rep.SchemaVersion, rows(*rep.Manifest))
			}
			return env.print("%s is valid (schema version %d). It has no manifest to compare it with.", args[0], rep.SchemaVersion)
		},
	}
}

func faults(file string, rep store.Report) error {
	return fmt.Errorf("%s is damaged:\n   %s\nUse an older backup (hearth restore)", file, strings.Join(rep.Broken, "\n   "))
}

func rows(m store.Manifest) (n int64) {
	for _, r := range m.Rows {
		n += r
	}
	return n
}

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// progress is nil if w is not a terminal. Call done before printing anything else.
func progress(w io.Writer) (p store.Progress, done func()) {
	f, ok := w.(*os.File)
	if !ok || !isatty.IsTerminal(f.Fd()) {
		return nil, func() {}
	}
	var now string
	var last time.Time
	return func(doing string, at, total int64) {
		if doing == now && at != total && time.Since(last) < 100*time.Millisecond {
			return
		}
		now, last = doing, time.Now()
		fmt.Fprint(f, clearLine, doing)
		if total > 0 {
			fmt.Fprintf(f, " %3d %% of %s", at*100/total, size(total))
		}
	}, func() { fmt.Fprint(f, clearLine) }
}

// clearLine returns to the beginning of a terminal's line and clears it.
const clearLine = "\r\x1b[K"
