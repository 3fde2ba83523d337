package middleware

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"hearth/store"
)

// Recorder records for the log what becomes of a request. Transports set Op,
// Viewer and Err when they know them.
type Recorder struct {
	http.ResponseWriter
	ID     string       // of the request, as in the log and in a 500
	Op     string       // the operation or page; "" if there is none
	Viewer store.Viewer // who sent it
	Err    error        // what it was answered with, unless it succeeded
	Quiet  bool         // a success is not logged: files that pages load

	status   int // 0: not answered yet
	sendTime time.Duration
	gate     *gate
	inside   bool // holds a place among the requests in flight
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

// Enter takes a place among the requests in flight until the response begins.
// It returns an Unavailable error at once when all are taken: waiting would
// only make the queue longer.
func (rec *Recorder) Enter() error {
	if !rec.inside {
		if !rec.gate.enter() {
			return errBusy
		}
		rec.inside = true
	}
	return nil
}

func (rec *Recorder) leave() {
	if rec.inside {
		rec.inside = false
		rec.gate.leave()
	}
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

func (rec *Recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.begin(http.StatusOK)
	}
	return rec.ResponseWriter.Write(b)
}

// begin notes that the response begins. From here on it is the client that
// takes time: one that does not read must not keep others out, nor hold its
// connection forever.
func (rec *Recorder) begin(status int) {
	rec.status = status
	rec.leave()
	_ = http.NewResponseController(rec.ResponseWriter).SetWriteDeadline(time.Now().Add(rec.sendTime))
}

// Progress returns a writer for responses of any length: the time for a client
// to take them starts again with each write.
func (rec *Recorder) Progress() io.Writer { return progress{rec} }

type progress struct{ rec *Recorder }

func (p progress) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), progressPart)]
		_ = http.NewResponseController(p.rec.ResponseWriter).SetWriteDeadline(time.Now().Add(p.rec.sendTime))
		var wrote int
		wrote, err = p.rec.Write(part)
		n, b = n+wrote, b[wrote:]
	}
	return n, err
}

// progressPart is how many bytes a client has to take in the time for a
// response.
const progressPart = 64 << 10

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (rec *Recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// InFlight returns how many requests hold a place.
func (s *Stack) InFlight() int64 { return s.gate.in.Load() }

// gate bounds the requests in flight.
type gate struct {
	max int64
	in  atomic.Int64
}

func (g *gate) enter() bool {
	if g.in.Add(1) > g.max {
		g.in.Add(-1)
		return false
	}
	return true
}

func (g *gate) leave() { g.in.Add(-1) }
