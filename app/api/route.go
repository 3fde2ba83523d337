// Package api is the JSON transport: one table of routes, and the adapter that
// turns a request into a call of an operation and its result into a response.
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

// Route is one row of the table: one endpoint.
type Route struct {
	Method string
	Path   string // with {name} for a segment and {name...} for the rest
	Status int    // of success; 204 has no body, and a result that is op.Created answers 200 if nothing was created
	Op     Endpoint
}

// Endpoint is what a route does: an op.Operation, Uncounted or not, or a
// Stream.
type Endpoint interface{ Info() *op.Info }

// StreamFunc is an ordinary handler behind the same authentication and guard:
// for event streams, uploads and downloads. Path parameters come from
// r.PathValue; a failure before the first byte is answered with Fail.
type StreamFunc func(w http.ResponseWriter, r *http.Request, v store.Viewer)

// Answer documents what a StreamFunc takes and returns.
type Answer struct {
	Type string // content type of the response; text/event-stream is never counted or timed
	Body string // content type of the request, "" if it has no body
	In   any    // a struct whose path and query tags document the parameters; may be nil
	Doc  string // a sentence about the response
}

type stream struct {
	info   op.Info
	serve  StreamFunc
	answer Answer
}

func (s *stream) Info() *op.Info { return &s.info }

// Stream returns an ordinary handler as an endpoint. It panics if the
// spec is incomplete or the tags of a.In contradict each other.
func Stream(f StreamFunc, spec op.Spec, a Answer) Endpoint {
	s := &stream{info: op.Info{Spec: spec, Name: handlerName(f)}, serve: f, answer: a}
	err := spec.Validate()
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

// uncounted is an operation that takes no place among the requests in flight,
// because it must answer when all places are taken.
type uncounted struct{ op.Operation }

// Uncounted returns o as an endpoint that is served however many requests are
// in flight.
func Uncounted(o op.Operation) Endpoint { return uncounted{o} }

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

// IsEventStream reports whether responses of the route last as long as their
// client stays.
func (r Route) IsEventStream() bool {
	return r.stream() != nil && r.stream().answer.Type == eventStream
}

// requestType returns the content type of the request body if a stream takes
// one, and otherwise "".
func (r Route) requestType() string {
	if s := r.stream(); s != nil {
		return s.answer.Body
	}
	return ""
}

// statuses returns the statuses of success.
func (r Route) statuses() []int {
	if t := r.Op.Info().Out; t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[op.Created]()) {
		return []int{http.StatusCreated, http.StatusOK}
	}
	return []int{r.Status}
}
