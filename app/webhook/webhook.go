// Package webhook delivers messages to webhooks. Deliveries are rows of the database, added in the write that sends the
// message. They stay until an attempt succeeds or the last one fails. A delivery that was under way when the server was
// killed is made again, with the same id.
package webhook

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"hearth/app/fetch"
	"hearth/app/queue"
	"hearth/store"
)

// A webhook is disabled once it has failed for so long, with so many deliveries given up and none that succeeded.
const (
	disableAfter    = 3 * 24 * time.Hour
	disableFailures = 3
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
	*queue.Queue
	cfg      Config
	timeout  time.Duration // of an attempt
	attempts atomic.Int64
	failures atomic.Int64
}

// New returns a worker, which attempts nothing before Start.
func New(c Config) *Worker {
	w := &Worker{cfg: c, timeout: queue.AttemptTime}
	w.Queue = queue.New(queue.Config{DB: c.DB, Log: c.Log, Name: "deliveries to webhooks", Waiting: (*store.Reader).WaitingQueues,
		Attempt: w.deliver, Delays: c.Delays})
	c.DB.OnDeliveries(w.Wake)
	return w
}

// Close is that of the queue.
func (w *Worker) Close(ctx context.Context) {
	w.Queue.Close(ctx)
	w.cfg.Fetch.CloseIdleConnections()
}

// Waiting returns how many deliveries wait; -1 if that cannot be read.
func (w *Worker) Waiting() (n int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := w.cfg.DB.ReadLong(ctx, func(r *store.Reader) (err error) {
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
