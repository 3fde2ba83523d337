package live

import (
	"context"
	"net/http"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// queueLength is how many events may wait for one client: a second or two of a very busy server. The stream of
// a client further behind ends; the client reconnects and resumes.
const queueLength = 128

// Subscription is one open stream. It must be closed.
type Subscription struct {
	hub    *Hub
	viewer store.Viewer
	scope  core.Scope // ToUser for a feed, ToList or ToLane
	topic  string     // the list, the lane's conversation, or the account of a feed; "" receives nothing
	page   bool       // of an open page, which receives HTML
	start  int64      // later events come through frames, earlier ones from the log
	frames chan *frame
	done   chan struct{}
	reason error        // why it ended; set before done is closed
	as     list.Watcher // what the viewer is to the list; guarded by the hub's mu
}

// Subscribe opens a stream: of a list (ToList), of the Context lane of a conversation (ToLane), or of the
// viewer's own events (ToUser, without a topic). ErrUnauthenticated without a valid credential where one is
// needed; ErrNotFound if the viewer may not see the list; ErrNotMember if they are not in the conversation;
// TooMany if there are too many streams in all, from one address or of one account. While the server shuts
// down, the stream has ended when it is returned, and Serve tells the client when to reconnect.
func (h *Hub) Subscribe(ctx context.Context, v store.Viewer, scope core.Scope, topic string) (*Subscription, error) {
	return h.subscribe(ctx, &Subscription{viewer: v, scope: scope, topic: topic})
}

func (h *Hub) subscribe(ctx context.Context, s *Subscription) (*Subscription, error) {
	if s.scope != core.ToList && !s.viewer.SignedIn() {
		return nil, core.ErrUnauthenticated
	}
	if s.scope == core.ToUser {
		s.topic = s.viewer.UserID
	}
	return h.open(ctx, s)
}

// ServePage writes the viewer's own events to an open page. It returns the errors of Subscribe.
func (h *Hub) ServePage(w http.ResponseWriter, r *http.Request, v store.Viewer) error {
	sub, err := h.subscribe(r.Context(), &Subscription{viewer: v, scope: core.ToUser, page: true})
	if err == nil {
		h.Serve(w, r, sub)
	}
	return err
}

// tableOf returns how the stream receives an event.
func (s *Subscription) tableOf(kind store.EventKind) core.Event {
	if s.page {
		return s.hub.pages[kind]
	}
	return s.hub.events[kind]
}

// Hold counts a stream that another server serves as one of the viewer's, until end is called. No events come
// with it. done is closed when the stream has to end: the credential of the viewer has, or the server shuts
// down. It returns the errors of Subscribe.
func (h *Hub) Hold(ctx context.Context, v store.Viewer) (done <-chan struct{}, end func(), err error) {
	s, err := h.open(ctx, &Subscription{viewer: v})
	if err != nil {
		return nil, nil, err
	}
	return s.done, s.Close, nil
}

// open registers s at the end of the log, with its viewer's rights at that moment.
func (h *Hub) open(ctx context.Context, s *Subscription) (*Subscription, error) {
	s.hub, s.frames, s.done = h, make(chan *frame, queueLength), make(chan struct{})
	h.step.Lock()
	defer h.step.Unlock()
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		if _, s.start, err = r.EventRange(); err != nil {
			return err
		}
		s.as, err = h.admit(r, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := h.register(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (h *Hub) register(s *Subscription) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		// Not an error: an EventSource that receives one does not reconnect.
		s.reason = errShutdown
		close(s.done)
		return nil
	}
	if !h.slots.Take(s.callers()...) {
		return core.TooManyAfter(10*time.Second, "too_many_streams",
			"Too many live streams are open from your address, of your account and its bots, or on this server. Close some of them first, or poll.")
	}
	first := len(h.all) == 0
	h.all[s] = struct{}{}
	if first { // nothing was delivered, and nobody notified, since the last stream ended
		h.last = s.start
		h.wakeUp()
	}
	if s.topic != "" {
		if h.topics[s.topic] == nil {
			h.topics[s.topic] = map[*Subscription]struct{}{}
		}
		h.topics[s.topic][s] = struct{}{}
	}
	if s.scope == core.ToList {
		h.presenceChanged(s.topic)
	}
	if s.viewer.SignedIn() {
		h.cfg.Watching(s.viewer, 1)
	}
	return nil
}

// callers returns whose streams s counts among.
func (s *Subscription) callers() (keys []string) {
	if s.viewer.IP != "" {
		keys = append(keys, "address "+s.viewer.IP)
	}
	if s.viewer.SignedIn() {
		keys = append(keys, "person "+s.viewer.PersonID())
	}
	return keys
}

// Close ends the stream. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.end(s, errClosed)
}

// end takes s out of the hub. h.mu must be held.
func (h *Hub) end(s *Subscription, reason error) {
	if _, ok := h.all[s]; !ok {
		return
	}
	delete(h.all, s)
	h.slots.Free(s.callers()...)
	if delete(h.topics[s.topic], s); len(h.topics[s.topic]) == 0 {
		delete(h.topics, s.topic)
	}
	h.left(s)
	if s.viewer.SignedIn() {
		h.cfg.Watching(s.viewer, -1)
	}
	s.reason = reason
	close(s.done)
}

func (h *Hub) endAll(subs []*Subscription, reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range subs {
		h.end(s, reason)
	}
}

// queue queues f for s, and ends s if its queue is full. An ephemeral event is dropped instead. h.mu must be
// held.
func (h *Hub) queue(s *Subscription, f *frame) {
	if _, ok := h.all[s]; !ok {
		return
	}
	select {
	case s.frames <- f:
	default:
		if f.stored {
			h.end(s, errSlow)
		}
	}
}
