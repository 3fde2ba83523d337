package middleware

import (
	"sync"
	"sync/atomic"
	"time"

	"hearth/app/core"
)

// Bounds are what requests may take of a server at once. Zero fields have the
// defaults in the comments.
type Bounds struct {
	Requests int // served at once, streams apart; 1024
	// PerAddress and PerAccount are how many of them one address and one account
	// may have while half of the places are free; 128 and 64. It is less when there
	// are fewer. The same holds for CallerBytes.
	PerAddress, PerAccount int
	// Bytes is how much memory requests may take together for what they receive,
	// read and send; 20 MiB. The first FreeBytes of each are not counted.
	Bytes int64
	// CallerBytes is how much those of one address or account may; 8 MiB. One
	// request at a time may take more.
	CallerBytes int64
	// Volume is how much memory the requests of an account, or of an address
	// without one, may take one after the other, counted in the same way; 64 MiB.
	// VolumePerSecond of it are forgotten every second; 2 MiB.
	Volume, VolumePerSecond int64
	// Unpaced lifts Volume, and answers those who are refused again and again
	// without a delay.
	Unpaced bool
}

const (
	// FreeBytes is how much memory a request may take that is not counted.
	FreeBytes = 64 << 10
	// largeBytes is from how much memory on a request is large, and maxLarge how
	// many of those an address or an account may have at once.
	largeBytes = 512 << 10
	maxLarge   = 2
	// slowAfter is how long a client has before its connection may be closed in
	// favour of others.
	slowAfter = time.Second
)

func (b *Bounds) fill() {
	for _, f := range []struct {
		v   *int
		def int
	}{{&b.Requests, 1024}, {&b.PerAddress, 128}, {&b.PerAccount, 64}} {
		if *f.v <= 0 {
			*f.v = f.def
		}
	}
	for _, f := range []struct {
		v   *int64
		def int64
	}{{&b.Bytes, 20 << 20}, {&b.CallerBytes, 8 << 20}, {&b.Volume, 64 << 20}, {&b.VolumePerSecond, 2 << 20}} {
		if *f.v <= 0 {
			*f.v = f.def
		}
	}
}

// load is what the requests of a server take at the moment.
type load struct {
	Bounds
	now func() time.Time

	mu      sync.Mutex
	in      int
	bytes   int64
	callers map[string]*caller
	waiting map[*place]struct{} // that wait for their clients
	paces   paces
}

// caller is what the requests of an address or an account take.
type caller struct {
	in    int
	bytes int64
	large int // requests that are large
}

func newLoad(b Bounds) *load {
	b.fill()
	l := &load{Bounds: b, now: time.Now, callers: map[string]*caller{}, waiting: map[*place]struct{}{}}
	l.paces.addresses.Max = maxPaces
	return l
}

// place is what one request takes. It is safe for concurrent use, but for
// identify.
type place struct {
	l       *load
	address string
	account string       // "" if it is not known
	moved   atomic.Int64 // bytes that the client has sent or taken

	// The following are guarded by l.mu.
	in    bool
	bytes int64 // with those that are not counted
	fixed int64 // see occupy
	since time.Time
	cut   func() // closes the connection to a client that is waited for
}

// errBusy answers a request when the server has no place or no memory for it.
var errBusy = core.New(core.Unavailable, "busy", "The server is busy. Try again in a second.")

// errCallerBusy answers a request when others of the same caller take too much.
var errCallerBusy = core.New(core.Unavailable, "busy", "Too many of your requests are under way. Wait until some of them have been answered.")

// enter takes a place for a request of an address, and of an account if that is
// known. It fails at once if there is none: waiting would only make the queue
// longer.
func (p *place) enter() error {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.in {
		return nil
	}
	if p.address != "" && l.taken(p.address) >= l.places(l.PerAddress) || p.account != "" && l.taken(p.account) >= l.places(l.PerAccount) {
		return errCallerBusy
	}
	for l.in >= l.Requests {
		if !l.cutSlowest(nil) {
			return errBusy
		}
	}
	p.in = true
	l.add(p, 1, 0, 0)
	return nil
}

// identify counts the request to an account, if there is one. It fails if too
// many of the account are served, or if they took too much lately.
func (p *place) identify(account string) error {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	who := payer{account, true}
	if account == "" {
		who = payer{p.address, false}
	}
	if err := l.overspent(who); err != nil {
		return err
	}
	if account == "" || p.account == account {
		return nil
	}
	if l.taken(account) >= l.places(l.PerAccount) {
		return errCallerBusy
	}
	in, bytes := p.held()
	l.add(p, -in, -bytes, -large(p.bytes))
	p.account = account
	l.add(p, in, bytes, large(p.bytes))
	return nil
}

// places returns how many places a caller may have at the moment, of at most n.
func (l *load) places(n int) int {
	return max(1, int(share(int64(n), int64(l.Requests-l.in), int64(l.Requests))))
}

// share returns how much a caller may take of what most callers share: limit
// while at least half of it is free, and the less the less is free. However many
// callers take all they can, something is left for the others.
func share(limit, free, all int64) int64 {
	if 2*free >= all {
		return limit
	}
	return max(0, limit*2*free/all)
}

// held returns what is counted for the request.
func (p *place) held() (in int, bytes int64) {
	if p.in {
		in = 1
	}
	return in, counted(p.bytes) + p.fixed
}

// occupy counts n bytes more until settle is called: what it takes to handle the request,
// whatever it is about. They are no volume. It fails if there is no memory for them.
func (p *place) occupy(n int64) error {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.set(p.bytes, n)
}

// charge adds n bytes to what the request takes. It fails if there is no memory
// for them.
func (p *place) charge(n int64) error {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.set(p.bytes+n, p.fixed)
}

// settle makes n bytes all that the request takes.
func (p *place) settle(n int64) error {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	return p.set(n, 0)
}

func (p *place) set(n, fixed int64) error {
	_, before := p.held()
	l, volume, more := p.l, counted(n)-counted(p.bytes), counted(n)+fixed-before
	if more > 0 {
		for _, key := range []string{p.address, p.account} {
			c := l.callers[key]
			if c == nil {
				continue
			}
			if c.bytes > before && c.bytes+more > share(l.CallerBytes, l.Bytes-l.bytes, l.Bytes) || c.large >= maxLarge && large(n) > large(p.bytes) {
				return errCallerBusy
			}
		}
		for l.bytes+more > l.Bytes {
			if !l.cutSlowest(p) {
				return errBusy
			}
		}
	}
	if volume > 0 && !l.Unpaced {
		l.took(p.payer(), volume)
	}
	l.add(p, 0, more, large(n)-large(p.bytes))
	p.bytes, p.fixed = n, fixed
	return nil
}

// large returns 1 if a request of n bytes is large.
func large(n int64) int {
	if counted(n) >= largeBytes {
		return 1
	}
	return 0
}

// counted returns how many of n bytes of a request count.
func counted(n int64) int64 { return max(0, n-FreeBytes) }

// pause gives the place back while the client sends its request, but not the
// memory. It reports whether there was one.
func (p *place) pause() bool {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	if !p.in {
		return false
	}
	p.in = false
	p.l.add(p, -1, 0, 0)
	return true
}

// leave gives back all that the request takes.
func (p *place) leave() {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	p.give()
	delete(p.l.waiting, p)
}

func (p *place) give() {
	in, bytes := p.held()
	p.l.add(p, -in, -bytes, -large(p.bytes))
	p.in, p.bytes, p.fixed = false, 0, 0
}

// wait notes that the request waits for its client. Cut closes the connection,
// and is called with the lock of the load.
func (p *place) wait(cut func()) {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	if p.cut = cut; p.since.IsZero() {
		p.since = p.l.now()
	}
	p.l.waiting[p] = struct{}{}
}

// progress notes that the client has sent or taken n bytes.
func (p *place) progress(n int) { p.moved.Add(int64(n)) }

// ready notes that the request does not wait for its client any more.
func (p *place) ready() {
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	delete(p.l.waiting, p)
	p.since = time.Time{}
	p.moved.Store(0)
}

// taken returns how many places a caller has. l.mu must be held.
func (l *load) taken(key string) int {
	if c := l.callers[key]; c != nil {
		return c.in
	}
	return 0
}

// add counts a request, its bytes and whether it is large. l.mu must be held.
func (l *load) add(p *place, in int, bytes int64, large int) {
	l.in += in
	l.bytes += bytes
	for _, key := range [2]string{p.address, p.account} {
		if key == "" {
			continue
		}
		c := l.callers[key]
		if c == nil {
			c = &caller{}
			l.callers[key] = c
		}
		c.in += in
		c.large += large
		if c.bytes += bytes; c.in == 0 && c.bytes == 0 {
			delete(l.callers, key)
		}
	}
}

// cutSlowest closes the connection whose client has been the slowest for more
// than a second, other than that of p, and reports whether there was one. What
// its request takes is free at once. l.mu must be held.
func (l *load) cutSlowest(but *place) bool {
	var slowest *place
	var least float64
	now := l.now()
	for p := range l.waiting {
		took := now.Sub(p.since)
		if in, bytes := p.held(); p == but || took < slowAfter || in == 0 && bytes == 0 {
			continue
		}
		if rate := float64(p.moved.Load()) / took.Seconds(); slowest == nil || rate < least {
			slowest, least = p, rate
		}
	}
	if slowest == nil {
		return false
	}
	delete(l.waiting, slowest)
	slowest.give()
	slowest.cut()
	return true
}
