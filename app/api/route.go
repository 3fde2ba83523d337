// Package api is the JSON transport: a table of routes, and an adapter that maps
// requests to calls of operations and their results to responses.
package api

import (
	"net/http"
	"reflect"
	"runtime"
	"strings"

	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// Route is an endpoint.
type Route struct {
	Method string
	Path   string // with {name} for a segment and {name...} for the rest
	Status int    // on success; 204 has no body, and a result that is op.Created has 200 if nothing was created
	Op     Endpoint
}

// Endpoint is what a route serves: an op.Operation, Uncounted or an Upload or
// neither, or a Stream.
type Endpoint interface{ Info() *op.Info }

// StreamFunc is an HTTP handler behind the same authentication and guard as
// operations, for event streams, uploads and downloads. Path parameters are in
// r.PathValue. Errors before the first byte are sent with Fail.
type StreamFunc func(w http.ResponseWriter, r *http.Request, v store.Viewer)

// Response documents the parameters and the response of a StreamFunc.
type Response struct {
	Type  string   // content type of the response; text/event-stream has no time limit and does not count as in flight
	Types []string // further content types, which a parameter chooses
	Body  string   // content type of the request, "" if it has no body
	In    any      // a struct whose path and query tags document the parameters, or nil
	Out   any      // a value of the type that the response has as JSON, or nil
	Doc   string   // a sentence about the response
	Also  []int    // further statuses, such as those of ranges; below 400 without JSON
}

type stream struct {
	info  op.Info
	serve StreamFunc
	doc   Response
}

func (s *stream) Info() *op.Info { return &s.info }

// Stream returns an HTTP handler as an endpoint. It panics if spec is incomplete
// or the tags of a.In are not valid.
func Stream(f StreamFunc, spec op.Spec, a Response) Endpoint {
	s := &stream{info: op.Info{Spec: spec, Name: handlerName(f)}, serve: f, doc: a}
	err := spec.Validate()
	if a.Out != nil {
		s.info.Out = reflect.TypeOf(a.Out)
	}
	if a.In != nil && err == nil {
		s.info.In = reflect.TypeOf(a.In)
		s.info.Plan, err = core.PlanOf(s.info.In)
	}
	if err != nil {
		panic("api.Stream: " + s.info.Name + ": " + err.Error())
	}
	return s
}

const eventStream = "text/event-stream"

// handlerName returns WatchList for the method value watch.WatchList.
func handlerName(f StreamFunc) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
}

// uncounted is an operation that does not count as a request in flight, because
// it must respond at the concurrency limit.
type uncounted struct{ op.Operation }

// Uncounted returns o as an endpoint without concurrency limit.
func Uncounted(o op.Operation) Endpoint { return uncounted{o} }

func (r Route) isUncounted() bool {
	_, ok := r.Op.(uncounted)
	return ok
}

// alwaysAnswered reports whether the route is for everybody and takes next to nothing:
// it is answered to those, too, who are refused everything else for a while.
func (r Route) alwaysAnswered() bool { return r.isUncounted() && r.Op.Info().Guard == op.Public }

// upload is an operation that takes a file, in a multipart body.
type upload struct{ op.Operation }

// Upload returns o, whose input is a file.Receiver, as an endpoint that takes a
// file in the field "file" of a form.
func Upload(o op.Operation) Endpoint { return upload{o} }

const multipartForm = "multipart/form-data"

// operation returns the operation of the route, or nil if it is a stream.
func (r Route) operation() op.Operation {
	o, _ := r.Op.(op.Operation)
	return o
}

// stream returns the stream of the route, or nil if it is an operation.
func (r Route) stream() *stream {
	s, _ := r.Op.(*stream)
	return s
}

// IsEventStream reports whether responses of the route last until the client
// disconnects.
func (r Route) IsEventStream() bool {
	return r.stream() != nil && r.stream().doc.Type == eventStream
}

// requestType returns the content type of the request body of a stream or an
// upload, or "" if it has none.
func (r Route) requestType() string {
	switch e := r.Op.(type) {
	case *stream:
		return e.doc.Body
	case upload:
		return multipartForm
	case whole:
		return anyType
	}
	return ""
}

// bodyOf returns the type of the body with a success status.
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

// makes reports whether the operation of the route either makes something or finds
// it there.
func (r Route) makes() bool {
	t := r.Op.Info().Out
	return t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[op.Created]())
}

// statuses returns the success statuses.
func (r Route) statuses() []int {
	if r.makes() {
		return []int{http.StatusCreated, http.StatusOK}
	}
	if t := r.Op.Info().Out; t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[op.Accepted]()) {
		return []int{r.Status, http.StatusAccepted}
	}
	return []int{r.Status}
}
