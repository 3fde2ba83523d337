package live

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// retryAfter is the pause after the log could not be read.
const retryAfter = 500 * time.Millisecond

// follow reads the log whenever it is notified.
func (h *Hub) follow(ctx context.Context) {
	defer close(h.stopped)
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-again:
		}
		again = nil
		if err := h.next(ctx); err != nil && ctx.Err() == nil {
			h.cfg.Log.Warn("live: the event log could not be read; trying again", "error", err)
			again = time.After(retryAfter)
		}
	}
}

// next delivers the new events of the log, in order. Rights, audiences and content are all read from one
// snapshot, the newest: nothing that was written after a revocation can reach the streams that it ends.
func (h *Hub) next(ctx context.Context) error {
	h.step.Lock()
	defer h.step.Unlock()
	if h.Streams() == 0 {
		return nil
	}
	return h.cfg.DB.Read(ctx, func(r *store.Reader) error {
		events, err := r.EventsAfter(h.last, math.MaxInt)
		if err != nil || len(events) == 0 {
			return err
		}
		h.recheck(r, events)
		audiences := map[string][]string{}
		for _, ev := range events {
			if err := h.deliver(r, ev, audiences); err != nil {
				return err
			}
			h.last = ev.ID
		}
		return nil
	})
}

// recheck ends the streams whose viewers may no longer watch after events, and reads again under which names
// the others are shown.
func (h *Hub) recheck(r *store.Reader, events []store.Event) {
	effects := map[string]core.Effect{}
	for _, ev := range events {
		if e := h.events[ev.Kind].Effects; e != 0 {
			effects[ev.Topic] |= e
		}
	}
	h.mu.Lock()
	var subs []*Subscription
	for s := range h.all {
		if effects[s.viewer.UserID]&core.CheckUser|effects[s.topic]&core.CheckList != 0 {
			subs = append(subs, s)
		}
	}
	h.mu.Unlock()
	if len(subs) == 0 {
		return
	}
	ws, refused, err := h.check(r, subs)
	if err != nil {
		h.cfg.Log.Error("live: rights could not be checked; the streams end", "streams", len(subs), "error", err)
		h.endAll(subs, errRevoked)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, s := range subs {
		if refused[i] != nil {
			h.end(s, errRevoked)
		} else if s.scope == core.ToList {
			h.rename(s, ws[i])
		}
	}
}

// check returns what the viewers of subs are to their lists, and for each why it may not watch, nil if it may:
// ErrUnauthenticated if its credential is no longer valid, ErrNotFound if it may not see the list, ErrNotMember
// if it is not in the conversation.
func (h *Hub) check(r *store.Reader, subs []*Subscription) (ws []list.Watcher, refused []error, err error) {
	ws, refused = make([]list.Watcher, len(subs)), make([]error, len(subs))
	viewers := make([]store.Viewer, len(subs))
	for i, s := range subs {
		viewers[i], ws[i] = s.viewer, list.NewWatcher(s.topic, s.viewer)
	}
	valid, err := h.cfg.Credentials(r, viewers)
	if err = cmp.Or(err, h.cfg.Watchers(r, ws)); err != nil {
		return nil, nil, err
	}
	for i, s := range subs {
		switch {
		case s.viewer.SignedIn() && !valid[i]:
			refused[i] = core.ErrUnauthenticated
		case s.scope == core.ToList && !ws[i].Visible:
			refused[i] = core.ErrNotFound
		case s.scope == core.ToLane:
			ids, err := h.cfg.Audience(r, s.topic)
			if err != nil {
				return nil, nil, err
			}
			if !slices.Contains(ids, s.viewer.UserID) {
				refused[i] = core.ErrNotMember
			}
		}
	}
	return ws, refused, nil
}

// admit is check for one stream.
func (h *Hub) admit(r *store.Reader, s *Subscription) (list.Watcher, error) {
	ws, refused, err := h.check(r, []*Subscription{s})
	if err != nil {
		return list.Watcher{}, err
	}
	return ws[0], refused[0]
}

// deliver renders ev once for each group of viewers and queues it. Streams that it cannot be rendered for end:
// their clients reconnect and read it from the log, so that no event is lost. audiences has the audiences of
// conversations that were read before.
func (h *Hub) deliver(r *store.Reader, ev store.Event, audiences map[string][]string) error {
	e := h.events[ev.Kind]
	topics := []string{ev.Topic}
	if e.Render != nil && e.Scope == core.ToConversation {
		if _, ok := audiences[ev.Topic]; !ok {
			ids, err := h.cfg.Audience(r, ev.Topic)
			if err != nil {
				return err
			}
			audiences[ev.Topic] = ids
		}
		topics = audiences[ev.Topic]
	}
	if e.Render != nil {
		subs := h.receivers(ev, topics)
		if err := h.send(r, ev, subs); err != nil {
			h.cfg.Log.Error("live: an event could not be delivered; its streams end", "event", ev.ID, "kind", ev.Kind, "error", err)
			h.endAll(subs, errRevoked)
		}
	}
	if e.Effects&core.EndList != 0 {
		h.endAll(h.receivers(ev, topics), errOver)
	}
	return nil
}

// receivers returns the streams of topics that began before ev: the others read it from the log.
func (h *Hub) receivers(ev store.Event, topics []string) (subs []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, topic := range topics {
		for s := range h.topics[topic] {
			if s.start < ev.ID {
				subs = append(subs, s)
			}
		}
	}
	return subs
}

// group is which streams receive the same bytes.
type group struct {
	page bool
	key  string
}

func (h *Hub) send(r *store.Reader, ev store.Event, subs []*Subscription) error {
	if len(subs) == 0 {
		return nil
	}
	groupOf := func(store.Viewer) string { return "" }
	if e := h.events[ev.Kind]; e.Groups != nil {
		var err error
		if groupOf, err = e.Groups(r, ev); err != nil {
			return err
		}
	}
	groups := map[group][]*Subscription{}
	for _, s := range subs {
		key := group{s.page, groupOf(s.viewer)}
		groups[key] = append(groups[key], s)
	}
	for _, group := range groups {
		wire, err := h.render(r, group[0].tableOf(ev.Kind), group[0].viewer, ev)
		if err != nil {
			return err
		}
		if wire == nil {
			continue
		}
		f := &frame{stored: true, wire: wire}
		h.mu.Lock()
		for _, s := range group {
			h.queue(s, f)
		}
		h.mu.Unlock()
	}
	return nil
}

// render returns an event as it is sent to a viewer, nil if it is not.
func (h *Hub) render(r *store.Reader, e core.Event, v store.Viewer, ev store.Event) (wire []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while rendering: %v", p)
		}
	}()
	data, err := e.JSON(r, v, ev)
	if err != nil || data == nil {
		return nil, err
	}
	return appendEvent(fmt.Appendf(make([]byte, 0, len(data)+128), "id: %s\n", h.ids.Seal(ev.ID)), e.ClientName(), data), nil
}
