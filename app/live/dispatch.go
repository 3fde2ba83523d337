package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearth/store"
)

// eventBatch is how many events are dealt with in one read; few, because the
// database has few readers.
const eventBatch = 100

// follow reads the log whenever it is told to and, for what other processes
// write, a few times a second.
func (h *Hub) follow(ctx context.Context) {
	tick := time.NewTicker(h.cfg.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-tick.C:
			h.endExpired()
		}
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = h.step(ctx); err != nil && ctx.Err() == nil {
				h.cfg.Log.Warn("live: the event log could not be read; trying again", "error", err)
				break
			}
		}
	}
}

// step deals with the next events of the log, in order, and tells whether
// there may be more.
func (h *Hub) step(ctx context.Context) (more bool, err error) {
	var events []store.Event
	err = h.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		if h.skipUnwatched(r) {
			return nil
		}
		events, err = r.EventsAfter(h.last, eventBatch)
		return err
	})
	if err != nil || len(events) == 0 {
		return false, err
	}
	// From here on a new stream reads these events from the log itself and
	// skips them below; those that are there get them below.
	h.mu.Lock()
	h.mark = max(h.mark, events[len(events)-1].ID)
	h.mu.Unlock()
	h.recheck(ctx, events)
	// One state for all of it: an audience and what it is told must agree.
	err = h.cfg.DB.Snapshot(ctx, func(r *store.Reader) error {
		b := batch{h: h, r: r, audiences: map[string][]string{}}
		for _, ev := range events {
			b.deliver(ctx, ev)
			if ev.Kind == listDeleted {
				h.endAll(h.indexed(h.lists, ev.Topic), errOver)
			}
			h.last = ev.ID
		}
		return nil
	})
	return len(events) == eventBatch, err
}

// skipUnwatched moves to the end of the log when there is nobody to tell.
func (h *Hub) skipUnwatched(r *store.Reader) bool {
	h.mu.Lock()
	watched := len(h.all) > 0
	h.mu.Unlock()
	if watched {
		return false
	}
	_, newest, err := r.EventRange()
	if err != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) > 0 { // somebody came while we read: they begin at the old mark
		return false
	}
	h.last = max(h.last, newest)
	h.mark = max(h.mark, h.last)
	return true
}

// batch is the delivery of a few events within one read.
type batch struct {
	h         *Hub
	r         *store.Reader
	audiences map[string][]string // by conversation
}

// deliver renders ev once for each variant and hands it to those it is for.
// Streams that it cannot be rendered for are ended: they come back and read
// it from the log, so that nothing is left out unnoticed.
func (b *batch) deliver(ctx context.Context, ev store.Event) {
	route, ok := b.h.cfg.Routes[ev.Kind]
	if !ok {
		return
	}
	subs, err := b.receivers(ev, route.Scope)
	if err != nil {
		b.h.cfg.Log.Error("live: the audience of an event could not be read", "event", ev.ID, "kind", ev.Kind, "error", err)
		b.h.endAll(subs, errCut)
		return
	}
	variants := map[string][]*Subscription{}
	for _, s := range subs {
		key := ""
		if route.Variant != nil {
			key = route.Variant(ev, s.viewer)
		}
		variants[key] = append(variants[key], s)
	}
	for _, group := range variants {
		b.tell(ctx, route, ev, group)
	}
}

// tell gives a group what its first viewer is told. Where that is nothing the
// next viewer is asked: of those who watch a list one may have lost the right
// to it by a change that this batch does not reach yet.
func (b *batch) tell(ctx context.Context, route Route, ev store.Event, group []*Subscription) {
	asked := map[string]bool{}
	for i, s := range group {
		if asked[s.viewer.UserID] {
			continue
		}
		asked[s.viewer.UserID] = true
		f, err := b.h.render(ctx, b.r, route, ev, s.viewer)
		if err != nil {
			b.h.cfg.Log.Error("live: an event could not be rendered", "event", ev.ID, "kind", ev.Kind, "error", err)
			b.h.endAll(group, errCut)
			return
		}
		if f != nil {
			b.h.push(slices.DeleteFunc(group[i:], func(t *Subscription) bool {
				return t.viewer.UserID != s.viewer.UserID && asked[t.viewer.UserID]
			}), f)
			return
		}
		if route.Scope != ToList {
			return
		}
	}
}

// receivers returns the streams that get ev live. With an error it returns
// all that might have.
func (b *batch) receivers(ev store.Event, scope Scope) ([]*Subscription, error) {
	h := b.h
	switch scope {
	case ToList:
		return h.watchers(ev.ID, h.lists, ev.Topic, nil), nil
	case ToUser:
		return h.watchers(ev.ID, h.users, ev.Topic, nil), nil
	}
	h.mu.Lock()
	connected := len(h.users) > 0
	h.mu.Unlock()
	if !connected {
		return nil, nil
	}
	ids, ok := b.audiences[ev.Topic]
	if !ok {
		var err error
		if ids, err = h.cfg.Audience(b.r, ev.Topic); err != nil {
			return h.feeds(), err
		}
		b.audiences[ev.Topic] = ids
	}
	var subs []*Subscription
	for _, id := range ids {
		subs = h.watchers(ev.ID, h.users, id, subs)
	}
	return subs, nil
}

// watchers appends the streams under key in index that began before the event
// with the given number: the others read it from the log, and must not have
// their queues filled with it. The index of accounts holds their list streams,
// too, which are not feeds.
func (h *Hub) watchers(id int64, index map[string]map[*Subscription]struct{}, key string, to []*Subscription) []*Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range index[key] {
		if s.start < id && (s.list == "" || s.list == key) {
			to = append(to, s)
		}
	}
	return to
}

// render makes the frame of ev for one variant; nil if there is nothing to tell.
func (h *Hub) render(ctx context.Context, r *store.Reader, route Route, ev store.Event, v store.Viewer) (f *frame, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while rendering: %v", p)
		}
	}()
	name, data, ok, err := route.Render(ctx, r, ev, v)
	if err != nil || !ok {
		return nil, err
	}
	return h.numbers.keptFrame(ev.ID, name, data), nil
}

// recheck asks again about the streams whose right to be there, or whose name
// to others, one of the events may have changed, before any is delivered.
func (h *Hub) recheck(ctx context.Context, events []store.Event) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	type question struct{ kind, topic, object string }
	asked := map[question]bool{} // once is enough: the answer is that of now, whichever event asks
	for _, ev := range events {
		q := question{kind: ev.Kind, topic: ev.Topic}
		if ev.Kind == listShared {
			q.object = ev.ObjectID
		}
		if asked[q] {
			continue
		}
		asked[q] = true
		switch {
		case ev.Kind == AuthChanged:
			h.keep(h.indexed(h.users, ev.Topic), func(v store.Viewer) error { return h.cfg.CheckViewer(ctx, v) })
		case strings.HasPrefix(ev.Kind, "list.") && ev.Kind != listDeleted:
			h.keep(h.indexed(h.lists, ev.Topic), func(v store.Viewer) error { return h.cfg.CheckList(ctx, v, ev.Topic) })
			if ev.Kind == listShared {
				h.rename(ctx, h.indexed(h.users, ev.ObjectID))
			}
		case ev.Kind == UserUpdated:
			h.rename(ctx, h.indexed(h.users, ev.Topic))
		}
	}
}

// keep ends those of subs whose viewer fails the check, which is made once
// for all streams of one credential.
func (h *Hub) keep(subs []*Subscription, check func(store.Viewer) error) {
	type credential struct {
		kind               store.Kind
		user, key, session string
	}
	verdict := map[credential]error{}
	for _, s := range subs {
		c := credential{s.viewer.Kind, s.viewer.UserID, s.viewer.KeyID, s.viewer.SessionID}
		err, known := verdict[c]
		if !known {
			err = check(s.viewer)
			verdict[c] = err
		}
		if err != nil {
			h.endAll([]*Subscription{s}, errCut)
		}
	}
}

// endExpired ends the streams whose credential has run out.
func (h *Hub) endExpired() {
	now := h.cfg.DB.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.viewer.Until != 0 && s.viewer.Until <= now {
			h.end(s, errCut)
		}
	}
}
