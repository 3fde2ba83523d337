// Package api is the JSON transport. It has a table of routes, and an adapter between HTTP and operations.
package api

import (
	"net/http"
	"reflect"

	"hearth/app/file"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Route is an endpoint.
type Route struct {
	Method string
	Path   string // with {name} for a segment
	Status int    // on success; 204 has no body; an op.Created result has 200 if nothing was created
	Op     Endpoint
}

// Endpoint is what a route serves: an operation or a Stream.
type Endpoint interface{ Info() *op.Info }

// StreamFunc is an HTTP handler with the authentication and guard of operations, for event streams and downloads.
// Path parameters are in r.PathValue. Errors before the first byte are sent with Fail.
type StreamFunc func(w http.ResponseWriter, r *http.Request, v store.Viewer)

// Response documents the parameters and the response of a StreamFunc.
type Response struct {
	Type  string   // content type; text/event-stream has no time limit and does not count as in flight
	Types []string // further content types, chosen by a parameter
	In    any      // a struct whose path and query tags document the parameters, or nil
	Out   any      // a value of the type of the JSON response, or nil
	Doc   string
	Also  []int // further statuses, for example of ranges; below 400 without JSON
}

type stream struct {
	info  *op.Info
	serve StreamFunc
	doc   Response
}

func (s *stream) Info() *op.Info { return s.info }

// Stream returns an HTTP handler as an endpoint. It panics if spec is incomplete or the tags of a.In are invalid.
func Stream(f StreamFunc, spec op.Spec, a Response) Endpoint {
	return newStream(f, f, spec, a)
}

func newStream(f StreamFunc, method any, spec op.Spec, a Response) *stream {
	return &stream{op.Describe(spec, method, reflect.TypeOf(a.In), reflect.TypeOf(a.Out)), f, a}
}

// decoded is Stream for a handler that takes its parameters checked, as In.
func decoded[In any](name string, spec op.Spec, a Response,
	f func(w http.ResponseWriter, r *http.Request, v store.Viewer, in In)) Endpoint {
	a.In = *new(In)
	var params input
	s := newStream(func(w http.ResponseWriter, r *http.Request, v store.Viewer) {
		var in In
		err := params.fill(w, r, &in)
		if err == nil {
			err = params.plan.Check(&in)
		}
		if err != nil {
			middleware.FailJSON(w, err)
			return
		}
		f(w, r, v, in)
	}, name, spec, a)
	params = newInput(s.info.Plan)
	return s
}

const eventStream = "text/event-stream"

func (r Route) isUncounted() bool { return r.Op.Info().Hints.Has(op.Uncounted) }

// A public, uncounted route also answers callers that are over their rate.
func (r Route) alwaysAnswered() bool { return r.isUncounted() && r.Op.Info().Guard == op.Public }

func (r Route) operation() *op.Operation {
	o, _ := r.Op.(*op.Operation)
	return o
}

func (r Route) stream() *stream {
	s, _ := r.Op.(*stream)
	return s
}

// IsEventStream reports whether responses of the route last until the client disconnects.
func (r Route) IsEventStream() bool {
	return r.stream() != nil && r.stream().doc.Type == eventStream
}

const (
	anyType       = "application/octet-stream"
	multipartForm = "multipart/form-data"
)

// requestType returns the content type of a request with a file, or "".
func (r Route) requestType() string {
	if r.operation() != nil {
		switch reflect.New(r.Op.Info().In).Interface().(type) {
		case file.Receiver:
			return multipartForm
		case op.BodyReceiver:
			return anyType
		}
	}
	return ""
}

func (r Route) bodyOf(status int) reflect.Type {
	t := r.Op.Info().Out
	if t == nil {
		return nil
	}
	if a, ok := reflect.New(t).Interface().(op.Alternative); ok {
		made, otherwise := a.Bodies()
		if t = reflect.TypeOf(otherwise); status == http.StatusCreated {
			t = reflect.TypeOf(made).Elem()
		}
	}
	return t
}

func (r Route) makes() bool {
	t := r.Op.Info().Out
	return t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[op.Created]())
}

func (r Route) statuses() []int {
	if r.makes() {
		return []int{http.StatusCreated, http.StatusOK}
	}
	if t := r.Op.Info().Out; t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[op.Accepted]()) {
		return []int{r.Status, http.StatusAccepted}
	}
	return []int{r.Status}
}
