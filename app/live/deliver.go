package live

import (
	"fmt"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// delivery hands a few events to the streams, all from one snapshot.
type delivery struct {
	h         *Hub
	r         *store.Reader
	audiences map[string][]string // by conversation
}

func (h *Hub) deliver(r *store.Reader, events []store.Event) {
	d := delivery{h: h, r: r, audiences: map[string][]string{}}
	for _, ev := range events {
		if e, ok := h.events.byKind[ev.Kind]; ok {
			d.event(e, ev)
		}
		h.last = ev.ID
	}
}

// event renders ev once for each variant and queues it for those who receive
// it. Streams that it cannot be rendered for end: their clients reconnect and
// read it from the log, so that no event is lost.
func (d *delivery) event(e core.Event, ev store.Event) {
	if e.Render != nil {
		subs, err := d.receivers(ev, e.Scope)
		variant := e.Variant
		if err == nil && e.Groups != nil && len(subs) > 0 {
			var groups func(store.Viewer) string
			groups, err = e.Groups(d.r, ev)
			variant = func(_ store.Event, v store.Viewer) string { return groups(v) }
		}
		if err != nil {
			d.fail(subs, ev, err)
			return
		}
		variants := map[string][]*Subscription{}
		for _, s := range subs {
			key := ""
			if variant != nil {
				key = variant(ev, s.viewer)
			}
			variants[key] = append(variants[key], s)
		}
		for _, group := range variants {
			d.group(e, ev, group)
		}
	}
	if e.Effects&core.EndList != 0 {
		d.h.endAll(d.h.indexed(d.h.lists, ev.Topic), errOver)
	}
}

func (d *delivery) fail(subs []*Subscription, ev store.Event, err error) {
	d.h.cfg.Log.Error("live: an event could not be delivered; its streams end", "event", ev.ID, "kind", ev.Kind, "error", err)
	d.h.endAll(subs, errRevoked)
}

// group queues for a group what its first viewer receives. Where that is
// nothing on a list, it is rendered for the next viewer: one of those who watch
// the list may have lost access to it without an event.
func (d *delivery) group(e core.Event, ev store.Event, group []*Subscription) {
	asked := map[string]bool{}
	for i, s := range group {
		if asked[s.viewer.UserID] {
			continue
		}
		asked[s.viewer.UserID] = true
		data, err := d.h.render(d.r, e, s.viewer, []store.Event{ev})
		if err != nil {
			d.fail(group, ev, err)
			return
		}
		if data[0] != nil {
			f := d.h.ids.frame(ev.ID, e.ClientName(), data[0])
			d.h.push(slices.DeleteFunc(group[i:], func(t *Subscription) bool {
				return t.viewer.UserID != s.viewer.UserID && asked[t.viewer.UserID]
			}), f)
			return
		}
		if e.Scope != core.ToList {
			return
		}
	}
}

// receivers returns the open streams that receive ev. With an error it returns
// all that might.
func (d *delivery) receivers(ev store.Event, scope core.Scope) ([]*Subscription, error) {
	h := d.h
	switch scope {
	case core.ToList:
		return h.waiting(ev.ID, h.lists, ev.Topic, nil), nil
	case core.ToUser:
		return h.waiting(ev.ID, h.users, ev.Topic, nil), nil
	}
	if !h.signedIn() || scope == core.ToLane && len(h.indexed(h.lanes, ev.Topic)) == 0 {
		return nil, nil
	}
	ids, ok := d.audiences[ev.Topic]
	if !ok {
		var err error
		if ids, err = h.cfg.Audience(d.r, ev.Topic); err != nil {
			return h.feeds(), err
		}
		d.audiences[ev.Topic] = ids
	}
	if scope == core.ToLane {
		return slices.DeleteFunc(h.waiting(ev.ID, h.lanes, ev.Topic, nil), func(s *Subscription) bool { return !slices.Contains(ids, s.viewer.UserID) }), nil
	}
	var subs []*Subscription
	for _, id := range ids {
		subs = h.waiting(ev.ID, h.users, id, subs)
	}
	return subs, nil
}

// waiting appends the streams under key in index that began before the event
// with the given number: the others read it from the log, and their queues
// must not be filled with it. The index of accounts also has their streams of
// lists and Context lanes, which are not feeds.
func (h *Hub) waiting(id int64, index map[string]map[*Subscription]struct{}, key string, to []*Subscription) []*Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range index[key] {
		if s.start < id && (s.feed() || s.list == key || s.lane == key) {
			to = append(to, s)
		}
	}
	return to
}

// render is e.Render for events of its kind, with a panic as an error.
func (h *Hub) render(r *store.Reader, e core.Event, v store.Viewer, evs []store.Event) (data [][]byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while rendering: %v", p)
		}
	}()
	data, err = e.Render(r, v, evs)
	if err == nil && len(data) != len(evs) {
		err = fmt.Errorf("%s: %d events were rendered as %d", e.Kind, len(evs), len(data))
	}
	return data, err
}
