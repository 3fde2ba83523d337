package account

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearth/app/core"
	"hearth/store"
)

// maxBuckets bounds the memory of a limiter; when it is reached, buckets that
// have filled up again are dropped, and if there are none, all.
const maxBuckets = 50_000

// limiter grants a burst of uses to each name, and then one more every so
// often. It forgets at a restart.
type limiter struct {
	burst int
	every time.Duration

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newLimiter(burst int, every time.Duration) *limiter {
	return &limiter{burst: burst, every: every, buckets: map[string]*rate.Limiter{}}
}

// use takes one use of name at now, or says in a TooMany error when to return.
func (l *limiter) use(name string, now store.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[name]
	if !ok {
		l.makeRoom(now.Go())
		b = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.buckets[name] = b
	}
	at := now.Go()
	if b.AllowN(at, 1) {
		return nil
	}
	wait := time.Duration((1 - b.TokensAt(at)) * float64(l.every))
	return core.TooManyAfter(wait, "too_many_tries", "That was too often in a short time. Wait a little, then try again.")
}

func (l *limiter) makeRoom(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for name, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, name)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}
