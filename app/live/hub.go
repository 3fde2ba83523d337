// Package live tells connected clients what happens: it follows the event
// log, finds who of those connected may know, renders each event once for all
// who get the same, and writes server-sent events.
package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"hearth/store"
)

// Scope says what the topic of a kind of event is, and so who is told.
type Scope uint8

const (
	// ToUser: the topic is an account, whose feeds are told.
	ToUser Scope = iota
	// ToConversation: the topic is a conversation, whose members' feeds are told.
	ToConversation
	// ToList: the topic is a list, whose streams are told.
	ToList
)

// RenderFunc says what viewer is told about ev: the event's name and its data
// (JSON). It reads through visible queries, all from one state; ok is false
// when there is nothing to tell. viewer stands for everybody of the same
// variant. With an error the streams concerned are ended and read the event
// from the log when they come back.
type RenderFunc func(ctx context.Context, r *store.Reader, ev store.Event, viewer store.Viewer) (name string, data []byte, ok bool, err error)

// Route is how one kind of event reaches people. Kinds without a route are
// told to nobody.
type Route struct {
	Scope  Scope
	Render RenderFunc
	// Variant names the group that a viewer belongs to: all of a group get
	// the same bytes, rendered once. Nil means that all viewers do.
	Variant func(ev store.Event, viewer store.Viewer) string
}

// ByActor is the Variant of events that look different to those who caused
// them, such as a message that shows its sender their own address.
func ByActor(ev store.Event, v store.Viewer) string {
	if v.UserID != "" && v.UserID == ev.ActorID {
		return "actor"
	}
	return ""
}

// AuthChanged is the kind of event, with an account as its topic, after which
// every stream of the account is checked again. In the same way an event whose
// kind begins with "list.", with a list as its topic, has the list's streams
// checked: whatever changes who may see the list must emit one.
const AuthChanged = "auth.changed"

// UserUpdated is the kind of event, with an account as its topic, after which
// the account is shown anew to those who watch the same lists: it may have
// another name, or wish not to be seen.
const UserUpdated = "user.updated"

// listShared is the kind of event after which the account that it is about is
// shown anew to those who watch the list: it may have no part in it any more.
const listShared = "list.shared"

// listDeleted is the kind of event after which a list's streams end, once
// they have been told.
const listDeleted = "list.deleted"

// Config is what a Hub needs. The functions may be called from several
// goroutines, never inside a database read.
type Config struct {
	DB     *store.DB
	Routes map[string]Route // by Event.Kind
	// Audience returns the accounts that may see a conversation.
	Audience func(r *store.Reader, conversationID string) ([]string, error)
	// CheckViewer tells whether a credential still holds. Any error ends the stream.
	CheckViewer func(ctx context.Context, v store.Viewer) error
	// CheckList tells whether v may see the list. Any error ends the stream.
	CheckList func(ctx context.Context, v store.Viewer, listID string) error
	// Person returns the name under which v is shown to the others who watch
	// a list; known is false for strangers, who are only counted.
	Person func(ctx context.Context, v store.Viewer, listID string) (name string, known bool, err error)
	Log    *slog.Logger

	MaxStreams   int           // in all; 0 means 2,000
	PerIP        int           // for one IPv4 address or IPv6 /64; 0 means 30, below 0 no limit
	Poll         time.Duration // how often the log is read unasked; 0 means 500 ms
	Heartbeat    time.Duration // between comment lines; 0 means 15 s
	WriteTimeout time.Duration // for a client to take what it is sent; 0 means 2 s
}

func (c *Config) fill() {
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
	if c.PerIP == 0 {
		c.PerIP = 30
	}
}

// Why a stream ended.
var (
	errSlow     = errors.New("live: the client does not keep up")
	errCut      = errors.New("live: the viewer may not watch any longer")
	errOver     = errors.New("live: what was watched is gone")
	errShutdown = errors.New("live: the server is shutting down")
	errClosed   = errors.New("live: closed by the client")
)

// Hub is the switchboard between the event log and the streams. It is safe
// for concurrent use.
type Hub struct {
	cfg      Config
	numbers  numbers
	presence *Presence
	wake     chan struct{}
	cancel   context.CancelFunc
	workers  sync.WaitGroup // dispatcher and presence
	serving  sync.WaitGroup // Serve calls

	last int64 // the newest event dealt with; the dispatcher's own

	mu     sync.Mutex
	closed bool
	mark   int64 // events up to here are no longer given to new streams live
	all    map[*Subscription]struct{}
	users  map[string]map[*Subscription]struct{} // every stream of an account
	lists  map[string]map[*Subscription]struct{} // the streams of a list
	ips    map[string]int
}

// New returns a Hub that follows the event log from its present end. Call
// Notify after each commit, and Close at the end.
func New(ctx context.Context, cfg Config) (*Hub, error) {
	cfg.fill()
	h := &Hub{
		cfg: cfg, presence: newPresence(), wake: make(chan struct{}, 1),
		all: map[*Subscription]struct{}{}, users: map[string]map[*Subscription]struct{}{},
		lists: map[string]map[*Subscription]struct{}{}, ips: map[string]int{},
	}
	var err error
	if h.numbers, err = loadNumbers(ctx, cfg.DB); err != nil {
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
	h.workers.Go(func() { h.presence.run(ctx, h.PublishList) })
	return h, nil
}

// Notify makes the hub read the event log now. It never blocks: it is the
// hook that the store calls after a commit. The events themselves are read
// from the log, so that those of other processes keep their place among them.
func (h *Hub) Notify(events []store.Event) {
	if h.passBy(events) {
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// passBy moves the mark past events while there is nobody to tell of them, so
// that a community without streams pays nothing for them. The dispatcher
// finds the end of the log at its next unasked look.
func (h *Hub) passBy(events []store.Event) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) > 0 || len(events) == 0 {
		return false
	}
	h.mark = max(h.mark, events[len(events)-1].ID)
	return true
}

// Close ends every stream, telling the clients when to return, and waits
// until all are gone or ctx ends. No stream can be opened afterwards.
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
