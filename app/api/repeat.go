package api

import (
	"bytes"
	"context"
	"net/http"

	"hearth/app/core"
	"hearth/app/op"
)

const (
	repeatHeader   = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
)

// An idempotent operation needs no stored answer: it is carried out again.
func (e *endpoint) repeatOf(r *http.Request) (*op.Repeat, error) {
	keys := r.Header.Values(repeatHeader)
	switch {
	case r.Method != http.MethodPost || len(keys) == 0:
		return nil, nil
	case len(keys) > 1:
		return nil, core.New(core.Invalid, "bad_idempotency_key", "Send one Idempotency-Key.")
	}
	repeat, err := op.NewRepeat("api", keys[0])
	if e.Op.Info().Hints.Has(op.Idempotent) {
		repeat = nil
	}
	return repeat, err
}

func keep(ctx context.Context, repeat *op.Repeat, status int, out any) error {
	if repeat == nil {
		return nil
	}
	var b bytes.Buffer
	if out != nil {
		if err := encode(&b, repeat.Kept(out)); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	return repeat.Finish(ctx, status, b.Bytes())
}

func replay(w http.ResponseWriter, before *op.Replayed) {
	w.Header().Set(replayedHeader, "true")
	if len(before.Body) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(before.Status)
	_, _ = w.Write(before.Body)
}
