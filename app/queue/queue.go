// Package queue attempts work that waits in the database, such as deliveries to other servers, until it succeeds. What was
// under way when the server was killed waits still, and is attempted again.
package queue

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"time"

	"hearth/store"
)

// Waiting is the first piece of work of a line that waits.
type Waiting[K comparable] struct {
	Key K          // of the line, whose work is attempted one after the other
	Due store.Time // by the wall clock
	URL string     // that it is sent to
}

// Config has the settings of a Queue.
type Config[K comparable] struct {
	DB   *store.DB
	Log  *slog.Logger
	Name string // of its work, for the log
	// Waiting returns the lines with work that waits, the first due first.
	Waiting func(*store.Reader) ([]Waiting[K], error)
	// Attempt does the first work of a line that is due, and records what came of it. ErrNoRow means that none is.
	Attempt func(context.Context, K) error
	// Delays between the attempts of a piece of work; nil means those of Delays.
	Delays []time.Duration
}

// Queue attempts work in the background. It is safe for concurrent use.
type Queue[K comparable] struct {
	Config[K]

	running  map[K]string   // hosts of the attempts under way; of run alone
	hosts    map[string]int // how many attempts they are
	wake     chan struct{}
	finished chan K
	stopping context.Context
	stop     context.CancelFunc
	cancel   context.CancelFunc // ends the attempts under way; nil before Start
	ended    chan struct{}      // the attempts have ended and are recorded
}

const (
	maxParallel = 128
	maxPerHost  = 8
	// maxSleep is how long the queue sleeps at most while work waits: the clock may be set.
	maxSleep = 30 * time.Second
	// retryTime is the pause after the database could not be read or written.
	retryTime = 5 * time.Second
)

// New returns a queue, which attempts nothing before Start.
func New[K comparable](c Config[K]) *Queue[K] {
	if len(c.Delays) == 0 {
		c.Delays = Delays()
	}
	q := &Queue[K]{Config: c, running: map[K]string{}, hosts: map[string]int{}, wake: make(chan struct{}, 1),
		finished: make(chan K, maxParallel), ended: make(chan struct{})}
	q.stopping, q.stop = context.WithCancel(context.Background())
	return q
}

// Start attempts what waits in the database, and from then on what is added. It must be called once at most.
func (q *Queue[K]) Start(ctx context.Context) {
	ctx, q.cancel = context.WithCancel(ctx)
	go q.run(ctx)
}

// Wake makes the queue look for work that is due. It does not block.
func (q *Queue[K]) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run starts attempts until the queue stops, and then waits for those under way.
func (q *Queue[K]) run(ctx context.Context) {
	defer close(q.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-q.wake:
		case <-timer.C:
		case key := <-q.finished:
			q.end(key)
		case <-q.stopping.Done():
			for len(q.running) > 0 {
				q.end(<-q.finished)
			}
			return
		}
		timer.Reset(q.startDue(ctx))
	}
}

func (q *Queue[K]) end(key K) {
	host := q.running[key]
	delete(q.running, key)
	if q.hosts[host]--; q.hosts[host] == 0 {
		delete(q.hosts, host)
	}
}

// startDue starts the attempts that are due, the oldest first, and returns how long to sleep until the next one is due.
func (q *Queue[K]) startDue(ctx context.Context) (sleep time.Duration) {
	waiting, err := store.Get(ctx, q.DB, q.Waiting)
	if err != nil {
		if ctx.Err() == nil {
			q.Log.Warn(q.Name+" could not be read", "error", err)
		}
		return retryTime
	}
	now, sleep := q.DB.Now(), time.Duration(math.MaxInt64)
	for _, w := range waiting {
		sleep = min(sleep, maxSleep)
		if _, running := q.running[w.Key]; running {
			continue
		}
		if !q.IsDue(w.Due, now) {
			sleep = min(sleep, max(w.Due.Sub(now), time.Millisecond))
			continue
		}
		host := hostOf(w.URL)
		if len(q.running) >= maxParallel || q.hosts[host] >= maxPerHost {
			continue
		}
		q.running[w.Key] = host
		q.hosts[host]++
		go func() {
			q.attempt(ctx, w.Key)
			q.finished <- w.Key
		}()
	}
	return sleep
}

// attempt pauses after an error of the database, and then the work is done again.
func (q *Queue[K]) attempt(ctx context.Context, key K) {
	err := q.Attempt(ctx, key)
	if err == nil || errors.Is(err, store.ErrNoRow) || ctx.Err() != nil {
		return
	}
	q.Log.Warn(q.Name+" could not be read or recorded; the last attempt is repeated", "key", key, "error", err)
	select {
	case <-time.After(retryTime):
	case <-ctx.Done():
	case <-q.stopping.Done():
	}
}

// IsDue reports whether work is to be attempted now. What is due later than an attempt is ever put off is of a time before
// the clock was set back.
func (q *Queue[K]) IsDue(due, now store.Time) bool {
	return due <= now || due > now.Add(max(slices.Max(q.Delays), MaxRetryAfter))
}

func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Stop starts no more attempts.
func (q *Queue[K]) Stop() { q.stop() }

// Close stops the queue, waits until ctx ends for the attempts under way, ends those that remain, and records what came
// of them. What was ended is attempted again after the next start. It returns at once if the queue was not started.
func (q *Queue[K]) Close(ctx context.Context) {
	if q.cancel == nil {
		return
	}
	q.stop()
	select {
	case <-q.ended:
	case <-ctx.Done():
	}
	q.cancel()
	<-q.ended
}
