package middleware

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
)

// body is a request body. Its timeout grows with the received bytes. The request is not in work meanwhile.
type body struct {
	io.ReadCloser
	rec   *Recorder
	start time.Time
	grace time.Duration
	read  int64
	again bool // the request was in work before
	ended bool
}

// limitBody sets the timeout of a body, also if no handler reads it: the server waits for the rest before it
// answers. The server lifts the timeout after the body.
func limitBody(rec *Recorder, r *http.Request, grace time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &body{ReadCloser: r.Body, rec: rec, start: time.Now(), grace: grace}
	r.Body, rec.body = b, b
	b.extend()
}

// LimitUpload allows 60 seconds for the first bytes of a file.
func LimitUpload(w http.ResponseWriter) {
	rec := RecorderOf(w)
	if rec == nil || rec.body == nil || rec.body.ended {
		return
	}
	rec.body.grace = limit.UploadTime
	rec.body.extend()
}

func (b *body) extend() {
	arrived := time.Duration(b.read) * time.Second / limit.MinRate
	_ = b.rec.control().SetReadDeadline(b.start.Add(b.grace + arrived))
}

// Read implements io.Reader. It returns Unavailable if no slot is free after the body.
func (b *body) Read(to []byte) (int, error) {
	if b.ended {
		return b.ReadCloser.Read(to)
	}
	b.again = b.rec.leave() || b.again
	n, err := b.ReadCloser.Read(to)
	b.read += int64(n)
	if err == nil {
		b.extend()
		return n, nil
	}
	b.ended = true
	if b.again {
		if busy := b.rec.Enter(); busy != nil {
			return n, busy
		}
	}
	return n, err
}

// ReadBody returns the whole body. It returns TooLarge over max bytes, Invalid for an incomplete body or a
// timeout, and Unavailable without memory.
func ReadBody(w http.ResponseWriter, r *http.Request, max int64) ([]byte, error) {
	size := r.ContentLength
	if size > max {
		return nil, tooLarge(w, max)
	}
	if size < 0 {
		size = max
	}
	rec := RecorderOf(w)
	if rec != nil && size > limit.SmallBody {
		rec.leave()
		if err := rec.hold(rec.limits.Bodies, size); err != nil {
			CloseAfter(w)
			return nil, err
		}
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, max))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return b.Bytes(), nil
	case core.Known(err):
		CloseAfter(w)
		return nil, err
	case errors.As(err, &large):
		return nil, tooLarge(w, max)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, core.New(core.Invalid, "body_timeout", "The body took too long to arrive. Send it again.")
	}
	return nil, core.New(core.Invalid, "bad_body", "The body is incomplete. Send it again.")
}

func tooLarge(w http.ResponseWriter, max int64) error {
	CloseAfter(w)
	size, unit := max>>10, "KiB"
	if size >= 1<<10 {
		size, unit = size>>10, "MiB"
	}
	return core.New(core.TooLarge, "too_large", "The body is larger than %d %s. Send less at a time.", size, unit)
}

// CloseAfter ends the connection after the response, which must not have begun. Otherwise the server first
// reads the rest of the body, if it is short.
func CloseAfter(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	if rec := RecorderOf(w); rec != nil {
		rec.closes = true
	}
}
