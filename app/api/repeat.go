package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"hearth/app/core"
	"hearth/app/middleware"
	"hearth/app/op"
)

const (
	repeatHeader   = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

// repeated is a request that may have an idempotency key.
type repeated struct{ *op.Repeat }

// repeat returns the context of a POST with an idempotency key.
func (e *endpoint) repeat(r *http.Request) (context.Context, repeated, error) {
	keys := r.Header.Values(repeatHeader)
	if r.Method != http.MethodPost || len(keys) == 0 {
		return r.Context(), repeated{}, nil
	}
	if len(keys) > 1 {
		return nil, repeated{}, core.New(core.Invalid, "bad_idempotency_key", "Send one Idempotency-Key.")
	}
	ctx, repeat, err := op.WithIdempotencyKey(r.Context(), "api", keys[0])
	return ctx, repeated{repeat}, err
}

// finish keeps what is about to be answered. If it cannot be kept, the request is
// answered nevertheless, and a repetition is refused.
func (p repeated) finish(w http.ResponseWriter, ctx context.Context, status int, out any, body []byte) {
	kept, whole := p.Kept(out)
	if whole {
		p.keep(w, ctx, status, body, nil)
		return
	}
	var b bytes.Buffer
	err := encode(&b, kept)
	b.WriteByte('\n')
	p.keep(w, ctx, status, b.Bytes(), err)
}

// finishError is finish for an error.
func (p repeated) finishError(w http.ResponseWriter, ctx context.Context, err error) {
	if p.Repeat == nil {
		return
	}
	e := p.KeptError(err)
	body, err := errorJSON(e)
	p.keep(w, ctx, middleware.Status(e.Kind), body, err)
}

// keep keeps an answer that was encoded with err.
func (p repeated) keep(w http.ResponseWriter, ctx context.Context, status int, body []byte, err error) {
	if err == nil {
		err = p.Finish(ctx, status, body)
	}
	if rec := middleware.RecorderOf(w); err != nil && rec != nil {
		rec.Err = err
	}
}

// failRepeat is Fail for a request that may have an idempotency key: one that was
// answered before is answered in the same way.
func (e *endpoint) failRepeat(w http.ResponseWriter, ctx context.Context, p repeated, err error) {
	var before *op.Replayed
	if !errors.As(err, &before) {
		p.finishError(w, ctx, err)
		Fail(w, err)
		return
	}
	h := w.Header()
	h.Set(replayedHeader, "true")
	if before.Shown != nil {
		_, out := e.outcome(before.Shown)
		if err := writeJSON(w, before.Status, out); err != nil {
			Fail(w, err)
		}
		return
	}
	if len(before.Body) > 0 {
		h.Set("Content-Type", "application/json")
	}
	w.WriteHeader(before.Status)
	_, _ = w.Write(before.Body)
}
