package op

import (
	"cmp"
	"context"
	"hash/maphash"
	"strings"
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
	Of    Of     // what By returns; addresses if left out
	Msg   string // what it says before the time to wait, if it is not about requests in general

	owed bool // uses are taken even if the bucket does not hold them
}

// Of is what a limit counts by. Each kind has a table of its own, so that a flood of one
// kind does not end the limits of another.
type Of uint8

const (
	// Addresses are of the network, with or without more: strangers have many.
	Addresses Of = iota
	// Emails are addresses of e-mail that a caller names: they need not exist.
	Emails
	// Accounts are accounts, people and keys that exist. Their buckets are never
	// dropped before they are full again.
	Accounts
	tables
)

// Key returns what a limit counts a call under: an address, an account, a
// member of the input, to which in points.
type Key func(by store.Viewer, in any) string

// ByIP counts by the caller's IPv4 address or IPv6 /64.
func ByIP(by store.Viewer, _ any) string { return by.IP }

// ByPerson counts by the person who stands for the caller, so that an account and its bots
// share the uses.
func ByPerson(by store.Viewer, _ any) string { return by.PersonID() }

// Rate bounds how often one account, or, of what is not counted as text, all bots of one
// person together, do one kind of write: Burst calls at once and then one more every
// Every. Every operation that is not ReadOnly has one.
// Operations that name the same rate share it.
type Rate struct {
	Name  string // that of the operation if empty
	Burst int
	Every time.Duration
}

// Ordinary is the rate of writes that declare none: 100 at once and then one a
// second, which is more than a person does by hand, and too little to fill a disk.
func Ordinary() Rate { return Rate{Burst: 100, Every: time.Second} }

// Frequent is the rate of small changes that programs make for people as they
// read and sort: 300 at once and then ten a second.
func Frequent() Rate { return Rate{Burst: 300, Every: 100 * time.Millisecond} }

// Signals is the rate of what is shown to others and not stored: 30 at once and
// then one a second, for all such operations together.
func Signals() Rate { return Rate{Name: "signals", Burst: 30, Every: time.Second} }

// TextBurst and TextPerDay bound how many bytes of text one person and their bots
// store, with all writes: so much at once, and then so much a day. What a write stores
// beside text, or without any, counts as a third.
const (
	TextBurst  = 32 << 20
	TextPerDay = 64 << 20
)

// AddressTextBurst and AddressTextPerDay are the same for those without an account, for
// an address.
const (
	AddressTextBurst  = 8 << 20
	AddressTextPerDay = 16 << 20
)

// rowsSize is how many bytes of text a call that Stores counts as beside its text: what
// is stored for it otherwise, such as the event.
const rowsSize = 400

// useText counts n bytes of text that by stores, or, if they are owed, has stored. With 0
// it returns an error only if by has stored more than they may.
func (l *Limits) useText(by store.Viewer, n int, owed bool) error {
	limit := Limit{Name: "text", Burst: TextBurst, Every: 24 * time.Hour / TextPerDay, Code: "too_much_text", Of: Accounts, Msg: "You have stored a lot of text in a short time."}
	key := by.PersonID()
	if !by.SignedIn() {
		if by.Kind != store.Anonymous && by.Kind != store.PublicKey {
			return nil // the server itself, and its peer
		}
		limit.Name, limit.Burst, limit.Every, limit.Of = "text of an address", AddressTextBurst, 24*time.Hour/AddressTextPerDay, Addresses
		key = ByIP(by, nil)
	}
	if n == 0 {
		limit.Code, limit.Msg = "too_many_changes", "You have changed a lot in a short time."
	}
	limit.owed = owed
	return l.use(bucketKey{limit: limit.Name, key: key, rate: true}, limit, by.IP, n)
}

// Weighted is implemented by inputs of writes that count as several.
type Weighted interface{ Weight() int }

// Sized is implemented by inputs of operations that store text which is not in their
// members, such as the body of a request.
type Sized interface{ TextSize() int }

// maxBuckets bounds how many buckets of addresses and of addresses of e-mail there are,
// each. When it is reached, the one that is full again first is dropped.
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
	// authenticated: its body may have come much later. In the context that it
	// returns, the first write is refused if the credential has ended until then.
	Valid func(ctx context.Context, by store.Viewer) (context.Context, error)
	// Counted, if set before the first call, is told how many bytes of text a call has
	// counted as, once it has ended: for tests, which compare it with what was stored.
	Counted func(bytes int)
	// Answers, if set before the first call, keeps the answers to requests with
	// an idempotency key.
	Answers *store.DB

	now     func() time.Time
	general bool

	seed maphash.Seed
	mu   sync.Mutex
	// buckets are kept until they are full again, by the hash of their keys.
	buckets [tables]core.Recent[uint64, *rate.Limiter]
}

type bucketKey struct {
	limit, key string
	rate       bool
}

// NewLimits returns limits that count by the clock now. general reports whether
// the rates of writes per account apply; limits always do.
func NewLimits(now func() time.Time, general bool) *Limits {
	l := &Limits{now: now, general: general, seed: maphash.MakeSeed()}
	l.buckets[Addresses].Max, l.buckets[Emails].Max = maxBuckets, maxBuckets
	return l
}

// CheckSpace returns an error while the server has no storage left.
func (l *Limits) CheckSpace(ctx context.Context) error {
	if l == nil || l.Space == nil {
		return nil
	}
	return l.Space(ctx)
}

// Lifted reports whether the limits of writes per account are off, for imports.
func (l *Limits) Lifted() bool { return l != nil && !l.general }

// stillValid returns by, and the context for its operation, if its credential is still
// valid. Behind the guard Public one that is not counts as none.
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

// use takes n uses of the bucket, at most all that it holds, or returns a TooMany
// error with the time to wait for them. Keys of Addresses begin with address, if any.
func (l *Limits) use(key bucketKey, limit Limit, address string, n int) error {
	n = min(n, limit.Burst)
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.buckets[limit.Of]
	if limit.Of != Addresses {
		address = ""
	} else if rest, ok := strings.CutPrefix(key.key, address); ok {
		key.key = t.Fold(address) + rest
	}
	id := maphash.Comparable(l.seed, key)
	b, _ := t.Get(id)
	if b == nil && n == 0 {
		return nil // it is full
	}
	if b == nil {
		b = rate.NewLimiter(rate.Every(limit.Every), limit.Burst)
	}
	if !b.AllowN(now, n) && !(limit.owed && b.ReserveN(now, n).OK()) {
		wait := time.Duration((float64(n) - b.TokensAt(now)) * float64(limit.Every))
		return core.TooManyAfter(wait, cmp.Or(limit.Code, "too_many_requests"), "%s", cmp.Or(limit.Msg, "Too many requests in a short time."))
	}
	full := time.Duration((float64(limit.Burst) - b.TokensAt(now)) * float64(limit.Every))
	t.Set(id, address, b, now.Add(full), now)
	return nil
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

// Use counts one use of the person who stands for by, so that an account and its bots
// share what is left; TooMany if nothing is.
func (q Quota) Use(tx *store.Tx, by store.Viewer) error { return q.UseUnder(tx, by.PersonID()) }

// UseUnder is Use for what is not counted by person.
func (q Quota) UseUnder(tx *store.Tx, key string) error {
	wait, err := tx.UseQuota(q.Name+":"+key, q.Max, q.Window)
	if err == nil && wait > 0 {
		err = core.TooManyAfter(wait, q.Code, "%s", q.Msg)
	}
	return err
}
