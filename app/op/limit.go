package op

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearth/app/core"
	"hearth/store"
)

// Limit bounds how often an operation is called: Burst calls at once and then
// one more every Every, for each key. Operations that name the same limit
// share its buckets. The buckets are in memory and start full after a restart;
// a limit that must outlive one is a Quota.
type Limit struct {
	Name  string
	Burst int
	Every time.Duration
	By    Key
	Code  string // of the TooMany error; "too_many_requests" if empty
}

// Key returns what a limit counts a call under: an address, an account, a
// member of the input, to which in points.
type Key func(by store.Viewer, in any) string

// ByIP counts by the caller's IPv4 address or IPv6 /64.
func ByIP(by store.Viewer, _ any) string { return by.IP }

// generalLimit is the limit of each kind of write per account: far above what a
// person does by hand, low enough that one account cannot fill the disk in an
// hour.
func generalLimit() Limit { return Limit{Burst: 600, Every: 50 * time.Millisecond} }

// maxBuckets bounds the memory of Limits. When it is reached, buckets that are
// full again are dropped, and if there are none, all.
const maxBuckets = 100_000

// Limits holds the buckets of all limits of a server. It is safe for
// concurrent use. A nil *Limits limits nothing: for services that only
// describe their operations.
type Limits struct {
	// Space, if set before the first call, returns an error while the server has
	// no storage left for operations that add content.
	Space func(ctx context.Context) error
	// Valid, if set before the first call, returns Unauthenticated if the
	// credential of a caller who is signed in has ended since the request was
	// authenticated: its body may have come much later.
	Valid func(ctx context.Context, by store.Viewer) error
	// Answers, if set before the first call, keeps the answers to requests with
	// an idempotency key.
	Answers *store.DB

	now     func() time.Time
	general bool

	mu      sync.Mutex
	buckets map[bucketKey]*rate.Limiter
}

type bucketKey struct{ limit, key string }

// NewLimits returns limits that count by the clock now. general reports whether
// the general limit of writes per account applies; limits that operations
// declare always do.
func NewLimits(now func() time.Time, general bool) *Limits {
	return &Limits{now: now, general: general, buckets: map[bucketKey]*rate.Limiter{}}
}

// stillValid returns by if its credential is still valid. Behind the guard Public
// one that is not counts as none.
func (l *Limits) stillValid(ctx context.Context, by store.Viewer, g Guard) (store.Viewer, error) {
	if l == nil || l.Valid == nil || !by.SignedIn() {
		return by, nil
	}
	err := l.Valid(ctx, by)
	if g == Public && core.IsKind(err, core.Unauthenticated) {
		return store.Viewer{Device: by.Device, IP: by.IP}, nil
	}
	return by, err
}

// use takes one use of the bucket, or returns a TooMany error with the time
// to wait for the next.
func (l *Limits) use(key bucketKey, limit Limit) error {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[key]
	if !ok {
		l.evict(now)
		b = rate.NewLimiter(rate.Every(limit.Every), limit.Burst)
		l.buckets[key] = b
	}
	if b.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - b.TokensAt(now)) * float64(limit.Every))
	return core.TooManyAfter(wait, cmp.Or(limit.Code, "too_many_requests"), "Too many requests in a short time. Wait a moment, then try again.")
}

func (l *Limits) evict(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for key, b := range l.buckets {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(l.buckets, key)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// Quota is a limit that outlives a restart: Max uses for each key within
// Window. An operation that declares it counts a use in the write that it
// belongs to, so that what fails is not counted.
type Quota struct {
	Name   string
	Max    int
	Window time.Duration
	Code   string // of the TooMany error
	Msg    string // what to do instead
}

// Use counts one use under key; TooMany if none is left.
func (q Quota) Use(tx *store.Tx, key string) error {
	wait, err := tx.UseQuota(q.Name+":"+key, q.Max, q.Window)
	if err == nil && wait > 0 {
		err = core.TooManyAfter(wait, q.Code, "%s", q.Msg)
	}
	return err
}
