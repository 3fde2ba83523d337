package middleware

import (
	"context"
	"net/http"
	"time"

	"hearth/app/limit"
	"hearth/store"
)

// Recorder records a request for the log. Transports set Op, Viewer and Err.
type Recorder struct {
	http.ResponseWriter
	ID       string // as in the log and in a 500
	Op       string // operation or page, or ""
	Viewer   store.Viewer
	SignedIn string // the account that signed in
	Err      error  // the error of the response
	Quiet    bool   // successes are not logged, for files of pages
	Unkept   bool   // no cache keeps the response, whatever the handler says

	ctx      context.Context
	status   int
	limits   *limit.HTTP
	rates    *limit.Limits
	address  string // the key of its slots
	sendTime time.Duration
	extended time.Time // last extension of the timeout
	body     *body     // nil without a body
	entered  bool      // not a stream: each part of the response has a timeout
	working  bool      // it holds a slot
	held     []func()  // functions that free its memory
	closes   bool      // the connection ends after the response
}

// RecorderOf returns the Recorder below any wrappers, or nil.
func RecorderOf(w http.ResponseWriter) *Recorder {
	for {
		switch t := w.(type) {
		case *Recorder:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}

// Enter takes a slot until the response begins, except while the body arrives. It returns an Unavailable
// error if none is free.
func (rec *Recorder) Enter() error {
	rec.entered = true
	if !rec.working && rec.status == 0 {
		if rec.working = rec.limits.Work.Take(rec.address); !rec.working {
			return limit.ErrBusy
		}
	}
	return nil
}

func (rec *Recorder) leave() bool {
	if !rec.working {
		return false
	}
	rec.working = false
	rec.limits.Work.Free(rec.address)
	return true
}

// hold keeps memory for n bytes until the end of the request.
func (rec *Recorder) hold(memory *limit.Gate, n int64) error {
	free, err := memory.Enter(rec.ctx, n)
	if err == nil {
		rec.held = append(rec.held, free)
	}
	return err
}

func (rec *Recorder) release() {
	rec.leave()
	for _, free := range rec.held {
		free()
	}
	rec.held = nil
}

// Reserve reserves memory for a response of n bytes, before it begins. It returns an Unavailable error if
// there is not enough.
func Reserve(w http.ResponseWriter, n int) error {
	rec := RecorderOf(w)
	if rec == nil {
		return nil
	}
	rec.rates.Sent(rec.Viewer, n)
	if n <= limit.SmallResponse {
		return nil
	}
	return rec.hold(rec.limits.Responses, min(int64(n), limit.ResponseMemory))
}

// EnterExport takes a slot for an export. It returns an Unavailable error if none is free.
func EnterExport(w http.ResponseWriter) error {
	rec := RecorderOf(w)
	return rec.hold(rec.limits.Exports, 1)
}

func (rec *Recorder) control() *http.ResponseController {
	return http.NewResponseController(rec.ResponseWriter)
}

// Answered reports whether the response has begun.
func (rec *Recorder) Answered() bool { return rec.status != 0 }

// Failed reports whether the status is an error.
func (rec *Recorder) Failed() bool { return rec.status >= 400 }

// WriteHeader sends the status. An informational status does not begin the response.
func (rec *Recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 {
		rec.begin(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *Recorder) Write(b []byte) (n int, err error) {
	if rec.status == 0 {
		rec.begin(http.StatusOK)
	}
	for err == nil && (n < len(b) || len(b) == 0) {
		rec.extend()
		var wrote int
		wrote, err = rec.ResponseWriter.Write(b[n:min(len(b), n+sendPart)])
		n += wrote
		if len(b) == 0 {
			break
		}
	}
	return n, err
}

const sendPart = 64 << 10

// begin frees the slot: from here on the client takes the time. A client that does not read must not keep its
// connection.
func (rec *Recorder) begin(status int) {
	rec.status = status
	rec.leave()
	if rec.closes {
		rec.Header().Set("Connection", "close")
	}
	if rec.Unkept {
		rec.Header().Set("Cache-Control", "no-store, no-transform")
	}
	rec.extended = time.Now()
	_ = rec.control().SetWriteDeadline(rec.extended.Add(rec.sendTime))
}

// extend extends the timeout for the next part. Streams have their own timeouts.
func (rec *Recorder) extend() {
	if now := time.Now(); rec.entered && now.Sub(rec.extended) > rec.sendTime/16 {
		rec.extended = now
		_ = rec.control().SetWriteDeadline(now.Add(rec.sendTime))
	}
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (rec *Recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// InWork returns the number of requests in work.
func (s *Stack) InWork() int { return s.limits.Work.Taken() }
