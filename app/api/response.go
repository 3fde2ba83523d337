package api

import (
	"net/http"
	"time"

	"hearth/store"
)

// response remembers, for the log, what became of a request.
type response struct {
	http.ResponseWriter
	id        string // of the request, as the log and a 500 have it
	op        string
	viewer    store.Viewer
	status    int // 0: nothing is answered yet
	err       error
	writeTime time.Duration // for the client to take the answer
	leave     func()        // gives back the place among the requests in flight, or nil
}

// WriteHeader sends the status; 1xx ones are no answer yet.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.answering(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.answering(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// answering begins the answer. From here on it is the client that takes time:
// one that does not read must not keep others out, nor its connection for ever.
func (w *response) answering(status int) {
	w.status = status
	w.done()
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.writeTime))
}

// done gives the place back; the work is over.
func (w *response) done() {
	if w.leave != nil {
		w.leave()
		w.leave = nil
	}
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// responseOf finds our response below whatever wraps it.
func responseOf(w http.ResponseWriter) *response {
	for {
		switch t := w.(type) {
		case *response:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}
