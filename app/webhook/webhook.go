// Package webhook delivers messages to webhooks. What is to be delivered is in
// the database, queued there in the write that sent the message, and stays there
// until an attempt succeeded or the last one failed: nothing is lost when the
// server is killed, and a delivery that was under way then is made again, with
// the same id.
package webhook

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hearth/app/fetch"
	"hearth/store"
)

// Config is what New needs.
type Config struct {
	DB    *store.DB
	Fetch *fetch.Client
	Log   *slog.Logger
	// Delays between the attempts of a delivery, instead of those of about 24
	// hours: for tests.
	Delays []time.Duration
}

// Worker attempts deliveries. It is safe for concurrent use.
type Worker struct {
	db     *store.DB
	client *fetch.Client
	log    *slog.Logger
	delays []time.Duration

	timeout    time.Duration // of an attempt
	maxWaiting int           // deliveries to webhooks of one person and their bots

	mu       sync.Mutex
	schedule *schedule
	stopping bool
	looked   store.Time     // the clock at the last look
	added    map[string]int // deliveries since those of a person were counted, by the person
	toCount  []string       // people whose deliveries are to be counted

	wake     chan struct{}
	left     chan struct{} // there are deliveries to add
	finished chan finished
	stop     context.CancelFunc // ends the attempts under way
	ended    chan struct{}      // the attempts have ended and are recorded
	drops    sync.WaitGroup     // what waits for disabled webhooks is skipped
	attempts atomic.Int64
	failures atomic.Int64
}

// attemptTime bounds an attempt, from the resolution of the name to the header
// of the response.
const attemptTime = 10 * time.Second

// New returns a worker, which attempts nothing before Start.
func New(c Config) *Worker {
	if len(c.Delays) == 0 {
		c.Delays = delays()
	}
	return &Worker{
		db: c.DB, client: c.Fetch, log: c.Log, delays: c.Delays, timeout: attemptTime, maxWaiting: maxWaiting, added: map[string]int{}, schedule: newSchedule(limits{all: 128, failing: 64, person: 16, each: 4}),
		wake: make(chan struct{}, 1), left: make(chan struct{}, 1), finished: make(chan finished, 256), ended: make(chan struct{}),
	}
}

// Start attempts what waits in the database, and from then on what is added. It
// must be called once at most.
func (w *Worker) Start(ctx context.Context) error {
	w.db.OnDeliveries(w.add)
	var queues []store.Queue
	err := w.db.ReadLong(ctx, func(r *store.Reader) (err error) {
		queues, err = r.WaitingQueues()
		return err
	})
	if err != nil {
		return err
	}
	w.add(queues, false)
	w.add(nil, false) // what was left before the last stop
	ctx, w.stop = context.WithCancel(ctx)
	go w.run(ctx)
	return nil
}

// add adds queues to the schedule. Without one, there are deliveries to add.
func (w *Worker) add(queues []store.Queue, hastened bool) {
	if len(queues) == 0 {
		wake(w.left)
		return
	}
	w.mu.Lock()
	w.countAdded(queues)
	w.schedule.add(queues, hastened)
	w.mu.Unlock()
	w.Wake()
}

// Wake makes the worker look at the clock: for tests that turn it.
func (w *Worker) Wake() { wake(w.wake) }

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// maxSleep is how long the worker sleeps at most: the clock may be set.
const maxSleep = 30 * time.Second

// run starts attempts until the worker stops, and then waits for those under
// way.
func (w *Worker) run(ctx context.Context) {
	var recorder, attempts, adder sync.WaitGroup
	recorder.Go(w.record)
	ctxAdd, stopAdd := context.WithCancel(ctx)
	adder.Go(func() { w.addLeft(ctxAdd) })
	defer close(w.ended)
	defer w.drops.Wait()
	defer recorder.Wait()
	defer close(w.finished)
	defer attempts.Wait()
	defer adder.Wait()
	defer stopAdd()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-w.wake:
		case <-timer.C:
		}
		started, sleep, stopping := w.due()
		if stopping {
			return
		}
		for _, q := range started {
			attempts.Go(func() { w.finished <- w.attempt(ctx, q) })
		}
		timer.Reset(sleep)
	}
}

// due returns the queues to attempt now, and how long to sleep until the next is
// due.
func (w *Worker) due() (start []*queue, sleep time.Duration, stopping bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopping {
		return nil, 0, true
	}
	now := w.db.Now()
	if now < w.looked.Add(-time.Minute) {
		w.schedule.wakeAll()
	}
	w.looked = now
	for q := w.schedule.next(now); q != nil; q = w.schedule.next(now) {
		start = append(start, q)
	}
	sleep = maxSleep
	if at := w.schedule.nextDue(); at != 0 {
		sleep = min(sleep, max(at.Sub(now), time.Millisecond))
	}
	return start, sleep, false
}

func (w *Worker) isStopping() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopping
}

// Stop starts no more attempts.
func (w *Worker) Stop() {
	w.mu.Lock()
	w.stopping = true
	w.mu.Unlock()
	w.Wake()
}

// Close stops the worker, waits until ctx ends for the attempts under way, ends
// those that remain, and records what came of them. What was ended is attempted
// again after the next start. It returns at once if the worker was not started.
func (w *Worker) Close(ctx context.Context) {
	if w.stop == nil {
		return
	}
	w.Stop()
	select {
	case <-w.ended:
	case <-ctx.Done():
	}
	w.stop()
	<-w.ended
	w.client.CloseIdleConnections()
}

// Attempts returns how many attempts were made, and how many of them failed.
func (w *Worker) Attempts() (made, failed int64) { return w.attempts.Load(), w.failures.Load() }
