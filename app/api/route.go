// Package api is the JSON door: one table of routes, and the adapter that
// turns a request into a call of an operation and its result into an answer.
package api

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"strings"

	"hearth/store"
)

// Route is one row of the table: one endpoint.
type Route struct {
	Method  string
	Path    string // with {name} for a segment and {name...} for the rest
	Guard   Guard
	Status  int // of success; a result with HTTPStatus overrides it; 204 has no body
	Op      Operation
	Summary string
}

// Statuser is a result that knows better than its row with which status of
// success it is answered: 200 for what was there, 201 for what was made.
type Statuser interface{ HTTPStatus() int }

// Operation is what a row does: made by Op or by Stream.
type Operation struct {
	name      string
	in, out   reflect.Type
	call      func(ctx context.Context, by store.Viewer, fill func(in any) error) (out any, err error)
	stream    StreamFunc
	answer    Answer
	uncounted bool
	also      []int
}

// Op adapts an operation. In takes its path, query and body from the tags of
// its fields (see core.Rule); f calls core.Check first. Out is the body of the
// answer, as JSON.
func Op[In, Out any](f func(context.Context, store.Viewer, In) (Out, error)) Operation {
	return Operation{
		name: funcName(f),
		in:   reflect.TypeFor[In](),
		out:  reflect.TypeFor[Out](),
		call: func(ctx context.Context, by store.Viewer, fill func(any) error) (any, error) {
			var in In
			if err := fill(&in); err != nil {
				return nil, err
			}
			out, err := f(ctx, by, in)
			return &out, err
		},
	}
}

// StreamFunc is an ordinary handler behind the same authentication and guard:
// for event streams, uploads and downloads. Path parameters come from
// r.PathValue; a failure before the first byte is answered with Fail.
type StreamFunc func(w http.ResponseWriter, r *http.Request, v store.Viewer)

// Answer documents what a StreamFunc takes and gives.
type Answer struct {
	Type string // content type of the answer; text/event-stream is never counted or timed
	Body string // content type of the request, "" if it has no body
	In   any    // a struct whose path and query tags document the parameters; may be nil
	Doc  string // a sentence about the answer
}

// Stream puts an ordinary handler into the table.
func Stream(f StreamFunc, a Answer) Operation {
	o := Operation{name: funcName(f), stream: f, answer: a, uncounted: a.Type == eventStream}
	if a.In != nil {
		o.in = reflect.TypeOf(a.In)
	}
	return o
}

const eventStream = "text/event-stream"

// Uncounted returns o as one that takes no place among the requests in flight,
// because it may wait for long or must answer when all places are taken.
func (o Operation) Uncounted() Operation {
	o.uncounted = true
	return o
}

// Also returns o with further statuses that it answers, for the reference:
// 200 beside 201, 409, 429.
func (o Operation) Also(statuses ...int) Operation {
	o.also = statuses
	return o
}

// IsStream tells whether an answer of o lasts as long as its stream.
func (o Operation) IsStream() bool { return o.answer.Type == eventStream }

// Name is the name of the Go function behind o: the method of the service.
func (o Operation) Name() string { return o.name }

// funcName returns CreateList for the method value list.(*Service).CreateList.
func funcName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm")
	return strings.TrimSuffix(name, "[...]")
}
