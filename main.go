// Hearth is a chat service and list directory for one community and its agents: one program and one database file.
// See README.md, or run "hearth help".
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
		cli.Vacuum,
		cli.Restore,
		cli.Verify,
		cli.Match,
		cli.Lists,
		cli.Login,
		cli.Logout,
		cli.MCP,
		cli.OpenAPI,
		cli.Version,
	}
}

func main() {
	ctx := untilSignal()
	env := cli.Env{Schema: schema, Version: cli.BuildVersion(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now}
	os.Exit(cli.Run(ctx, os.Args, env, commands()))
}

// A second signal ends the process at once, however soon it comes.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(1)
	}()
	return ctx
}
