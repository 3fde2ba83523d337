// Package op describes what callers can do, independent of the transport.
//
// An operation is one method of a domain package together with what every
// transport must enforce and may document: who may call it, how often, what
// its input must look like. Transports reach the method only through Call or
// Invoke, so none of them can skip a check.
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
	Rate    limit.Rate   // limit.Reads for a read if it is zero
	Limits  []limit.Rate // in addition to the rate; the operation counts the stored ones in its write
	NoBots  bool         // keys that act as a bot are refused
	Errors  []core.Kind  // kinds it returns beyond those that follow from the guard and the input
	Tagged  bool         // its responses have ETags
	Stores  bool         // it adds or rewrites content: refused while the server has no storage left
	// When, if set, returns an error while nobody can call the operation. It is
	// asked after the guard, before the input is looked at.
	When func() error
}

// Spec returns the spec of an operation with the guard g.
func (g Guard) Spec(route, summary string, errs ...core.Kind) Spec {
	return Spec{Guard: g, Route: route, Summary: summary, Errors: errs}
}

// Hint returns s with hints.
func (s Spec) Hint(h Hints) Spec {
	s.Hints = h
	return s
}

// Limited returns s with limits.
func (s Spec) Limited(limits ...limit.Rate) Spec {
	s.Limits = limits
	return s
}

// Storing returns s for an operation that adds or rewrites content.
func (s Spec) Storing() Spec {
	s.Stores = true
	return s
}

// Validate returns an error if s has no summary or no guard.
func (s Spec) Validate() error {
	switch {
	case s.Summary == "":
		return errors.New("the operation has no summary")
	case s.Guard <= closed || s.Guard > Bridge:
		return errors.New("the operation has no guard")
	}
	return nil
}

// Hints tell a client what calling an operation can do. They correspond to the Model
// Context Protocol's tool annotations.
type Hints uint8

const (
	// ReadOnly operations change nothing. All others need the scope write.
	ReadOnly Hints = 1 << iota
	// Idempotent operations have no further effect when repeated.
	Idempotent
	// Destructive operations remove or overwrite something.
	Destructive
	// OpenWorld operations reach beyond this server.
	OpenWorld
	// Stores is for those that add or rewrite content: refused while the server has no storage left.
	Stores
	// NoBots refuses keys that act as a bot.
	NoBots
	// Tagged operations have responses with ETags.
	Tagged
	// Absent operations cannot be called on this server: NotFound for callers whom the guard admits.
	Absent
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

// Admits returns nil if by passes the guard of the operation, and otherwise an Unauthenticated or Forbidden error.
func (i *Info) Admits(by store.Viewer) error { return i.Guard.Check(by, i.Hints) }

// admit returns an error if by cannot call the operation.
func (i *Info) admit(by store.Viewer) error {
	if err := i.Admits(by); err != nil {
		return err
	}
	if i.Hints.Has(Absent) {
		return core.ErrNotFound
	}
	if i.When == nil {
		return nil
	}
	return i.When()
}

// hides reports whether results for by lack what needs the scope read. Behind the guard
// Public everybody gets the same.
func (i *Info) hides(by store.Viewer) bool {
	return withoutRead(by) && i.Guard != Public && !i.Hints.Has(ReadOnly)
}

// Operation is what transports know of an operation without its types.
type Operation interface {
	// Info describes the operation.
	Info() *Info
	// Invoke is Call for a transport: after the guard, fill sets the input, a
	// pointer to a zero value of Info().In. The result is a pointer to an
	// Info().Out. repeat is nil without an idempotency key; the error is
	// *Replayed for a request that was answered before.
	Invoke(ctx context.Context, by store.Viewer, repeat *Repeat, fill func(in any) error) (out any, err error)
}

// Func is an operation with input In and result Out. All that it does is in call:
// code with type parameters is compiled once for each operation.
type Func[In, Out any] struct{ call }

type call struct {
	info   Info
	limits *Limits
	run    func(ctx context.Context, by store.Viewer, in any) (out any, err error) // with pointers
}

// New returns the operation that run implements. It panics if the spec is
// incomplete or the tags of In contradict each other: these are mistakes of
// the program, and it cannot start with them.
func New[In, Out any](limits *Limits, run func(context.Context, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	return newFunc(limits, run, run, &spec)
}

// Read is New for what run reads in one state of the database. ErrNoRow becomes NotFound.
func Read[In, Out any](limits *Limits, db *store.DB, run func(*store.Reader, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	spec.Hints |= ReadOnly
	return newFunc(limits, run, func(ctx context.Context, by store.Viewer, in In) (out Out, err error) {
		err = db.Read(ctx, func(r *store.Reader) (err error) {
			out, err = run(r, by, in)
			return err
		})
		return out, core.Found(err)
	}, &spec)
}

// Write is New for what run does in one write. ErrNoRow becomes NotFound.
func Write[In, Out any](limits *Limits, db *store.DB, run func(*store.Tx, store.Viewer, In) (Out, error), spec Spec) *Func[In, Out] {
	return newFunc(limits, run, func(ctx context.Context, by store.Viewer, in In) (out Out, err error) {
		err = db.Write(ctx, func(tx *store.Tx) (err error) {
			out, err = run(tx, by, in)
			return err
		})
		return out, core.Found(err)
	}, &spec)
}

func newFunc[In, Out any](limits *Limits, named any, run func(context.Context, store.Viewer, In) (Out, error), spec *Spec) *Func[In, Out] {
	f := &Func[In, Out]{call{limits: limits, run: func(ctx context.Context, by store.Viewer, in any) (any, error) {
		out, err := run(ctx, by, *in.(*In))
		return &out, err
	}}}
	f.describe(spec, named, reflect.TypeFor[In](), reflect.TypeFor[Out]())
	return f
}

func (c *call) describe(spec *Spec, method any, in, out reflect.Type) {
	info := Info{Spec: *spec, Name: funcName(method), In: in, Out: out}
	var err error
	if info.Plan, err = core.PlanOf(in); err == nil {
		err = spec.Validate()
	}
	if err != nil {
		panic(fmt.Sprintf("op.New: %s: %v", info.Name, err))
	}
	if info.Hints.Has(ReadOnly) {
		info.Rate = limit.Reads
	}
	if info.Stores {
		info.Hints |= Stores
	}
	c.info = info
}

// Info implements Operation.
func (c *call) Info() *Info { return &c.info }

// Call does the operation on behalf of by: it checks the guard, validates and
// normalises in, takes one use of each limit, and runs the method. Errors are
// *core.Error values or internal.
func (f *Func[In, Out]) Call(ctx context.Context, by store.Viewer, in In) (out Out, err error) {
	got, err := f.Invoke(ctx, by, nil, func(to any) error {
		*to.(*In) = in
		return nil
	})
	if got != nil {
		out = *got.(*Out)
	}
	return out, err
}

// Invoke implements Operation.
func (c *call) Invoke(ctx context.Context, by store.Viewer, repeat *Repeat, fill func(in any) error) (out any, err error) {
	// The guard comes first: a caller who may not call learns nothing about
	// the input.
	if err := c.info.admit(by); err != nil {
		return nil, err
	}
	in := reflect.New(c.info.In).Interface()
	if err := fill(in); err != nil {
		return nil, err
	}
	out, err = c.checked(ctx, by, repeat, in)
	if c.info.hides(by) {
		err = hideError(err)
		if out != nil {
			out = hide(out, in, ownText, othersText)
		}
	}
	return out, err
}

// checked runs the operation, once its caller and in, a pointer to the input, are
// checked. out is nil if it did not run.
func (c *call) checked(ctx context.Context, by store.Viewer, repeat *Repeat, in any) (out any, err error) {
	ctx, by, err = c.limits.stillValid(ctx, by, c.info.Guard)
	if err != nil {
		return nil, err
	}
	if c.info.NoBots && by.OwnerID != "" {
		return nil, core.New(core.Forbidden, "not_for_bots", "A bot cannot do this. Do it with your own account, or with a key that acts as you.")
	}
	if err := c.info.Plan.Check(in); err != nil {
		return nil, err
	}
	if err := repeat.begin(ctx, c, by, in); err != nil {
		return nil, err
	}
	if err := c.take(ctx, by); err != nil {
		return nil, err
	}
	err = repeat.once(ctx, func(ctx context.Context) (err error) {
		out, err = c.run(ctx, by, in)
		return err
	})
	return out, err
}

// WithGuard returns the operation behind another guard: for a transport whose
// contract differs, such as one that lets personal keys write.
//
//go:noinline
func (c *call) WithGuard(g Guard) Operation {
	other := *c
	other.info.Guard = g
	return &other
}

// Created is implemented by results of operations that either make something
// or find it there: transports answer the two differently.
type Created interface{ Created() bool }

// Alternative is implemented by results with another body if nothing was made.
type Alternative interface {
	Created
	Bodies() (made, otherwise any)
}

// Accepted is implemented by results that may say that the work is not done yet:
// transports answer that differently.
type Accepted interface{ Accepted() bool }

// Versioned is implemented by results that are one object with a version, which a
// caller can name to change only that.
type Versioned interface{ Version() string }

// BodyReceiver is implemented by inputs of operations that take the whole body of a
// request as it is, up to MaxBody bytes.
type BodyReceiver interface {
	MaxBody() int64
	SetBody([]byte)
}

// funcName returns SendMessage for the method value (*Service).sendMessage.
func funcName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return upperFirst(strings.TrimSuffix(name[strings.LastIndexByte(name, '.')+1:], "-fm"))
}
