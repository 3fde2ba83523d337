package middleware

import (
	"context"
	"net/http"
	"time"

	"hearth/app/limit"
	"hearth/store"
)

// Recorder records for the log what becomes of a request. Transports set Op, Viewer and
// Err when they know them.
type Recorder struct {
	http.ResponseWriter
	ID     string       // of the request, as in the log and in a 500
	Op     string       // the operation or page; "" if there is none
	Viewer store.Viewer // who sent it
	Err    error        // what it was answered with, unless it succeeded
	Quiet  bool         // a success is not logged: files that pages load

	ctx      context.Context // of the request
	signedIn string          // the account that the request has signed in
	status   int             // 0: not answered yet
	limits   *limit.HTTP
	rates    *limit.Limits
	address  string // that the request counts under
	sendTime time.Duration
	extended time.Time // when the client was last given time to take the response
	body     *body     // of the request; nil without one
	entered  bool      // it is not a stream: each part of the response has a time
	working  bool      // it counts as in work
	held     []func()  // free the memory that it holds
	closes   bool      // the connection ends after the response, whatever a handler sets
}

// RecorderOf returns the Recorder below whatever wraps it, or nil.
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

// Enter counts the request as in work until its response begins, but for the time in which
// its body arrives. It returns an Unavailable error if there are too many, of the server or
// of the address.
func (rec *Recorder) Enter() error {
	rec.entered = true
	if !rec.working && rec.status == 0 {
		if rec.working = rec.limits.Work.Take(rec.address); !rec.working {
			return limit.ErrBusy
		}
	}
	return nil
}

// leave ends what Enter began, and reports whether it had.
func (rec *Recorder) leave() bool {
	if !rec.working {
		return false
	}
	rec.working = false
	rec.limits.Work.Free(rec.address)
	return true
}

// hold takes memory for n bytes until the request has ended.
func (rec *Recorder) hold(memory *limit.Gate, n int64) error {
	free, err := memory.Enter(rec.ctx, n)
	if err == nil {
		rec.held = append(rec.held, free)
	}
	return err
}

// release frees all that the request takes.
func (rec *Recorder) release() {
	rec.leave()
	for _, free := range rec.held {
		free()
	}
	rec.held = nil
}

// Reserve takes the memory for a response of n bytes that is about to begin. It returns an
// Unavailable error if there is not enough.
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

// EnterExport counts a request as one that downloads an export. It returns an Unavailable
// error if there are too many.
func EnterExport(w http.ResponseWriter) error {
	rec := RecorderOf(w)
	return rec.hold(rec.limits.Exports, 1)
}

func (rec *Recorder) control() *http.ResponseController {
	return http.NewResponseController(rec.ResponseWriter)
}

// Answered reports whether the response has begun.
func (rec *Recorder) Answered() bool { return rec.status != 0 }

// Failed reports whether the response began with the status of an error.
func (rec *Recorder) Failed() bool { return rec.status >= 400 }

// WriteHeader sends the status; informational ones do not begin the response.
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

// sendPart is how many bytes a client has to take in the time for a response.
const sendPart = 64 << 10

// begin notes that the response begins. From here on it is the client that takes time: one
// that does not read must not hold its connection forever.
func (rec *Recorder) begin(status int) {
	rec.status = status
	rec.leave()
	if rec.closes {
		rec.Header().Set("Connection", "close")
	}
	rec.extended = time.Now()
	_ = rec.control().SetWriteDeadline(rec.extended.Add(rec.sendTime))
}

// extend gives the client time for the next part of the response. A stream limits its time
// itself.
func (rec *Recorder) extend() {
	if now := time.Now(); rec.entered && now.Sub(rec.extended) > rec.sendTime/16 {
		rec.extended = now
		_ = rec.control().SetWriteDeadline(now.Add(rec.sendTime))
	}
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (rec *Recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// InWork returns how many requests are in work.
func (s *Stack) InWork() int { return s.limits.Work.Taken() }
