package middleware

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"hearth/app/core"
)

// finish logs a request. The line has neither content nor address, which may have a token.
func (s *Stack) finish(r *http.Request, rec *Recorder, took time.Duration) {
	status := rec.status
	if status == 0 {
		status = http.StatusOK
	}
	canceled := r.Context().Err() != nil && errors.Is(rec.Err, context.Canceled)
	if canceled && status == http.StatusServiceUnavailable {
		status = statusClosed
	}
	if s.cfg.Observe != nil {
		s.cfg.Observe(rec.Op, status, took)
	}
	fault := status
	if status < 400 && rec.Err != nil && r.Context().Err() == nil {
		// It failed after the response had begun, and the client was still there.
		fault = Status(core.As(rec.Err).Kind)
	}
	level := slog.LevelInfo
	switch {
	case canceled, fault == http.StatusBadGateway: // another server failed
	case fault == http.StatusServiceUnavailable, fault == http.StatusInsufficientStorage:
		level = slog.LevelWarn
	case fault >= 500:
		level = slog.LevelError
	}
	if rec.Quiet && status < 400 || !s.cfg.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 11), slog.String("op", rec.Op), slog.String("method", methodOf(r)), slog.Int("status", status),
		slog.Duration("took", took), slog.String("kind", rec.Viewer.Kind.String()), slog.String("request", rec.ID))
	if rec.Viewer.UserID != "" {
		attrs = append(attrs, slog.String("user", rec.Viewer.UserID))
	}
	if rec.SignedIn != "" {
		attrs = append(attrs, slog.String("signed_in", rec.SignedIn))
	}
	if id := upstreamID(r); id != "" {
		attrs = append(attrs, slog.String("upstream", id))
	}
	if canceled {
		attrs = append(attrs, slog.Bool("canceled", true))
	} else if level >= slog.LevelWarn && rec.Err != nil {
		attrs = append(attrs, slog.String("error", rec.Err.Error()))
	}
	s.cfg.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// maxMethod is the limit of a logged method: a client may send thousands of bytes.
const maxMethod = 20

func methodOf(r *http.Request) string { return r.Method[:min(len(r.Method), maxMethod)] }

// upstreamID returns the X-Request-Id of a proxy, if it is short and plain.
func upstreamID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	odd := func(c rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:", c)
	}
	if len(id) > 64 || strings.ContainsFunc(id, odd) {
		return ""
	}
	return id
}
