// Hearth is a chat service and list directory for one community and its agents:
// one program and one database file. See README.md, or run "hearth help".
package main

import (
	"context"
	_ "embed"
	"os"
	"os/signal"
	"syscall"
	"time"

	"hearth/app/cli"
)

//go:embed schema.sql
var schema string

func commands() cli.Commands {
	return cli.Commands{
		cli.Serve,
		cli.Demo,
		cli.User,
		cli.Reports,
		cli.Feedback,
		cli.Audit,
		cli.Storage,
		cli.Settings,
		cli.Backup,
		cli.Restore,
		cli.Verify,
		cli.OpenAPI,
		cli.Version,
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal starts a graceful shutdown; a second one kills the
	// process.
	context.AfterFunc(ctx, stop)
	env := cli.Env{Schema: schema, Version: cli.BuildVersion(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now, LowerPriority: cli.LowerPriority}
	os.Exit(cli.Run(ctx, os.Args, env, commands()))
}
