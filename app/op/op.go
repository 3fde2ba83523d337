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

// Operation is what transports know of an operation without its types.
type Operation interface {
	// Info describes the operation.
	Info() *Info
	// Invoke is Call for a transport: after the guard, fill sets the input, a pointer to a zero value of Info().In. The
	// result is a pointer to an Info().Out. repeat is nil without an idempotency key; the error is *Replayed for a request
	// that was answered before.
	Invoke(ctx context.Context, by store.Viewer, repeat *Repeat, fill func(in any) error) (out any, err error)
}

// Func is an operation with input In and result Out. All that it does is in call: code with type parameters is compiled
// once for each operation.
type Func[In, Out any] struct {
	call
	// Call does the operation on behalf of by: it checks the guard, validates and normalises in, takes one use of each
	// limit, and runs the method. Errors are *core.Error values or internal.
	Call func(ctx context.Context, by store.Viewer, in In) (Out, error)
}

type call struct {
	info   *Info
	limits *Limits
	method reflect.Value
	open   opener
}

// opener calls do with the state that a method works on, such as one of the database.
type opener func(ctx context.Context, do func(state any) error) error

// New returns the operation that run implements, after Describe. ErrNoRow becomes NotFound.
func New[In, Out any](limits *Limits, run func(context.Context, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	f := new(Func[In, Out])
	f.define(f, limits, run, func(ctx context.Context, do func(any) error) error { return do(ctx) }, &spec)
	return f
}

// Read is New for what run reads in one state of the database.
func Read[In, Out any](limits *Limits, db *store.DB, run func(*store.Reader, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	f := new(Func[In, Out])
	spec.Hints |= ReadOnly
	f.define(f, limits, run, within(db.Read), &spec)
	return f
}

// Write is New for what run does in one write.
func Write[In, Out any](limits *Limits, db *store.DB, run func(*store.Tx, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	f := new(Func[In, Out])
	f.define(f, limits, run, within(db.Write), &spec)
	return f
}

//go:noinline
func within[State any](open func(context.Context, func(State) error) error) opener {
	return func(ctx context.Context, do func(any) error) error {
		return open(ctx, func(s State) error { return do(s) })
	}
}

// define sets f, a pointer to the Func that c is in.
func (c *call) define(f any, limits *Limits, method any, open opener, spec *Spec) {
	call := reflect.ValueOf(f).Elem().FieldByName("Call")
	in, out, errType := call.Type().In(2), call.Type().Out(0), call.Type().Out(1)
	c.info, c.limits, c.method, c.open = Describe(*spec, method, in, out), limits, reflect.ValueOf(method), open
	call.Set(reflect.MakeFunc(call.Type(), func(args []reflect.Value) []reflect.Value {
		to, result, failed := reflect.New(in), reflect.New(out), reflect.New(errType)
		to.Elem().Set(args[2])
		ctx, by := args[0].Interface().(context.Context), args[1].Interface().(store.Viewer)
		if err := c.do(ctx, by, nil, to.Interface(), result.Interface(), nil); err != nil {
			failed.Elem().Set(reflect.ValueOf(err))
		}
		return []reflect.Value{result.Elem(), failed.Elem()}
	}))
}

func (c *call) run(ctx context.Context, by store.Viewer, in, out any) error {
	return c.open(ctx, func(state any) error {
		results := c.method.Call([]reflect.Value{reflect.ValueOf(state), reflect.ValueOf(by), reflect.ValueOf(in).Elem()})
		reflect.ValueOf(out).Elem().Set(results[0])
		err, _ := results[1].Interface().(error)
		return err
	})
}

// Info implements Operation.
func (c *call) Info() *Info { return c.info }

// Invoke implements Operation.
func (c *call) Invoke(ctx context.Context, by store.Viewer, repeat *Repeat, fill func(in any) error) (any, error) {
	in, out := reflect.New(c.info.In).Interface(), reflect.New(c.info.Out).Interface()
	return out, c.do(ctx, by, repeat, in, out, fill)
}

// do is Invoke with pointers to the input and the result, and without fill if that is nil.
func (c *call) do(ctx context.Context, by store.Viewer, repeat *Repeat, in, out any, fill func(in any) error) error {
	// The guard comes first: a caller who may not call learns nothing about the input.
	if err := c.info.Admits(by); err != nil {
		return err
	}
	if c.info.Hints.Has(Absent) {
		return core.ErrNotFound
	}
	if fill != nil {
		if err := fill(in); err != nil {
			return err
		}
	}
	err := c.checked(ctx, by, repeat, in, out)
	if withoutRead(by) && c.info.Guard != Public && !c.info.Hints.Has(ReadOnly) {
		err = hideError(err)
		reflect.ValueOf(out).Elem().Set(reflect.ValueOf(hide(out, in, ownText, othersText)).Elem())
	}
	return err
}

func (c *call) checked(ctx context.Context, by store.Viewer, repeat *Repeat, in, out any) (err error) {
	if ctx, by, err = c.limits.stillValid(ctx, by, c.info.Guard); err != nil {
		return err
	}
	if c.info.Hints.Has(NoBots) && by.OwnerID != "" {
		return core.New(core.Forbidden, "not_for_bots", "A bot cannot do this. Do it with your own account, or with a key that acts as you.")
	}
	if err := c.info.Plan.Check(in); err != nil {
		return err
	}
	if err := repeat.begin(ctx, c, by, in); err != nil {
		return err
	}
	if err := c.take(ctx, by); err != nil {
		return err
	}
	return repeat.once(ctx, func(ctx context.Context) error { return core.Found(c.run(ctx, by, in, out)) })
}

// WithGuard returns the operation behind another guard: for a transport whose contract differs, such as one that lets
// personal keys write.
//
//go:noinline
func (c *call) WithGuard(g Guard) Operation {
	other, info := *c, *c.info
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
