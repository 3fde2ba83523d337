// Hearth is a place to talk and to keep lists, for people and their agents:
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
		cli.Backup,
		cli.Restore,
		cli.Verify,
		cli.OpenAPI,
		cli.Version,
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in good order, a second one at once.
	context.AfterFunc(ctx, stop)
	env := cli.Env{Schema: schema, Version: cli.BuildVersion(), Out: os.Stdout, Err: os.Stderr, Now: time.Now}
	os.Exit(cli.Run(ctx, os.Args, env, commands()))
}
