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

// Config has the settings of a Queue.
type Config struct {
	DB   *store.DB
	Log  *slog.Logger
	Name string // of its work, for the log
	// Fill adds work that follows from the event log, before the queue looks for what is due. It may be nil.
	Fill func(context.Context) error
	// Waiting returns the queues with work that waits, the first due first. The work of one is attempted one after the other.
	Waiting func(*store.Reader) ([]store.WaitingQueue, error)
	// Attempt does the first work of a queue that is due, and records what came of it. ErrNoRow means that none is.
	Attempt func(context.Context, store.Queue) error
	// Delays between the attempts of a piece of work; nil means those of Delays.
	Delays []time.Duration
}

// Queue attempts work in the background. It is safe for concurrent use.
type Queue struct {
	Config

	running  map[store.Queue]string // hosts of the attempts under way; of run alone
	hosts    map[string]int         // how many attempts they are
	wake     chan struct{}
	finished chan store.Queue
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
func New(c Config) *Queue {
	if len(c.Delays) == 0 {
		c.Delays = Delays()
	}
	q := &Queue{Config: c, running: map[store.Queue]string{}, hosts: map[string]int{}, wake: make(chan struct{}, 1),
		finished: make(chan store.Queue, maxParallel), ended: make(chan struct{})}
	q.stopping, q.stop = context.WithCancel(context.Background())
	return q
}

// Start attempts what waits in the database, and from then on what is added. It must be called once at most.
func (q *Queue) Start(ctx context.Context) {
	ctx, q.cancel = context.WithCancel(ctx)
	go q.run(ctx)
}

// Wake makes the queue look for work that is due. It does not block.
func (q *Queue) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run starts attempts until the queue stops, and then waits for those under way.
func (q *Queue) run(ctx context.Context) {
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

func (q *Queue) end(key store.Queue) {
	host := q.running[key]
	delete(q.running, key)
	if q.hosts[host]--; q.hosts[host] == 0 {
		delete(q.hosts, host)
	}
}

// startDue starts the attempts that are due, the oldest first, and returns how long to sleep until the next one is due.
func (q *Queue) startDue(ctx context.Context) (sleep time.Duration) {
	waiting, err := q.look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			q.Log.Warn(q.Name+" could not be read", "error", err)
		}
		return retryTime
	}
	now, sleep := q.DB.Now(), time.Duration(math.MaxInt64)
	for _, w := range waiting {
		sleep = min(sleep, maxSleep)
		if _, running := q.running[w.Queue]; running {
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
		q.running[w.Queue] = host
		q.hosts[host]++
		go func() {
			q.attempt(ctx, w.Queue)
			q.finished <- w.Queue
		}()
	}
	return sleep
}

func (q *Queue) look(ctx context.Context) (waiting []store.WaitingQueue, err error) {
	if q.Fill != nil {
		if err := q.Fill(ctx); err != nil {
			return nil, err
		}
	}
	return store.Get(ctx, q.DB, q.Waiting)
}

// attempt pauses after an error of the database, and then the work is done again.
func (q *Queue) attempt(ctx context.Context, key store.Queue) {
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
func (q *Queue) IsDue(due, now store.Time) bool {
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
func (q *Queue) Stop() { q.stop() }

// Close stops the queue, waits until ctx ends for the attempts under way, ends those that remain, and records what came
// of them. What was ended is attempted again after the next start. It returns at once if the queue was not started.
func (q *Queue) Close(ctx context.Context) {
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
