// Package live delivers events to connected clients. It follows the event log,
// finds which of the open streams may receive each event, renders it once for
// all who receive the same, and writes server-sent events.
//
// It knows no kind of event by name: the tables of the domain packages say who
// receives what, and what is checked again.
package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// Config is what a Hub needs. The functions may be called from several
// goroutines; each reads the state it is given with a fixed number of queries.
type Config struct {
	DB     *store.DB
	Events []core.Event // the tables of all domain packages
	// Audience returns the accounts that may see a conversation.
	Audience func(r *store.Reader, conversationID string) ([]string, error)
	// ShownTo returns the accounts that see what an account does in a
	// conversation, such as that it is typing.
	ShownTo func(r *store.Reader, conversationID, userID string) ([]string, error)
	// Credentials reports for each viewer whether its credential is still valid.
	Credentials func(r *store.Reader, vs []store.Viewer) ([]bool, error)
	// Watchers sets for each of ws whether they may see the list, and under
	// which name they are shown to the others who watch it.
	Watchers func(r *store.Reader, ws []list.Watcher) error
	// Watching is given each signed-in viewer whose stream opens (1) or ends
	// (-1). It must not block. Nil is not called.
	Watching func(v store.Viewer, n int)
	Log      *slog.Logger

	MaxStreams   int           // in all; 0 means 2,000
	Reserved     int           // of MaxStreams, for accounts that have none; 0 means a quarter
	PerIP        int           // for one Viewer.IP; 0 means 30, below 0 no limit
	PerAccount   int           // for one account with its bots; 0 means 30, below 0 no limit
	Poll         time.Duration // how often the log is read without a notification; 0 means 500 ms
	Heartbeat    time.Duration // between comment lines; 0 means 15 s
	WriteTimeout time.Duration // for a client to accept what is sent; 0 means 2 s
}

func (c *Config) fill() {
	if c.Watching == nil {
		c.Watching = func(store.Viewer, int) {}
	}
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{{&c.Poll, 500 * time.Millisecond}, {&c.Heartbeat, 15 * time.Second}, {&c.WriteTimeout, 2 * time.Second}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	if c.MaxStreams == 0 {
		c.MaxStreams = 2000
	}
	if c.Reserved == 0 {
		c.Reserved = c.MaxStreams / 4
	}
	if c.PerIP == 0 {
		c.PerIP = 30
	}
	if c.PerAccount == 0 {
		c.PerAccount = 30
	}
}

// Why a stream ended.
var (
	errSlow     = errors.New("live: the client does not keep up")
	errRevoked  = errors.New("live: the viewer may no longer watch")
	errOver     = errors.New("live: what was watched was deleted")
	errShutdown = errors.New("live: the server is shutting down")
	errClosed   = errors.New("live: closed by the client")
)

// Hub connects the event log with the open streams. It is safe for concurrent
// use.
type Hub struct {
	cfg      Config
	events   table
	ids      eventIDs
	presence *Presence
	wake     chan struct{}
	cancel   context.CancelFunc
	workers  sync.WaitGroup // the goroutines that follow the log and publish presence
	serving  sync.WaitGroup // Serve calls

	last    int64 // the newest event delivered; used by follow alone
	checked int64 // the newest event whose effects were applied, if later than last; used by follow alone

	mu     sync.Mutex
	closed bool
	mark   int64 // events up to here are no longer delivered to new streams
	all    map[*Subscription]struct{}
	users  map[string]map[*Subscription]struct{} // every stream of an account
	lists  map[string]map[*Subscription]struct{} // the streams of a list
	lanes  map[string]map[*Subscription]struct{} // the streams of a Context lane
	ips    map[string]int                        // the streams of an address
	people map[string]int                        // those of a person and of their bots
}

// New returns a Hub that follows the event log from its current end. Call
// Notify after each commit, and Close at the end. It fails if the tables of
// events contradict each other.
func New(ctx context.Context, cfg Config) (*Hub, error) {
	cfg.fill()
	h := &Hub{
		cfg: cfg, wake: make(chan struct{}, 1), presence: newPresence(),
		all: map[*Subscription]struct{}{}, users: map[string]map[*Subscription]struct{}{},
		lists: map[string]map[*Subscription]struct{}{}, lanes: map[string]map[*Subscription]struct{}{}, ips: map[string]int{}, people: map[string]int{},
	}
	var err error
	if h.events, err = newTable(cfg.Events); err != nil {
		return nil, err
	}
	if h.ids, err = loadEventIDs(ctx, cfg.DB); err != nil {
		return nil, err
	}
	err = cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		_, h.last, err = r.EventRange()
		return err
	})
	if err != nil {
		return nil, err
	}
	h.mark = h.last
	ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.workers.Go(func() { h.follow(ctx) })
	h.workers.Go(func() { h.presence.run(ctx, h.publishPresence) })
	return h, nil
}

// Notify makes the hub read the event log now. It never blocks, so that it can
// be one of the store's listeners after a commit. The events are read from the
// log, where those of other processes have their place among them.
func (h *Hub) Notify(events []store.Event) {
	if h.passBy(events) {
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// passBy moves the mark past events while no stream is open, so that a server
// without streams pays nothing for them. The end of the log is found at the
// next poll.
func (h *Hub) passBy(events []store.Event) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) > 0 || len(events) == 0 {
		return false
	}
	h.mark = max(h.mark, events[len(events)-1].ID)
	return true
}

// Close ends every stream with the time after which its client should
// reconnect, and waits until all have ended or ctx ends. A stream that is opened
// afterwards ends at once.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for s := range h.all {
		h.end(s, errShutdown)
	}
	h.mu.Unlock()
	h.cancel()
	done := make(chan struct{})
	go func() {
		h.workers.Wait()
		h.serving.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Presence is who watches which list.
func (h *Hub) Presence() *Presence { return h.presence }

// Streams returns how many streams are open.
func (h *Hub) Streams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}
