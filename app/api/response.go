package api

import (
	"net/http"

	"hearth/store"
)

// response remembers, for the log, what became of a request.
type response struct {
	http.ResponseWriter
	id     string // of the request, as the log and a 500 have it
	op     string
	viewer store.Viewer
	status int // 0: nothing is answered yet
	err    error
}

// WriteHeader sends the status; 1xx ones are no answer yet.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
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
