package live

import (
	"context"
	"sync/atomic"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// queueLength is how many events may wait for one client: a second or two of
// a very busy server. The stream of a client further behind ends; the client
// reconnects and resumes.
const queueLength = 128

// queueBytes is how many bytes of events may wait for one client, unless it is one
// event. What it missed beyond that it is sent from the log, as fast as it takes it.
const queueBytes = 1 << 20

// Subscription is one open stream. It must be closed.
type Subscription struct {
	hub    *Hub
	viewer store.Viewer
	list   string // the list watched; "" for the viewer's own feed
	lane   string // the conversation whose Context lane is open; "" for a feed
	held   bool   // another server serves it; see Hold
	start  int64  // later events come through frames, those up to here from the log
	frames chan *frame
	queued atomic.Int64 // bytes of frames
	done   chan struct{}
	reason error // why it ended; set before done is closed
	joined bool  // counted in the list's presence, whose lock guards it
	stale  int   // how often what the viewer is to the list may have changed; the hub's lock guards it
}

// feed reports whether the stream is the viewer's own feed.
func (s *Subscription) feed() bool { return s.list == "" && s.lane == "" && !s.held }

// watcher returns the viewer as a watcher of the list.
func (s *Subscription) watcher() list.Watcher {
	return list.NewWatcher(s.list, s.viewer)
}

// Subscribe opens a stream: of the list with the given id or, if that is
// empty, the viewer's own feed. The viewer's rights are checked after the
// stream is registered, so that no change can slip in between.
// ErrUnauthenticated without a valid credential where one is needed,
// ErrNotFound if the viewer may not see the list, Unavailable if there are too
// many streams, TooMany if there are too many from one address or of one account.
// While the server shuts down, the stream has ended when it is returned, and
// Serve tells the client when to reconnect.
func (h *Hub) Subscribe(ctx context.Context, v store.Viewer, listID string) (*Subscription, error) {
	return h.open(ctx, &Subscription{viewer: v, list: listID})
}

// SubscribeLane opens a stream of the Context lane of a conversation. It returns
// the errors of Subscribe, and ErrNotMember if the viewer is no member.
func (h *Hub) SubscribeLane(ctx context.Context, v store.Viewer, conversationID string) (*Subscription, error) {
	return h.open(ctx, &Subscription{viewer: v, lane: conversationID})
}

// Hold counts a stream that another server serves as one of the viewer's, until end is
// called. No events come with it. done is closed when the stream has to end: the
// credential of the viewer has, or the server shuts down. It returns the errors of
// Subscribe.
func (h *Hub) Hold(ctx context.Context, v store.Viewer) (done <-chan struct{}, end func(), err error) {
	s, err := h.open(ctx, &Subscription{viewer: v, held: true})
	if err != nil {
		return nil, nil, err
	}
	return s.done, s.Close, nil
}

func (h *Hub) open(ctx context.Context, s *Subscription) (*Subscription, error) {
	if s.list == "" && !s.held && !s.viewer.SignedIn() {
		return nil, core.ErrUnauthenticated
	}
	s.hub, s.frames, s.done = h, make(chan *frame, queueLength), make(chan struct{})
	// It begins at the current end of the log, however far the hub is with
	// delivering: everything before is read from the log.
	err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		_, s.start, err = r.EventRange()
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := h.register(s); err != nil {
		return nil, err
	}
	if err := h.admit(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (h *Hub) register(s *Subscription) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	ip, own, left := s.viewer.IP, h.people[s.viewer.PersonID()], h.cfg.MaxStreams-len(h.all)
	if !s.viewer.SignedIn() || own > 0 {
		left -= h.cfg.Reserved
	}
	switch {
	case h.closed:
		// Not an error: an EventSource that receives one does not reconnect.
		s.reason = errShutdown
		close(s.done)
		return nil
	case h.cfg.PerIP > 0 && ip != "" && h.ips[ip] >= h.cfg.PerIP:
		return core.TooManyAfter(10*time.Second, "too_many_streams", "Too many live streams are open from your address. Close some of them first.")
	case h.cfg.PerAccount > 0 && s.viewer.SignedIn() && own >= h.cfg.PerAccount:
		return core.TooManyAfter(10*time.Second, "too_many_streams", "Too many live streams of your account and its bots are open. Close some of them first.")
	case left <= 0:
		return unavailable("too_many_streams", "Too many live streams are open on this server. Try again in a moment, or poll.")
	}
	s.start = max(s.start, h.mark)
	h.all[s] = struct{}{}
	h.ips[ip]++
	addTo(h.users, s.viewer.UserID, s)
	addTo(h.lists, s.list, s)
	addTo(h.lanes, s.lane, s)
	if s.viewer.SignedIn() {
		h.people[s.viewer.PersonID()]++
		if !s.held {
			h.cfg.Watching(s.viewer, 1)
		}
	}
	return nil
}

func unavailable(code, msg string) error {
	e := core.New(core.Unavailable, code, msg)
	e.RetryAfter = 5 * time.Second
	return e
}

// admit checks the rights of the viewer of s and adds them to the presence of
// their list. It checks again if something changed meanwhile.
func (h *Hub) admit(ctx context.Context, s *Subscription) error {
	for {
		h.mu.Lock()
		checked := s.stale
		h.mu.Unlock()
		var w list.Watcher
		err := h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
			w, err = h.check(r, s)
			return err
		})
		if err != nil || s.list == "" {
			return err
		}
		h.mu.Lock()
		_, open := h.all[s]
		again := open && s.stale != checked
		if open && !again {
			h.presence.join(s, w)
		}
		h.mu.Unlock()
		if !again {
			return nil
		}
	}
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
	removeFrom(h.users, s.viewer.UserID, s)
	removeFrom(h.lists, s.list, s)
	removeFrom(h.lanes, s.lane, s)
	if h.ips[s.viewer.IP]--; h.ips[s.viewer.IP] == 0 {
		delete(h.ips, s.viewer.IP)
	}
	h.presence.leave(s)
	if s.viewer.SignedIn() {
		if h.people[s.viewer.PersonID()]--; h.people[s.viewer.PersonID()] == 0 {
			delete(h.people, s.viewer.PersonID())
		}
		if !s.held {
			h.cfg.Watching(s.viewer, -1)
		}
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

// push queues f for each of subs and ends those whose queue is full. An
// ephemeral event is dropped instead.
func (h *Hub) push(subs []*Subscription, f *frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range subs {
		if _, ok := h.all[s]; ok && !s.queue(f) && f.id != 0 {
			h.end(s, errSlow)
		}
	}
}

// queue reports whether there was room for f. The hub's lock must be held.
func (s *Subscription) queue(f *frame) bool {
	n := int64(len(f.wire))
	if before := s.queued.Load(); before > 0 && before+n > queueBytes {
		return false
	}
	s.queued.Add(n)
	select {
	case s.frames <- f:
		return true
	default:
		s.queued.Add(-n)
		return false
	}
}
