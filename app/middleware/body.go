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

// body is the body of a request. The time for it to arrive grows with what has arrived.
// While it arrives, the request does not count as in work.
type body struct {
	io.ReadCloser
	rec   *Recorder
	start time.Time
	grace time.Duration // for the first bytes
	read  int64
	again bool // the request was in work before
	ended bool
}

// limitBody gives the body of r a time to arrive in. It counts whether or not a handler
// reads the body, because the server waits for the rest before it answers; the server lifts
// it when the body has ended.
func limitBody(rec *Recorder, r *http.Request, grace time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &body{ReadCloser: r.Body, rec: rec, start: time.Now(), grace: grace}
	r.Body, rec.body = b, b
	b.extend()
}

// LimitUpload is for handlers that take files: it gives the first bytes of the body 60
// seconds.
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

// Read implements io.Reader. It returns Unavailable if too many requests are in work when
// the body has arrived.
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

// ReadBody returns the whole body of r. It returns TooLarge if that has more than max
// bytes, Invalid if it does not arrive completely and in time, and Unavailable if there is
// no memory for it.
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

// CloseAfter has the connection end after the response to w, which must not have begun:
// the rest of the body is not read. Otherwise the server waits for that before it sends
// anything, if it is little.
func CloseAfter(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	if rec := RecorderOf(w); rec != nil {
		rec.closes = true
	}
}
