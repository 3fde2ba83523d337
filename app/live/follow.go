package live

import (
	"context"
	"time"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// eventBatch is how many events are delivered from one snapshot; few, because
// the database has few readers.
const eventBatch = 100

// follow reads the log whenever it is notified and, for what other processes
// write, at every poll.
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
			if more, err = h.next(ctx); err != nil && ctx.Err() == nil {
				h.cfg.Log.Warn("live: the event log could not be read; trying again", "error", err)
				break
			}
		}
	}
}

// next delivers the next events of the log, in order, and reports whether
// there may be more. Rights, audiences and content are all read from one
// snapshot: nothing that was written after a revocation can reach the streams
// that it ends.
func (h *Hub) next(ctx context.Context) (more bool, err error) {
	h.step.Lock()
	defer h.step.Unlock()
	if h.Streams() == 0 {
		return false, nil
	}
	err = h.cfg.DB.Read(ctx, func(r *store.Reader) error {
		events, err := r.EventsAfter(h.last, eventBatch)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := h.recheck(r); err != nil {
			return err
		}
		h.deliver(r, events)
		more = len(events) == eventBatch
		return nil
	})
	return more, err
}

// endExpired ends the streams whose credential has expired.
func (h *Hub) endExpired() {
	now := h.cfg.DB.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if s.viewer.Until != 0 && s.viewer.Until <= now {
			h.end(s, errRevoked)
		}
	}
}

// recheck applies what changed rights and names up to the state of r, also in
// events that are delivered later: it ends the streams whose viewers may no longer
// watch. It takes a fixed number of queries, however many streams there are.
// Streams whose rights cannot be read end.
func (h *Hub) recheck(r *store.Reader) error {
	changes, err := r.ChangedTopics(h.checked, h.events.checks)
	if err != nil {
		return err
	}
	if _, h.checked, err = r.EventRange(); err != nil {
		return err
	}
	subs, effects := h.affected(changes)
	if len(subs) == 0 {
		return nil
	}
	ws, refused, err := h.check(r, subs, effects)
	if err != nil {
		h.cfg.Log.Error("live: rights could not be checked; the streams end", "streams", len(subs), "error", err)
		h.endAll(subs, errRevoked)
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, s := range subs {
		if refused[i] != nil {
			h.end(s, errRevoked)
			continue
		}
		if s.list != "" {
			h.rename(s, ws[i])
		}
	}
	return nil
}

// affected returns the streams whose rights may have changed, and by what.
func (h *Hub) affected(changes []store.ChangedTopic) (subs []*Subscription, effects core.Effect) {
	if len(changes) == 0 {
		return nil, 0
	}
	changed := make(map[string]core.Effect, len(changes))
	for _, c := range changes {
		changed[c.Topic] |= h.events.byKind[c.Kind].Effects
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.all {
		if e := changed[s.viewer.UserID]&core.CheckUser | changed[s.list]&core.CheckList; e != 0 {
			subs, effects = append(subs, s), effects|e
		}
	}
	return subs, effects
}

// check returns what the viewers of subs are to their lists in the state of r, and for
// each why it may not watch, nil if it may: ErrUnauthenticated if its credential is no
// longer valid, ErrNotFound if it may not see the list, ErrNotMember if it is not in
// the conversation. Credentials are read only for CheckUser.
func (h *Hub) check(r *store.Reader, subs []*Subscription, effects core.Effect) (ws []list.Watcher, refused []error, err error) {
	viewers, lists, members := make([]store.Viewer, len(subs)), false, map[string]map[string]bool{}
	ws, refused = make([]list.Watcher, len(subs)), make([]error, len(subs))
	for i, s := range subs {
		viewers[i], ws[i] = s.viewer, list.NewWatcher(s.list, s.viewer)
		lists = lists || s.list != ""
		if s.lane != "" && members[s.lane] == nil {
			ids, err := h.cfg.Audience(r, s.lane)
			if err != nil {
				return nil, nil, err
			}
			members[s.lane] = setOf(ids)
		}
	}
	var valid []bool
	if effects&core.CheckUser != 0 {
		valid, err = h.cfg.Credentials(r, viewers)
	}
	if err == nil && lists {
		err = h.cfg.Watchers(r, ws)
	}
	if err != nil {
		return nil, nil, err
	}
	for i, s := range subs {
		switch {
		case valid != nil && s.viewer.SignedIn() && !valid[i]:
			refused[i] = core.ErrUnauthenticated
		case s.list != "" && !ws[i].Visible:
			refused[i] = core.ErrNotFound
		case s.lane != "" && !members[s.lane][s.viewer.UserID]:
			refused[i] = core.ErrNotMember
		}
	}
	return ws, refused, nil
}

// admit is check for one stream.
func (h *Hub) admit(r *store.Reader, s *Subscription) (list.Watcher, error) {
	ws, refused, err := h.check(r, []*Subscription{s}, core.CheckUser)
	if err != nil {
		return list.Watcher{}, err
	}
	return ws[0], refused[0]
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
