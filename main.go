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

func main() {
	ctx := untilSignal()
	env := cli.Env{Schema: schema, Version: cli.BuildVersion(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now}
	os.Exit(cli.Run(ctx, os.Args, env, cli.All()))
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
