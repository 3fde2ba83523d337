// Package webhook delivers messages to webhooks. Deliveries are rows of the database, added in the write that sends the
// message. They stay until an attempt succeeds or the last one fails. A delivery that was under way when the server was
// killed is made again, with the same id.
package webhook

import (
	"context"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"hearth/app/fetch"
	"hearth/store"
)

// Config has the settings of a Worker.
type Config struct {
	DB    *store.DB
	Fetch *fetch.Client
	Log   *slog.Logger
	// Delays between the attempts of a delivery, instead of delays of about 24 hours in all: for tests.
	Delays []time.Duration
}

// Worker attempts deliveries. It is safe for concurrent use.
type Worker struct {
	Config
	timeout time.Duration // of an attempt

	running  map[store.Queue]string // hosts of the attempts under way; of run alone
	hosts    map[string]int         // how many attempts they are
	wake     chan struct{}
	finished chan store.Queue
	stopping context.Context
	stop     context.CancelFunc
	cancel   context.CancelFunc // ends the attempts under way; nil before Start
	ended    chan struct{}      // the attempts have ended and are recorded
	attempts atomic.Int64
	failures atomic.Int64
}

const (
	// attemptTime bounds an attempt, from the resolution of the name to the header of the response.
	attemptTime = 10 * time.Second
	maxParallel = 128
	maxPerHost  = 8
	// maxSleep is how long the worker sleeps at most while a delivery waits: the clock may be set.
	maxSleep = 30 * time.Second
	// retryTime is the pause after the database could not be read or written.
	retryTime = 5 * time.Second
)

// New returns a worker, which attempts nothing before Start.
func New(c Config) *Worker {
	if len(c.Delays) == 0 {
		c.Delays = delays()
	}
	w := &Worker{Config: c, timeout: attemptTime, running: map[store.Queue]string{}, hosts: map[string]int{}, wake: make(chan struct{}, 1),
		finished: make(chan store.Queue, maxParallel), ended: make(chan struct{})}
	w.stopping, w.stop = context.WithCancel(context.Background())
	return w
}

// Start attempts what waits in the database, and from then on what is added. It must be called once at most.
func (w *Worker) Start(ctx context.Context) {
	w.DB.OnDeliveries(w.Wake)
	ctx, w.cancel = context.WithCancel(ctx)
	go w.run(ctx)
}

// Wake makes the worker look for deliveries that are due.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run starts attempts until the worker stops, and then waits for those under way.
func (w *Worker) run(ctx context.Context) {
	defer close(w.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-w.wake:
		case <-timer.C:
		case q := <-w.finished:
			w.end(q)
		case <-w.stopping.Done():
			for len(w.running) > 0 {
				w.end(<-w.finished)
			}
			return
		}
		timer.Reset(w.startDue(ctx))
	}
}

func (w *Worker) end(q store.Queue) {
	host := w.running[q]
	delete(w.running, q)
	if w.hosts[host]--; w.hosts[host] == 0 {
		delete(w.hosts, host)
	}
}

// startDue starts the attempts that are due, the oldest first, and returns how long to sleep until the next one is due.
func (w *Worker) startDue(ctx context.Context) (sleep time.Duration) {
	queues, err := store.Get(ctx, w.DB, (*store.Reader).WaitingQueues)
	if err != nil {
		if ctx.Err() == nil {
			w.Log.Warn("deliveries to webhooks could not be read", "error", err)
		}
		return retryTime
	}
	now, sleep := w.DB.Now(), time.Duration(math.MaxInt64)
	for _, q := range queues {
		sleep = min(sleep, maxSleep)
		if _, running := w.running[q.Queue]; running {
			continue
		}
		if !w.isDue(q.Due, now) {
			sleep = min(sleep, max(q.Due.Sub(now), time.Millisecond))
			continue
		}
		host := hostOf(q.URL)
		if len(w.running) >= maxParallel || w.hosts[host] >= maxPerHost {
			continue
		}
		w.running[q.Queue] = host
		w.hosts[host]++
		go func() {
			w.attempt(ctx, q.Queue)
			w.finished <- q.Queue
		}()
	}
	return sleep
}

// isDue reports whether a delivery is to be attempted now. One that is due later than an attempt is ever put off is of a
// time before the clock was set back.
func (w *Worker) isDue(due, now store.Time) bool {
	return due <= now || due > now.Add(max(slices.Max(w.Delays), maxRetryAfter))
}

func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Stop starts no more attempts.
func (w *Worker) Stop() { w.stop() }

// Close stops the worker, waits until ctx ends for the attempts under way, ends those that remain, and records what came
// of them. What was ended is attempted again after the next start. It returns at once if the worker was not started.
func (w *Worker) Close(ctx context.Context) {
	if w.cancel == nil {
		return
	}
	w.stop()
	select {
	case <-w.ended:
	case <-ctx.Done():
	}
	w.cancel()
	<-w.ended
	w.Fetch.CloseIdleConnections()
}

// Waiting returns how many deliveries wait; -1 if that cannot be read.
func (w *Worker) Waiting() (n int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := w.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
		n, err = r.WaitingDeliveries()
		return err
	})
	if err != nil {
		return -1
	}
	return n
}

// Attempts returns how many attempts were made, and how many of them failed.
func (w *Worker) Attempts() (made, failed int64) { return w.attempts.Load(), w.failures.Load() }
