// Package live delivers events to connected clients. It follows the event log and finds which open streams may
// receive each event. It renders an event once for all who receive the same, and writes server-sent events.
//
// It knows no kind of event by name: the tables of the domain packages say who receives what, and what is
// checked again.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/list"
	"hearth/store"
)

// Config is what a Hub needs.
type Config struct {
	DB     *store.DB
	Events []core.Event // the tables of all domain packages
	Pages  []core.Event // the same events as open pages receive them
	Key    []byte       // seals the ids of events; clients resume while it is the same
	// Audience returns the accounts that may see a conversation.
	Audience func(r *store.Reader, conversationID string) ([]string, error)
	// Credentials reports for each viewer whether its credential is still valid.
	Credentials func(r *store.Reader, vs []store.Viewer) ([]bool, error)
	// Watchers sets for each of ws whether they may see the list, and under which name they are shown to the
	// others who watch it.
	Watchers func(r *store.Reader, ws []list.Watcher) error
	// Watching is called with each signed-in viewer whose stream opens (1) or ends (-1). It must not block.
	Watching func(v store.Viewer, n int)
	Log      *slog.Logger

	MaxStreams   int           // in all; 0 means 2,000
	PerCaller    int           // for one account with its bots, and for one Viewer.IP; 0 means 30
	Heartbeat    time.Duration // between comment lines; 0 means 15 s
	WriteTimeout time.Duration // for a client to accept what is sent; 0 means 2 s
}

// Hub connects the event log with the open streams. It is safe for concurrent use.
type Hub struct {
	cfg      Config
	slots    *limit.Slots
	events   map[store.EventKind]core.Event
	pages    map[store.EventKind]core.Event
	presence string // under which name who watches a list is published
	ids      eventIDs
	wake     chan struct{}
	cancel   context.CancelFunc
	stopped  chan struct{}

	// step is held while a stream opens and while events are delivered. So a stream is checked either
	// before a change of rights or because of it.
	step sync.Mutex
	last int64 // the newest event that was delivered

	mu      sync.Mutex
	closed  bool
	all     map[*Subscription]struct{}
	topics  map[string]map[*Subscription]struct{} // by the id of a list, a lane's conversation or an account
	typing  map[string]map[string]typer           // by list and account
	changed map[string]bool                       // lists whose presence will be sent
}

// New returns a Hub that follows the event log from its current end. Call Notify after each commit, and Close
// at the end.
func New(cfg Config) *Hub {
	if cfg.Watching == nil {
		cfg.Watching = func(store.Viewer, int) {}
	}
	cfg.MaxStreams, cfg.PerCaller = cmp.Or(cfg.MaxStreams, 2000), cmp.Or(cfg.PerCaller, 30)
	cfg.Heartbeat, cfg.WriteTimeout = cmp.Or(cfg.Heartbeat, 15*time.Second), cmp.Or(cfg.WriteTimeout, 2*time.Second)
	h := &Hub{
		cfg: cfg, slots: limit.NewSlots(cfg.MaxStreams, cfg.PerCaller), events: map[store.EventKind]core.Event{},
		pages: map[store.EventKind]core.Event{}, ids: newEventIDs(cfg.Key),
		wake: make(chan struct{}, 1), stopped: make(chan struct{}),
		all: map[*Subscription]struct{}{}, topics: map[string]map[*Subscription]struct{}{},
		typing: map[string]map[string]typer{}, changed: map[string]bool{},
	}
	for _, e := range cfg.Pages {
		h.pages[e.Kind] = e
	}
	for _, e := range cfg.Events {
		h.events[e.Kind] = e
		if e.Presence {
			h.presence = e.ClientName()
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.cancel = cancel
	go h.follow(ctx)
	return h
}

// Notify makes the hub read the event log now. It never blocks, so that it can be one of the store's listeners
// after a commit.
func (h *Hub) Notify(events []store.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ev := range events {
		if h.events[ev.Kind].Effects&core.EndTyping != 0 {
			for listID := range h.typing {
				h.stopTyping(listID, ev.Topic)
			}
		}
	}
	h.wakeUp()
}

// wakeUp has follow read the log if there are streams. h.mu must be held.
func (h *Hub) wakeUp() {
	if len(h.all) > 0 {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// Close ends every stream with the time after which its client should reconnect. A stream that is opened
// afterwards ends at once.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for s := range h.all {
		h.end(s, errShutdown)
	}
	h.mu.Unlock()
	h.cancel()
	<-h.stopped
}

// Streams returns how many streams are open.
func (h *Hub) Streams() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

// Position returns the end of the event log as a stream takes it in lastEventId: the stream then begins with
// the first event after this moment.
func (h *Hub) Position(ctx context.Context) (string, error) {
	var newest int64
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		_, newest, err = r.EventRange()
		return err
	})
	return h.ids.SealPosition(newest), err
}

// PublishUsers sends an ephemeral event, with JSON as its data, to the open feeds of the accounts.
func (h *Hub) PublishUsers(userIDs []string, kind store.EventKind, data []byte) error {
	e := h.events[kind]
	if !e.Ephemeral {
		return fmt.Errorf("live: no ephemeral event %q is declared", kind)
	}
	f := &frame{wire: appendEvent(nil, e.ClientName(), data)}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range userIDs {
		for s := range h.topics[id] {
			h.queue(s, f)
		}
	}
	return nil
}

// PublishConversation is PublishUsers for what an account does in a conversation, such as that it is typing: for those
// who see it.
func (h *Hub) PublishConversation(ctx context.Context, conversationID, userID string, kind store.EventKind, data []byte) error {
	ids, err := store.Get(ctx, h.cfg.DB, func(r *store.Reader) ([]string, error) { return r.ShownTo(conversationID, userID) })
	return cmp.Or(err, h.PublishUsers(ids, kind, data))
}

// Why a stream ended.
var (
	errSlow     = errors.New("live: the client does not keep up")
	errRevoked  = errors.New("live: the viewer may no longer watch")
	errOver     = errors.New("live: what was watched was deleted")
	errShutdown = errors.New("live: the server is shutting down")
	errClosed   = errors.New("live: closed by the client")
)
