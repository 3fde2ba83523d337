// Package limit limits the use of the server. It has the table of all limits, and is the only source of 429,
// 503 and 507.
package limit

import (
	"cmp"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearth/app/core"
	"hearth/store"
)

// maxBuckets is the limit of buckets. At the limit full buckets are dropped, then any.
const maxBuckets = 100_000

// Limits has a token bucket for each rate and key. It is safe for concurrent use. A nil *Limits has no
// limits.
type Limits struct {
	now func() time.Time
	off bool

	mu      sync.Mutex
	buckets map[bucket]*rate.Limiter
}

type bucket struct {
	rate Rate
	key  string
}

// New returns limits on the clock now. off disables the general rates.
func New(now func() time.Time, off bool) *Limits {
	return &Limits{now: now, off: off, buckets: map[bucket]*rate.Limiter{}}
}

// Off reports whether the general rates are disabled, for imports and benchmarks.
func (l *Limits) Off() bool { return l != nil && l.off }

// Call uses a call of the rate r. It returns a TooMany error if none is left.
func (l *Limits) Call(r Rate, by store.Viewer) error { return l.Use(r, r.Rule().key(by)) }

// Use is Call with an explicit key.
func (l *Limits) Use(r Rate, key string) error {
	rule := r.Rule()
	if l == nil || l.off && rule.General {
		return nil
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	id := bucket{r, key}
	b := l.buckets[id]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.drop(now)
		}
		b = rate.NewLimiter(rate.Limit(float64(rule.N)/rule.In.Seconds()), rule.N)
		l.buckets[id] = b
	}
	if b.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - b.TokensAt(now)) / float64(b.Limit()) * float64(time.Second))
	return rule.tooMany(wait)
}

// Sent charges by for a response of n bytes. The charge delays the next read.
func (l *Limits) Sent(by store.Viewer, n int) {
	if l == nil || l.off {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[bucket{Reads, Reads.Rule().key(by)}]; b != nil {
		b.ReserveN(l.now(), min(n/ReadUnit, b.Burst()))
	}
}

// ReadUnit is the number of bytes that count as one more read.
const ReadUnit = 8 << 10

func (l *Limits) drop(now time.Time) {
	for id, b := range l.buckets {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(l.buckets, id)
		}
	}
	for id := range l.buckets {
		if len(l.buckets) <= maxBuckets*9/10 {
			return
		}
		delete(l.buckets, id)
	}
}

func (r Rule) tooMany(wait time.Duration) error {
	return core.TooManyAfter(wait, cmp.Or(r.Code, "too_many_requests"), "%s", cmp.Or(r.Msg, "Too many requests in a short time."))
}

// Wait returns the TooMany error of r, with d until the next try.
func (r Rate) Wait(d time.Duration) error { return r.Rule().tooMany(d) }

// UseStored uses n calls of a stored quota. It returns a TooMany error if they are not left. An operation
// calls it in its own write, so that failures do not count.
func (r Rate) UseStored(tx *store.Tx, key string, n int) error {
	rule := r.Rule()
	wait, err := tx.UseQuotas(rule.Name+":"+key, n, rule.N, rule.In)
	if err == nil && wait > 0 {
		err = rule.tooMany(wait)
	}
	return err
}

// CallStored is UseStored for one call of by.
func (r Rate) CallStored(tx *store.Tx, by store.Viewer) error {
	return r.UseStored(tx, r.Rule().key(by), 1)
}

// CountAdditions counts accounts that by adds to a group or a list, in the same write.
func CountAdditions(tx *store.Tx, by store.Viewer, userIDs ...string) error {
	err := Additions.UseStored(tx, by.PersonID(), len(userIDs))
	for _, id := range userIDs {
		err = cmp.Or(err, Added.UseStored(tx, id, 1))
	}
	return err
}

func (r Rule) key(by store.Viewer) string {
	switch r.Per {
	case Person:
		return cmp.Or(by.PersonID(), by.IP)
	case Key:
		return by.KeyID
	case Address:
		return by.IP
	}
	return ""
}

// AddressKey returns an IPv4 address, or the /64 of an IPv6 address, because one customer usually has all of
// it. It returns "unknown" for an invalid address.
func AddressKey(ip netip.Addr) string {
	switch ip = ip.Unmap().WithZone(""); {
	case !ip.IsValid():
		return "unknown"
	case ip.Is4():
		return ip.String()
	}
	p, _ := ip.Prefix(64)
	return p.String()
}
