package live

import (
	"context"
	"net/netip"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// queueLength is how many events may wait for one client: a second or two of
// a very busy community. Whoever falls further behind is cut and resumes.
const queueLength = 128

// Subscription is one open stream. It must be closed.
type Subscription struct {
	hub    *Hub
	viewer store.Viewer
	list   string // the list watched; "" for the viewer's own feed
	ip     string
	start  int64 // events above come through frames, those up to here stand in the log
	frames chan *frame
	done   chan struct{}
	reason error // why it ended; set before done is closed
	joined bool  // counted in the list's presence, whose lock guards it
	named  int   // how often who the viewer is to the list may have changed; the hub's lock guards it
}

// Subscribe opens a stream: of the list with the given id or, if that is
// empty, of everything the viewer is told about. The viewer's right to it is
// checked after it is registered, so that no change can slip in between. It
// fails with Unavailable when there are too many streams or the server shuts
// down, with TooMany when there are too many from one address, and with what
// CheckViewer and CheckList say.
func (h *Hub) Subscribe(ctx context.Context, v store.Viewer, listID string) (*Subscription, error) {
	if listID == "" && !v.SignedIn() {
		return nil, core.ErrUnauthenticated
	}
	s := &Subscription{hub: h, viewer: v, list: listID, ip: ipKey(v.IP), frames: make(chan *frame, queueLength), done: make(chan struct{})}
	// It begins where the log ends now, however far the dispatcher has come:
	// all before is read from the log.
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
	switch {
	case h.closed:
		return unavailable("shutting_down", "The server is restarting. Try again in a moment.")
	case len(h.all) >= h.cfg.MaxStreams:
		return unavailable("too_many_streams", "Too many live streams are open on this server. Try again in a moment, or poll.")
	case h.cfg.PerIP > 0 && s.ip != "" && h.ips[s.ip] >= h.cfg.PerIP:
		return core.TooManyAfter(10*time.Second, "too_many_streams", "Too many live streams are open from your address. Close some of them first.")
	}
	s.start = max(s.start, h.mark)
	h.all[s] = struct{}{}
	h.ips[s.ip]++
	addTo(h.users, s.viewer.UserID, s)
	addTo(h.lists, s.list, s)
	return nil
}

func unavailable(code, msg string) error {
	e := core.New(core.Unavailable, code, msg)
	e.RetryAfter = 5 * time.Second
	return e
}

func (h *Hub) admit(ctx context.Context, s *Subscription) error {
	if s.viewer.SignedIn() {
		if err := h.cfg.CheckViewer(ctx, s.viewer); err != nil {
			return err
		}
	}
	if s.list == "" {
		return nil
	}
	if err := h.cfg.CheckList(ctx, s.viewer, s.list); err != nil {
		return err
	}
	return h.name(ctx, s)
}

// name asks under which name, if any, the viewer of s is shown to the others
// who watch its list, and has them be shown so. It asks again when that may
// have changed while it asked.
func (h *Hub) name(ctx context.Context, s *Subscription) error {
	for {
		h.mu.Lock()
		asked := s.named
		h.mu.Unlock()
		name, known, err := h.cfg.Person(ctx, s.viewer, s.list)
		if err != nil {
			return err
		}
		h.mu.Lock()
		_, open := h.all[s]
		again := open && s.named != asked
		if open && !again {
			h.presence.join(s, name, known)
		}
		h.mu.Unlock()
		if !again {
			return nil
		}
	}
}

// rename has those of subs shown under the name they have now who watch a
// list: they may have become unknown there, or wish not to be seen.
func (h *Hub) rename(ctx context.Context, subs []*Subscription) {
	for _, s := range subs {
		if s.list == "" {
			continue
		}
		h.mu.Lock()
		s.named++
		h.mu.Unlock()
		if err := h.name(ctx, s); err != nil {
			h.endAll([]*Subscription{s}, errCut)
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
	if h.ips[s.ip]--; h.ips[s.ip] == 0 {
		delete(h.ips, s.ip)
	}
	h.presence.leave(s)
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

// push hands f to each of subs and ends those whose queue is full; what has
// no number is not missed, so they only lose it.
func (h *Hub) push(subs []*Subscription, f *frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range subs {
		if _, ok := h.all[s]; !ok {
			continue
		}
		select {
		case s.frames <- f:
		default:
			if f.id != 0 {
				h.end(s, errSlow)
			}
		}
	}
}

func (h *Hub) indexed(index map[string]map[*Subscription]struct{}, key string) []*Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	subs := make([]*Subscription, 0, len(index[key]))
	for s := range index[key] {
		subs = append(subs, s)
	}
	return subs
}

// feeds returns all streams that are not of a list.
func (h *Hub) feeds() (subs []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.list == "" {
			subs = append(subs, s)
		}
	}
	return subs
}

func addTo(index map[string]map[*Subscription]struct{}, key string, s *Subscription) {
	if key == "" {
		return
	}
	if index[key] == nil {
		index[key] = map[*Subscription]struct{}{}
	}
	index[key][s] = struct{}{}
}

func removeFrom(index map[string]map[*Subscription]struct{}, key string, s *Subscription) {
	delete(index[key], s)
	if len(index[key]) == 0 {
		delete(index, key)
	}
}

// ipKey is what counts as one address: an IPv4 address or an IPv6 /64.
func ipKey(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if a = a.Unmap(); a.Is4() {
		return a.String()
	}
	p, _ := a.WithZone("").Prefix(64)
	return p.String()
}
