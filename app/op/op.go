// Package op describes what callers can do, independent of the transport.
//
// An operation is one method of a domain package, with what every transport must enforce and may document: who may call
// it, how often, what its input must look like. Transports reach the method only through Call or Invoke, so none of
// them can skip a check.
package op

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// Spec is what an operation declares about itself.
type Spec struct {
	// Route is the endpoint of the JSON transport: method, path, and the status of success unless that is 200, or 204
	// without a result: "POST /api/lists 201". An operation without one is for pages or tools.
	Route   string
	Summary string // an imperative phrase without a full stop: "List conversations"
	Guard   Guard
	Hints   Hints
	Limits  []limit.Rate // a general one replaces limit.Writes; the operation counts the stored ones in its write
	Errors  []core.Kind  // kinds it returns beyond those that follow from the guard and the input
}

// Spec returns the spec of an operation with the guard g.
func (g Guard) Spec(route, summary string, errs ...core.Kind) Spec {
	return Spec{Guard: g, Route: route, Summary: summary, Errors: errs}
}

// Hint returns s with hints.
func (s Spec) Hint(h Hints) Spec {
	s.Hints |= h
	return s
}

// Limited returns s with limits.
func (s Spec) Limited(limits ...limit.Rate) Spec {
	s.Limits = limits
	return s
}

// Hints are what clients may know of an operation, as in the tool annotations of the Model Context Protocol, and what
// callers need besides the guard.
type Hints uint16

const (
	// ReadOnly operations change nothing. All others need the scope write.
	ReadOnly Hints = 1 << iota
	// Idempotent operations have no further effect when repeated.
	Idempotent
	// Destructive operations remove or overwrite something.
	Destructive
	// OpenWorld operations reach beyond this server.
	OpenWorld
	// Stores operations add or rewrite content: they are refused while the server has no storage left.
	Stores
	// NoBots refuses keys that act as a bot.
	NoBots
	// Tagged operations have responses with ETags.
	Tagged
	// Absent operations cannot be called on this server: NotFound for callers that pass the guard.
	Absent
	// Uncounted operations are outside the limit of requests in work, because they must answer at the limit.
	Uncounted
)

// Has reports whether all of want are set.
func (h Hints) Has(want Hints) bool { return h&want == want }

// Info is a Spec with what follows from the implementation.
type Info struct {
	Spec
	Name    string       // the method's name with an upper-case initial: "SendMessage"
	In, Out reflect.Type // the input and the result
	Plan    *core.Plan   // the input's members and their rules
}

// Describe returns the Info of a method, or of what has that name. in and out may be nil. It panics if the spec is
// incomplete or the tags of in contradict each other: the program has a mistake, and cannot start with it.
func Describe(spec Spec, method any, in, out reflect.Type) *Info {
	info := &Info{Spec: spec, In: in, Out: out}
	var named bool
	if info.Name, named = method.(string); !named { // "hearth/app/chat.(*Service).sendMessage-fm"
		name := runtime.FuncForPC(reflect.ValueOf(method).Pointer()).Name()
		info.Name = upperFirst(strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm"))
	}
	var err error
	if in != nil {
		info.Plan, err = core.PlanOf(in)
	}
	switch {
	case spec.Summary == "":
		err = errors.New("it has no summary")
	case spec.Guard <= closed || spec.Guard > Bridge:
		err = errors.New("it has no guard")
	}
	if err != nil {
		panic(fmt.Sprintf("op: %s: %v", info.Name, err))
	}
	return info
}

// Admits returns nil if by passes the guard of the operation, and otherwise an Unauthenticated or Forbidden error.
func (i *Info) Admits(by store.Viewer) error { return i.Guard.Check(by, i.Hints) }

// Operation is what transports know of an operation: all but its types.
type Operation struct {
	info   *Info
	limits *Limits
	db     *store.DB
	method reflect.Value
}

// Func is an operation with input In and result Out. It has no methods, and all that it does is in Op: code with type
// parameters is compiled once for each operation.
type Func[In, Out any] struct {
	Op *Operation
	// Call does the operation on behalf of by: it checks the guard, validates and normalises in, takes one use of each
	// limit, and runs the method. Errors are *core.Error values or internal.
	Call func(ctx context.Context, by store.Viewer, in In) (Out, error)
}

// New returns the operation that run implements, after Describe. ErrNoRow becomes NotFound.
func New[In, Out any](limits *Limits, run func(context.Context, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	return define(new(Func[In, Out]), limits, nil, run, spec).(*Func[In, Out])
}

// Read is New for what run reads in one state of the database.
func Read[In, Out any](limits *Limits, db *store.DB, run func(*store.Reader, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	return define(new(Func[In, Out]), limits, db, run, spec).(*Func[In, Out])
}

// Write is New for what run does in one write.
func Write[In, Out any](limits *Limits, db *store.DB, run func(*store.Tx, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	return define(new(Func[In, Out]), limits, db, run, spec).(*Func[In, Out])
}

var (
	readerType = reflect.TypeFor[*store.Reader]()
	txType     = reflect.TypeFor[*store.Tx]()
)

// define sets and returns f, a pointer to a Func. Its callers are small enough for the compiler to inline them.
func define(f any, limits *Limits, db *store.DB, run any, spec Spec) any {
	v, method := reflect.ValueOf(f).Elem(), reflect.ValueOf(run)
	call := v.FieldByName("Call")
	in, out, errType := call.Type().In(2), call.Type().Out(0), call.Type().Out(1)
	if method.Type().In(0) == readerType {
		spec.Hints |= ReadOnly
	}
	o := &Operation{Describe(spec, run, in, out), limits, db, method}
	v.FieldByName("Op").Set(reflect.ValueOf(o))
	call.Set(reflect.MakeFunc(call.Type(), func(args []reflect.Value) []reflect.Value {
		to, result, failed := reflect.New(in), reflect.New(out), reflect.New(errType)
		to.Elem().Set(args[2])
		ctx, by := args[0].Interface().(context.Context), args[1].Interface().(store.Viewer)
		if err := o.do(ctx, by, nil, to.Interface(), result.Interface(), nil); err != nil {
			failed.Elem().Set(reflect.ValueOf(err))
		}
		return []reflect.Value{result.Elem(), failed.Elem()}
	}))
	return f
}

func (o *Operation) run(ctx context.Context, by store.Viewer, in, out any) error {
	run := func(state any) error {
		results := o.method.Call([]reflect.Value{reflect.ValueOf(state), reflect.ValueOf(by), reflect.ValueOf(in).Elem()})
		reflect.ValueOf(out).Elem().Set(results[0])
		err, _ := results[1].Interface().(error)
		return err
	}
	switch o.method.Type().In(0) {
	case readerType:
		return o.db.Read(ctx, func(r *store.Reader) error { return run(r) })
	case txType:
		return o.db.Write(ctx, func(tx *store.Tx) error { return run(tx) })
	}
	return run(ctx)
}

// Info describes the operation.
func (o *Operation) Info() *Info { return o.info }

// Invoke is Call for a transport: after the guard, fill sets the input, a pointer to a zero value of Info().In. The
// result is a pointer to an Info().Out. repeat is nil without an idempotency key; the error is *Replayed for a request
// that was answered before.
func (o *Operation) Invoke(ctx context.Context, by store.Viewer, repeat *Repeat, fill func(in any) error) (any, error) {
	in, out := reflect.New(o.info.In).Interface(), reflect.New(o.info.Out).Interface()
	return out, o.do(ctx, by, repeat, in, out, fill)
}

// do is Invoke with pointers to the input and the result, and without fill if that is nil.
func (o *Operation) do(ctx context.Context, by store.Viewer, repeat *Repeat, in, out any, fill func(in any) error) error {
	// The guard comes first: a caller who may not call learns nothing about the input.
	if err := o.info.Admits(by); err != nil {
		return err
	}
	if o.info.Hints.Has(Absent) {
		return core.ErrNotFound
	}
	if fill != nil {
		if err := fill(in); err != nil {
			return err
		}
	}
	err := o.checked(ctx, by, repeat, in, out)
	if withoutRead(by) && o.info.Guard != Public && !o.info.Hints.Has(ReadOnly) {
		err = hideError(err)
		reflect.ValueOf(out).Elem().Set(reflect.ValueOf(hide(out, in, ownText, othersText)).Elem())
	}
	return err
}

func (o *Operation) checked(ctx context.Context, by store.Viewer, repeat *Repeat, in, out any) (err error) {
	if ctx, by, err = o.limits.stillValid(ctx, by, o.info.Guard); err != nil {
		return err
	}
	if o.info.Hints.Has(NoBots) && by.OwnerID != "" {
		return core.New(core.Forbidden, "not_for_bots", "A bot cannot do this. Do it with your own account, or with a key that acts as you.")
	}
	if err := o.info.Plan.Check(in); err != nil {
		return err
	}
	if err := repeat.begin(ctx, o, by, in); err != nil {
		return err
	}
	if err := o.take(ctx, by); err != nil {
		return err
	}
	return repeat.once(ctx, func(ctx context.Context) error { return core.Found(o.run(ctx, by, in, out)) })
}

// WithGuard returns the operation behind another guard: for a transport whose contract differs, such as one that lets
// personal keys write.
func (o *Operation) WithGuard(g Guard) *Operation {
	other, info := *o, *o.info
	info.Guard = g
	other.info = &info
	return &other
}

// Created is implemented by results of operations that either make something or find it there: transports answer the
// two differently.
type Created interface{ Created() bool }

// Alternative is implemented by results with another body if nothing was made.
type Alternative interface {
	Created
	Bodies() (made, otherwise any)
}

// Accepted is implemented by results that may say that the work is not done yet: transports answer that differently.
type Accepted interface{ Accepted() bool }

// Versioned is implemented by results that are one object with a version, which a caller can name to change only that.
type Versioned interface{ Version() string }

// BodyReceiver is implemented by inputs of operations that take the whole body of a request as it is, up to MaxBody
// bytes.
type BodyReceiver interface {
	MaxBody() int64
	SetBody([]byte)
}
