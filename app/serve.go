package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"hearth/app/api"
	"hearth/app/core"
	"hearth/store"
)

const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 60 * time.Second
	maxHeader     = 16 << 10
	// drainTime is what requests in flight have to be answered once the
	// server is told to stop; with the rest of Close it stays below 5 s.
	drainTime = 3 * time.Second
	mailTime  = time.Second
	formTime  = 10 * time.Second
	pageTime  = 30 * time.Second // for a browser to take a page
)

// Run serves connections from ln until ctx ends, then takes no more, ends the
// live streams, answers what is in flight within 3 seconds, and returns nil.
// It also returns, with the reason, when the listener or the database fails.
// Close is left to the caller.
func (a *App) Run(ctx context.Context, ln net.Listener) error {
	srv := a.server(a.handler)
	srv.RegisterOnShutdown(a.endStreams)
	ended := make(chan error, 2)
	go func() { ended <- srv.Serve(ln) }()
	if a.ops != nil {
		opsSrv := a.server(a.metrics.opsHandler())
		defer opsSrv.Close()
		go func() { ended <- opsSrv.Serve(a.ops) }()
	}
	jobs, err := startCron(a.db, a.cfg.Log, a.jobs())
	if err != nil {
		srv.Close()
		return err
	}
	defer jobs.stop()
	a.cfg.Log.Info("serving", "address", ln.Addr().String())
	select {
	case err := <-ended:
		srv.Close()
		return fmt.Errorf("the server stopped listening: %w", err)
	case <-a.db.Dead():
		// What was acknowledged is safe; nothing more may be.
		a.cfg.Log.Error("a write could not be secured on disk; stopping. Check the disk, then start again: what was acknowledged is there")
		a.drain(srv, time.Second)
		return store.ErrDead
	case <-ctx.Done():
		a.cfg.Log.Info("stopping", "streams", a.hub.Streams())
		a.drain(srv, drainTime)
		return nil
	}
}

// ListenOps opens the listener for metrics and profiles, which Run then
// serves, and returns its address; "" if the configuration has none.
func (a *App) ListenOps() (addr string, err error) {
	if a.cfg.OpsAddr == "" {
		return "", nil
	}
	if a.ops, err = net.Listen("tcp", a.cfg.OpsAddr); err != nil {
		return "", fmt.Errorf("cannot listen on --ops-addr: %w. Choose another address, or leave it out", err)
	}
	return a.ops.Addr().String(), nil
}

// server has limits for everything but answers: those may be streams, which
// limit each write by themselves.
func (a *App) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(a.cfg.Log.Handler(), slog.LevelDebug),
	}
}

// drain stops srv gently, and then for good.
func (a *App) drain(srv *http.Server, within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := srv.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		a.cfg.Log.Warn("some requests were not answered in time", "waited", within)
		srv.Close()
	}
}

func (a *App) endStreams() {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := a.hub.Close(ctx); err != nil {
		a.cfg.Log.Warn("some live streams did not end in time")
	}
}

// frontOfPages is for pages what the JSON door has of its own: it refuses
// forms of other sites, bounds the time a form may take to arrive and a page
// to be taken, has each take one of the places that enter gives, counts, and
// survives a panic.
func (a *App) frontOfPages(pages http.Handler, origin *api.SameOrigin, enter func() (leave func(), ok bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		leave, ok := enter()
		seen := &statusWriter{ResponseWriter: w, leave: leave}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				a.cfg.Log.Error("panic", "page", r.Pattern, "panic", p, "stack", string(debug.Stack()))
				if seen.status != 0 {
					panic(http.ErrAbortHandler)
				}
				http.Error(seen, "Something went wrong on this server. Nothing was lost; try again.", http.StatusInternalServerError)
			} else if p != nil {
				panic(p)
			}
			seen.done()
			a.pageDone(r, seen.status, time.Since(start))
		}()
		if r.Body != nil && r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime))
		}
		if !ok {
			w.Header().Set("Retry-After", "1")
			http.Error(seen, "The server has as much to do as it can. Try again in a second.", http.StatusServiceUnavailable)
			return
		}
		if err := origin.Check(r); err != nil {
			http.Error(seen, core.As(err).Msg, http.StatusForbidden)
			return
		}
		pages.ServeHTTP(seen, r)
	})
}

// pageDone counts a page under the pattern it was found by, and writes its
// line; files that pages load are counted only.
func (a *App) pageDone(r *http.Request, status int, took time.Duration) {
	if status == 0 {
		status = http.StatusOK
	}
	name := r.Pattern
	if name == "" || name == "/" {
		name = "page"
	}
	a.metrics.onRequest(name, status, took)
	if r.Pattern != "GET /static/" {
		a.cfg.Log.Info("request", "op", name, "method", r.Method, "status", status, "took", took)
	}
}

// statusWriter remembers the status of an answer. Once that begins, it is the
// browser that takes time: the place is given back, and the wait has an end.
type statusWriter struct {
	http.ResponseWriter
	status int
	leave  func() // nil once the place is given back
}

func (w *statusWriter) WriteHeader(status int) {
	w.answering(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.answering(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

func (w *statusWriter) answering(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	w.done()
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(pageTime))
}

func (w *statusWriter) done() {
	if w.leave != nil {
		w.leave()
		w.leave = nil
	}
}

// Unwrap lets http.ResponseController find the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
