package live

import (
	"fmt"

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

// event renders ev once for each group of viewers and queues it. Streams that it
// cannot be rendered for end: their clients reconnect and read it from the log, so
// that no event is lost.
func (d *delivery) event(e core.Event, ev store.Event) {
	if e.Render != nil {
		subs, err := d.receivers(ev, e.Scope)
		if err == nil {
			err = d.send(e, ev, subs)
		}
		if err != nil {
			d.h.cfg.Log.Error("live: an event could not be delivered; its streams end", "event", ev.ID, "kind", ev.Kind, "error", err)
			d.h.endAll(subs, errRevoked)
		}
	}
	if e.Effects&core.EndList != 0 {
		d.h.endAll(d.h.watching(ev.Topic), errOver)
	}
}

func (d *delivery) send(e core.Event, ev store.Event, subs []*Subscription) error {
	if len(subs) == 0 {
		return nil
	}
	groupOf := func(store.Viewer) string { return "" }
	if e.Variant != nil {
		groupOf = func(v store.Viewer) string { return e.Variant(ev, v) }
	}
	if e.Groups != nil {
		var err error
		if groupOf, err = e.Groups(d.r, ev); err != nil {
			return err
		}
	}
	groups := map[string][]*Subscription{}
	for _, s := range subs {
		key := groupOf(s.viewer)
		groups[key] = append(groups[key], s)
	}
	for _, group := range groups {
		data, err := d.h.render(d.r, e, group[0].viewer, []store.Event{ev})
		if err != nil {
			return err
		}
		if data[0] != nil {
			d.h.push(group, d.h.ids.frame(ev.ID, e.ClientName(), data[0]))
		}
	}
	return nil
}

// receivers returns the open streams that receive ev. With an error it returns
// all that might.
func (d *delivery) receivers(ev store.Event, scope core.Scope) ([]*Subscription, error) {
	if scope == core.ToList || scope == core.ToUser || scope == core.ToLane {
		return d.after(ev, ev.Topic, nil), nil
	}
	ids, ok := d.audiences[ev.Topic]
	if !ok {
		var err error
		if ids, err = d.h.cfg.Audience(d.r, ev.Topic); err != nil {
			return d.h.feeds(), err
		}
		d.audiences[ev.Topic] = ids
	}
	var subs []*Subscription
	for _, id := range ids {
		subs = d.after(ev, id, subs)
	}
	return subs, nil
}

// after appends the streams of a topic that began before the event: the others read
// it from the log.
func (d *delivery) after(ev store.Event, topic string, to []*Subscription) []*Subscription {
	d.h.mu.Lock()
	defer d.h.mu.Unlock()
	for s := range d.h.topics[topic] {
		if s.start < ev.ID {
			to = append(to, s)
		}
	}
	return to
}

// feeds returns all streams of accounts.
func (h *Hub) feeds() (subs []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.topic != "" && s.topic == s.viewer.UserID {
			subs = append(subs, s)
		}
	}
	return subs
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
