package middleware

import (
	"context"
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

	signedIn string // the account that the request has signed in
	status   int    // 0: not answered yet
	begun    atomic.Bool
	sendTime time.Duration
	extended time.Time       // when the client was last given time to take the response
	body     *body           // of the request; nil without one
	ctx      context.Context // of the request
	place    place
	meter    store.Meter
	wasRead  atomic.Int64
	entered  bool // has or had a place among the requests in flight
	awaiting bool // gave it back until the body has arrived
	closes   bool // the connection ends after the response, whatever a handler sets
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

// Enter takes a place among the requests in flight until the response is sent,
// but for the time in which the body arrives. It returns an Unavailable error at
// once when all are taken, of the server or of the address.
func (rec *Recorder) Enter() error {
	rec.entered = true
	return rec.place.enter()
}

// Occupy takes the memory that it takes to handle the request, whatever it is about, until
// the memory for the response is reserved. It returns an Unavailable error if there is not
// enough.
func (rec *Recorder) Occupy(n int) error { return rec.place.occupy(int64(n)) }

// Identify sets Viewer. It returns an Unavailable error if all places of the
// account are taken.
func (rec *Recorder) Identify(v store.Viewer) error {
	rec.Viewer = v
	if v.UserID != "" {
		rec.meter.SetCaller(v.PersonID())
	}
	return rec.place.identify(v.PersonID())
}

// awaitBody gives the place back while the body arrives.
func (rec *Recorder) awaitBody() {
	rec.awaiting = rec.place.pause() || rec.awaiting
	rec.place.wait(func() { _ = rec.control().SetReadDeadline(longAgo) })
}

// bodyArrived takes the place again that awaitBody gave back.
func (rec *Recorder) bodyArrived() error {
	rec.place.ready()
	if !rec.awaiting {
		return nil
	}
	return rec.place.enter()
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

func (rec *Recorder) control() *http.ResponseController {
	return http.NewResponseController(rec.ResponseWriter)
}

// readCost is how many bytes of memory a byte takes that was read from the
// database: as it was read and as it will be sent.
const readCost = 2

// read counts bytes read from the database for a response that has not begun;
// later ones are sent as they are read. Those that there is no memory for are not
// counted: they are no part of the response.
func (rec *Recorder) read(n int) error {
	if !rec.begun.Load() {
		if err := rec.place.charge(readCost * int64(n)); err != nil {
			return err
		}
	}
	rec.wasRead.Add(int64(n))
	return nil
}

// BytesRead returns how many bytes were read from the database for a response:
// about how many it will have.
func BytesRead(w http.ResponseWriter) int {
	if rec := RecorderOf(w); rec != nil {
		return int(rec.wasRead.Load())
	}
	return 0
}

// Reserve takes the memory for a response of n bytes that is about to begin, in
// place of what was read for it. It returns an Unavailable error if there is not
// enough.
func Reserve(w http.ResponseWriter, n int) error {
	if rec := RecorderOf(w); rec != nil && !rec.Answered() {
		return rec.place.settle(int64(n))
	}
	return nil
}

// Hold takes memory for n bytes of a stream that wait for the client, until release is
// called. When others need it, the connection of a client that is slow to take them is
// closed. It returns an Unavailable error if there is not enough.
func (rec *Recorder) Hold(n int) (release func(), err error) {
	if err := rec.place.settle(FreeBytes + int64(n)); err != nil { // streams are many, so nothing is free
		return nil, err
	}
	rec.place.wait(func() { _ = rec.control().SetWriteDeadline(longAgo) })
	return func() {
		rec.place.ready()
		_ = rec.place.settle(0)
	}, nil
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
	// The server reads the rest of the body before it sends anything.
	unread := rec.body != nil && !rec.body.ended
	if !rec.entered || len(b) < smallWrite && !unread {
		rec.extend()
		return rec.ResponseWriter.Write(b)
	}
	rec.place.wait(func() {
		_ = rec.control().SetReadDeadline(longAgo)
		_ = rec.control().SetWriteDeadline(longAgo)
	})
	defer rec.place.ready()
	for len(b) > 0 && err == nil {
		rec.extend()
		var wrote int
		wrote, err = rec.ResponseWriter.Write(b[:min(len(b), sendPart)])
		rec.place.progress(wrote)
		n, b = n+wrote, b[wrote:]
	}
	return n, err
}

const (
	// sendPart is how many bytes a client has to take in the time for a response.
	sendPart = 64 << 10
	// smallWrite is what is sent without waiting for the client.
	smallWrite = 4 << 10
)

// begin notes that the response begins. From here on it is the client that takes
// time: one that does not read must not hold its connection forever.
func (rec *Recorder) begin(status int) {
	rec.status = status
	if rec.closes {
		rec.Header().Set("Connection", "close")
	}
	rec.begun.Store(true)
	rec.extended = time.Now()
	_ = rec.control().SetWriteDeadline(rec.extended.Add(rec.sendTime))
}

// extend gives the client time for the next part of the response. A response
// that has no place among those in flight limits its time itself.
func (rec *Recorder) extend() {
	if now := time.Now(); rec.entered && now.Sub(rec.extended) > rec.sendTime/16 {
		rec.extended = now
		_ = rec.control().SetWriteDeadline(now.Add(rec.sendTime))
	}
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (rec *Recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// InFlight returns how many requests hold a place.
func (s *Stack) InFlight() int64 {
	s.load.mu.Lock()
	defer s.load.mu.Unlock()
	return int64(s.load.in)
}
