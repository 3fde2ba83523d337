package live

import (
	"slices"

	"hearth/app/core"
	"hearth/app/list"
	"hearth/store"
)

// recheck applies the effects of all events up to the state of r on the rights
// and names of open streams, of which events are the next to deliver. It takes
// one query for all credentials and one for all lists, however many streams
// and changes there are. Streams whose rights cannot be read end.
func (h *Hub) recheck(r *store.Reader, events []store.Event) error {
	changes, err := h.changes(r, events)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if h.events.byKind[c.Kind].Effects&core.EndTyping != 0 {
			h.presence.stopTyping(c.Topic)
		}
	}
	callers, watchers, lanes := h.affected(changes)
	h.checkCredentials(r, callers)
	h.checkWatchers(r, watchers)
	h.checkLanes(r, lanes)
	return nil
}

// changes returns what changed rights or names since the last call. With a
// backlog that includes events that are delivered later, because r shows
// their effects already.
func (h *Hub) changes(r *store.Reader, events []store.Event) (out []store.ChangedTopic, err error) {
	for _, ev := range events {
		if ev.ID > h.checked && h.events.byKind[ev.Kind].Effects&rights != 0 {
			out = append(out, store.ChangedTopic{Kind: ev.Kind, Topic: ev.Topic, ID: ev.ID})
		}
	}
	newest := events[len(events)-1].ID
	if len(events) == eventBatch {
		rest, err := r.ChangedTopics(max(h.checked, newest), h.events.checks)
		if err != nil {
			return nil, err
		}
		out = append(out, rest...)
		if _, newest, err = r.EventRange(); err != nil {
			return nil, err
		}
	}
	h.checked = max(h.checked, newest)
	return out, nil
}

// affected returns the streams whose credential, those whose list or name in it, and
// those whose Context lane has to be checked. Streams that were opened after a change were
// checked after it.
func (h *Hub) affected(changes []store.ChangedTopic) (callers, watchers, lanes []*Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := [3]map[*Subscription]bool{{}, {}, {}}
	add := func(to *[]*Subscription, seen map[*Subscription]bool, s *Subscription, id int64) {
		if s.start < id && !seen[s] {
			seen[s] = true
			*to = append(*to, s)
		}
	}
	for _, c := range changes {
		effects := h.events.byKind[c.Kind].Effects
		for s := range h.users[c.Topic] {
			if effects&core.CheckCredentials != 0 {
				add(&callers, seen[0], s, c.ID)
			}
			if effects&core.CheckNames != 0 && s.list != "" {
				add(&watchers, seen[1], s, c.ID)
			}
			if effects&core.CheckLanes != 0 && s.lane != "" {
				add(&lanes, seen[2], s, c.ID)
			}
		}
		if effects&core.CheckList != 0 {
			for s := range h.lists[c.Topic] {
				add(&watchers, seen[1], s, c.ID)
			}
		}
	}
	for _, s := range watchers {
		s.stale++
	}
	return callers, watchers, lanes
}

func (h *Hub) checkCredentials(r *store.Reader, subs []*Subscription) {
	if len(subs) == 0 {
		return
	}
	viewers := make([]store.Viewer, len(subs))
	for i, s := range subs {
		viewers[i] = s.viewer
	}
	valid, err := h.cfg.Credentials(r, viewers)
	if err != nil {
		h.cfg.Log.Error("live: credentials could not be checked; their streams end", "streams", len(subs), "error", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, s := range subs {
		if err != nil || !valid[i] {
			h.end(s, errRevoked)
		}
	}
}

func (h *Hub) checkWatchers(r *store.Reader, subs []*Subscription) {
	if len(subs) == 0 {
		return
	}
	type key struct {
		list, user string
		agent      bool
	}
	keyOf := func(s *Subscription) key { return key{s.list, s.viewer.UserID, s.viewer.ActsForPerson()} }
	place := map[key]int{} // the anonymous streams of a list are one watcher
	var ws []list.Watcher
	for _, s := range subs {
		if _, ok := place[keyOf(s)]; !ok {
			place[keyOf(s)] = len(ws)
			ws = append(ws, s.watcher())
		}
	}
	err := h.cfg.Watchers(r, ws)
	if err != nil {
		h.cfg.Log.Error("live: lists could not be checked; their streams end", "streams", len(subs), "error", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range subs {
		if w := ws[place[keyOf(s)]]; err != nil || !w.Visible {
			h.end(s, errRevoked)
		} else {
			h.presence.rename(s, w)
		}
	}
}

func (h *Hub) checkLanes(r *store.Reader, subs []*Subscription) {
	for _, s := range subs {
		_, err := h.check(r, s)
		if err == nil {
			continue
		}
		if !core.Known(err) {
			h.cfg.Log.Error("live: a Context lane could not be checked; its stream ends", "error", err)
		}
		h.endAll([]*Subscription{s}, errRevoked)
	}
}

// check returns what the viewer of s is to its list in the state of r.
// ErrUnauthenticated if their credential is no longer valid, ErrNotFound if
// they may not see the list, ErrNotMember if they are not in the conversation.
func (h *Hub) check(r *store.Reader, s *Subscription) (list.Watcher, error) {
	w := s.watcher()
	if s.viewer.SignedIn() {
		valid, err := h.cfg.Credentials(r, []store.Viewer{s.viewer})
		if err != nil {
			return w, err
		}
		if !valid[0] {
			return w, core.ErrUnauthenticated
		}
	}
	if s.lane != "" {
		members, err := h.cfg.Audience(r, s.lane)
		if err == nil && !slices.Contains(members, s.viewer.UserID) {
			err = core.ErrNotMember
		}
		return w, err
	}
	if s.list == "" {
		return w, nil
	}
	ws := []list.Watcher{w}
	if err := h.cfg.Watchers(r, ws); err != nil {
		return w, err
	}
	if !ws[0].Visible {
		return w, core.ErrNotFound
	}
	return ws[0], nil
}
