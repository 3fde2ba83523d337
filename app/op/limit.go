package op

import (
	"context"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// Limits are what all operations of a server check besides their own rules. A nil *Limits limits nothing: for services
// that only describe their operations. Fields are set before the first call.
type Limits struct {
	// Rates are the rates of calls.
	Rates *limit.Limits
	// Space returns an error while the server has no storage left for operations that add content.
	Space func(ctx context.Context) error
	// Valid returns Unauthenticated if the credential of a caller who is signed in has ended since the request was
	// authenticated: its body may have come much later. In the context that it returns, the first write is refused if the
	// credential has ended until then.
	Valid func(ctx context.Context, by store.Viewer) (context.Context, error)
	// Answers keeps the answers to requests with an idempotency key.
	Answers *store.DB
}

// NewLimits returns limits that count by the clock now. general reports whether the general rates apply.
func NewLimits(now func() time.Time, general bool) *Limits {
	return &Limits{Rates: limit.New(now, !general)}
}

// CheckSpace returns an error while the server has no storage left.
func (l *Limits) CheckSpace(ctx context.Context) error {
	if l == nil || l.Space == nil {
		return nil
	}
	return l.Space(ctx)
}

// Lifted reports whether the general rates are off, for imports.
func (l *Limits) Lifted() bool { return l != nil && l.Rates.Off() }

// take counts a call against the limits of the operation, once there is storage for it.
func (o *Operation) take(ctx context.Context, by store.Viewer) error {
	if o.limits == nil {
		return nil
	}
	if o.info.Hints.Has(Stores) {
		if err := o.limits.CheckSpace(ctx); err != nil {
			return err
		}
	}
	general := limit.Writes
	for _, r := range o.info.Limits {
		switch rule := r.Rule(); {
		case rule.General:
			general = r
		case !rule.Stored: // the operation counts the stored ones in its write
			if err := o.limits.Rates.Call(r, by); err != nil {
				return err
			}
		}
	}
	switch {
	case o.info.Hints.Has(ReadOnly):
		return o.limits.Rates.Call(limit.Reads, by)
	case by.SignedIn():
		return o.limits.Rates.Call(general, by)
	}
	return nil
}

// stillValid returns by, and the context for its operation, if its credential is still valid. Behind the guard Public
// one that is not counts as none.
func (l *Limits) stillValid(ctx context.Context, by store.Viewer, g Guard) (context.Context, store.Viewer, error) {
	if l == nil || l.Valid == nil || !by.SignedIn() {
		return ctx, by, nil
	}
	judged, err := l.Valid(ctx, by)
	if g == Public && core.IsKind(err, core.Unauthenticated) {
		return ctx, store.Viewer{Device: by.Device, IP: by.IP}, nil
	}
	return judged, by, err
}
