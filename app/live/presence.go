package live

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/app/list"
)

const (
	typingFor     = 15 * time.Second
	presencePause = 250 * time.Millisecond // between two presence events of a list
	presenceMost  = 100                    // people, and people typing, shown of one list
)

// typer is an account that is typing in a list.
type typer struct {
	list.Typing
	unlisted bool
	expiry   *time.Timer
}

// Presence returns who is watching the list now, as shown to a viewer.
func (h *Hub) Presence(listID string, to list.Watcher) list.Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.snapshot(listID, to)
}

// snapshot is Presence. h.mu must be held.
func (h *Hub) snapshot(listID string, to list.Watcher) list.Snapshot {
	out := list.Snapshot{People: []list.Person{}, Typing: []list.Typing{}}
	named := func(unlisted bool) bool { return to.Part || !unlisted }
	seen := map[string]bool{} // an account counts once
	for s := range h.topics[listID] {
		w := s.as
		if w.Hidden || seen[w.UserID] || slices.Contains(to.Blocks, w.UserID) {
			continue
		}
		out.Viewers++
		if w.UserID == "" {
			continue
		}
		seen[w.UserID] = true
		if w.Known && named(w.Unlisted) {
			out.People = append(out.People, w.Person())
		}
	}
	for _, t := range h.typing[listID] {
		if named(t.unlisted) && !slices.Contains(to.Blocks, t.ID) {
			out.Typing = append(out.Typing, t.Typing)
		}
	}
	sort.Slice(out.People, func(i, j int) bool {
		a, b := out.People[i], out.People[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) < 0
	})
	sort.Slice(out.Typing, func(i, j int) bool {
		a, b := out.Typing[i], out.Typing[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) < 0
	})
	out.People = out.People[:min(len(out.People), presenceMost)]
	return out
}

// SetTyping sets whether a person with a name in the list is typing there, in an item or ("") a new one. It
// ends by itself after 15 seconds.
func (h *Hub) SetTyping(listID string, who list.Person, itemID string, typing bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, typed := h.typing[listID][who.ID]
	switch {
	case !typing:
		h.stopTyping(listID, who.ID)
		return
	case typed:
		was.expiry.Stop()
	case len(h.typing[listID]) >= presenceMost:
		return
	case h.typing[listID] == nil:
		h.typing[listID] = map[string]typer{}
	}
	expiry := time.AfterFunc(typingFor, func() { h.SetTyping(listID, who, itemID, false) })
	h.typing[listID][who.ID] = typer{list.Typing{ID: who.ID, Name: who.Name, ItemID: itemID}, who.Unlisted, expiry}
	h.presenceChanged(listID)
}

// stopTyping ends what an account is typing in a list. h.mu must be held.
func (h *Hub) stopTyping(listID, userID string) {
	if _, ok := h.typing[listID][userID]; !ok {
		return
	}
	if delete(h.typing[listID], userID); len(h.typing[listID]) == 0 {
		delete(h.typing, listID)
	}
	h.presenceChanged(listID)
}

// rename sets what the viewer of s is to its list. h.mu must be held.
func (h *Hub) rename(s *Subscription, as list.Watcher) {
	s.as = as
	if !as.Known && !as.Agent {
		h.stopTyping(s.topic, as.UserID)
	}
	h.presenceChanged(s.topic)
}

// left is called when s has ended: the account types no longer if it was its last stream of the list. h.mu must
// be held.
func (h *Hub) left(s *Subscription) {
	if s.scope != core.ToList {
		return
	}
	h.presenceChanged(s.topic)
	if s.as.Agent {
		return
	}
	for other := range h.topics[s.topic] {
		if other.viewer.UserID == s.viewer.UserID && !other.as.Agent {
			return
		}
	}
	h.stopTyping(s.topic, s.viewer.UserID)
}

// presenceChanged has the list's presence sent after a pause. h.mu must be held.
func (h *Hub) presenceChanged(listID string) {
	if len(h.topics[listID]) > 0 && !h.changed[listID] {
		h.changed[listID] = true
		time.AfterFunc(presencePause, func() { h.sendPresence(listID) })
	}
}

// sendPresence sends who watches a list to those who do: the same to all with a part in it, and to all others,
// but for viewers with blocks.
func (h *Hub) sendPresence(listID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.changed, listID)
	frames := map[bool]*frame{}
	for s := range h.topics[listID] {
		if len(s.as.Blocks) > 0 {
			h.queue(s, h.presenceFrame(listID, s.as))
			continue
		}
		if frames[s.as.Part] == nil {
			frames[s.as.Part] = h.presenceFrame(listID, s.as)
		}
		h.queue(s, frames[s.as.Part])
	}
}

// presenceOf returns who watches the list of s as it is sent to s.
func (h *Hub) presenceOf(s *Subscription) *frame {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.presenceFrame(s.topic, s.as)
}

// presenceFrame returns who watches a list as it is sent to a viewer. h.mu must be held.
func (h *Hub) presenceFrame(listID string, to list.Watcher) *frame {
	b, _ := json.Marshal(h.snapshot(listID, to)) // names come from the database, where every text is UTF-8
	return &frame{presence: true, wire: appendEvent(nil, h.presence, b)}
}
