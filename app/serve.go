package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"hearth/app/cron"
	"hearth/app/limit"
	"hearth/store"
)

const (
	// drainTime bounds requests in flight on shutdown. Together with the rest of Close it is below 5 s.
	drainTime = 3 * time.Second
	mailTime  = time.Second
	// prepareAfter leaves the processors to the first requests.
	prepareAfter = 200 * time.Millisecond
	queueTime    = 200 * time.Millisecond // for deliveries and notifications in progress, beyond drainTime
)

// Run serves connections from ln until ctx ends. Then it stops accepting, ends the streams, waits up to 3 seconds for
// requests in flight, and returns nil. It returns the error if the listener or the database fails. The caller must
// call Close.
func (a *App) Run(ctx context.Context, ln net.Listener) error {
	srv := a.server(a.handler)
	srv.RegisterOnShutdown(a.endStreams)
	srv.RegisterOnShutdown(a.mcp.Close)
	ended := make(chan error, 2)
	closeNew(srv)
	go func() { ended <- srv.Serve(limit.Listen(ln, a.cfg.TrustedProxy)) }()
	if a.ops != nil {
		opsSrv := a.server(a.metrics.Handler())
		defer opsSrv.Close()
		go func() { ended <- opsSrv.Serve(a.ops) }()
	}
	jobs, err := cron.Start(a.db, a.cfg.Log, a.jobs())
	if err != nil {
		srv.Close()
		return err
	}
	defer jobs.Stop()
	a.webhook.Start(context.WithoutCancel(ctx))
	defer a.webhook.Stop()
	a.Push.Start(context.WithoutCancel(ctx))
	defer a.Push.Stop()
	defer a.keepWords(ctx)()
	defer a.prepareMatching(ctx)()
	a.cfg.Log.Info("serving", "address", ln.Addr().String())
	select {
	case err := <-ended:
		srv.Close()
		return fmt.Errorf("the server stopped listening: %w", err)
	case <-a.db.Dead():
		// Acknowledged writes are safe; no further write may be acknowledged.
		a.cfg.Log.Error("a sync to disk failed; stopping. Check the disk, then start again. All acknowledged writes are safe")
		a.drain(srv, time.Second)
		return store.ErrDead
	case <-ctx.Done():
		a.webhook.Stop()
		a.Push.Stop()
		a.cfg.Log.Info("stopping", "streams", a.Live.Streams())
		a.drain(srv, drainTime)
		return nil
	}
}

func (a *App) prepareMatching(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
			return
		case <-time.After(prepareAfter):
		}
		if err := cmp.Or(a.Social.Prepare(ctx), a.Social.FillVectors(ctx)); err != nil && ctx.Err() == nil {
			a.cfg.Log.Error("preparing asks and offers for matching failed; it is tried again at the next publication", "error", err)
		}
	}()
	return func() { cancel(); <-done }
}

func (a *App) keepWords(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { a.db.KeepWords(ctx, a.cfg.Log) })
	return func() {
		cancel()
		wg.Wait()
	}
}

// ListenOps opens the listener for metrics and profiles, which Run serves. It returns the address, or "" without one.
func (a *App) ListenOps() (addr string, err error) {
	if a.cfg.OpsAddr == "" {
		return "", nil
	}
	if a.ops, err = net.Listen("tcp", a.cfg.OpsAddr); err != nil {
		return "", fmt.Errorf("cannot listen on --ops-addr: %w. Choose another address, or omit it", err)
	}
	return a.ops.Addr().String(), nil
}

func (a *App) server(h http.Handler) *http.Server {
	srv := limit.Server(h)
	srv.ErrorLog = slog.NewLogLogger(a.cfg.Log.Handler(), slog.LevelDebug)
	return srv
}

// Shutdown would wait for the requests of such connections, and browsers keep them open.
func closeNew(srv *http.Server) {
	var fresh sync.Map
	srv.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			fresh.Store(c, nil)
		} else {
			fresh.Delete(c)
		}
	}
	srv.RegisterOnShutdown(func() {
		fresh.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true })
	})
}

func (a *App) drain(srv *http.Server, within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := srv.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		a.cfg.Log.Warn("some requests were not answered in time", "waited", within)
		srv.Close()
	}
}

func (a *App) endStreams() {
	a.Lane.EndWaits()
	a.Live.Close()
}
