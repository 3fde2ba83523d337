package live

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/list"
)

const (
	typingFor     = 15 * time.Second
	presencePause = 250 * time.Millisecond // between two presence events of a list
	presenceMost  = 100                    // people, and people typing, shown of one list
)

// Presence is who watches which list, in memory. Changes are published to the
// list's streams, at most four times a second.
type Presence struct {
	mu    sync.Mutex
	lists map[string]*watchedList
	dirty map[string]bool
	wake  chan struct{}
}

// watchedList is a list with people who watch it or are typing in it.
type watchedList struct {
	watchers map[any]*watcher // by account id or, without one and for keys of people, by stream
	typing   map[string]typer // by account id
}

type watcher struct {
	streams int
	person  list.Person
	part    bool // in the list
	known   bool
	hidden  bool     // not counted
	blocks  []string // accounts that are neither counted nor named to it
}

type typer struct {
	list.Typing
	unlisted bool
	until    time.Time
}

func newPresence() *Presence {
	return &Presence{lists: map[string]*watchedList{}, dirty: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// Snapshot returns who is watching the list now, as shown to a viewer.
func (p *Presence) Snapshot(listID string, to list.Watcher) list.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot(listID, time.Now(), to)
}

func (p *Presence) snapshot(listID string, now time.Time, to list.Watcher) list.Snapshot {
	out := list.Snapshot{People: []list.Person{}, Typing: []list.Typing{}}
	wl := p.lists[listID]
	if wl == nil {
		return out
	}
	named := func(id string, unlisted bool) bool { return !slices.Contains(to.Blocks, id) && (to.Part || !unlisted) }
	for _, w := range wl.watchers {
		if !w.hidden && !slices.Contains(to.Blocks, w.person.ID) {
			out.Viewers++
		}
		if w.known && named(w.person.ID, w.person.Unlisted) {
			out.People = append(out.People, w.person)
		}
	}
	for _, t := range wl.typing {
		if t.until.After(now) && named(t.ID, t.unlisted) {
			out.Typing = append(out.Typing, t.Typing)
		}
	}
	slices.SortFunc(out.People, func(a, b list.Person) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(out.Typing, func(a, b list.Typing) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	out.People = out.People[:min(len(out.People), presenceMost)]
	return out
}

// shown returns the viewer of s with the accounts that are not shown to them.
func (p *Presence) shown(s *Subscription) list.Watcher {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := s.watcher()
	if wl := p.lists[s.list]; wl != nil && wl.watchers[watcherKey(s)] != nil {
		to.Blocks, to.Part = wl.watchers[watcherKey(s)].blocks, wl.watchers[watcherKey(s)].part
	}
	return to
}

// encoded is the snapshot as JSON.
func (p *Presence) encoded(listID string, to list.Watcher) []byte {
	b, err := json.Marshal(p.Snapshot(listID, to))
	if err != nil {
		// Names come from the database, where every text is UTF-8.
		return []byte(`{"viewers":0,"people":[],"typing":[]}`)
	}
	return b
}

// SetTyping sets whether a person with a name in the list is typing there, in
// an item or ("") a new one. It ends by itself after 15 seconds.
func (p *Presence) SetTyping(listID string, who list.Person, itemID string, typing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wl := p.lists[listID]
	if !typing {
		if wl == nil {
			return
		}
		if _, ok := wl.typing[who.ID]; ok {
			delete(wl.typing, who.ID)
			p.changed(listID)
		}
		return
	}
	wl = p.watched(listID)
	if _, ok := wl.typing[who.ID]; !ok && len(wl.typing) >= presenceMost {
		return
	}
	wl.typing[who.ID] = typer{list.Typing{ID: who.ID, Name: who.Name, ItemID: itemID}, who.Unlisted, time.Now().Add(typingFor)}
	p.changed(listID)
}

// inUse reports whether anybody watches a list or is typing in one.
func (p *Presence) inUse() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lists) > 0
}

// stopTyping ends what an account is typing anywhere: what it may be shown as has
// changed, and it may have no stream to be checked again.
func (p *Presence) stopTyping(userID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for listID, wl := range p.lists {
		if _, ok := wl.typing[userID]; ok {
			delete(wl.typing, userID)
			p.changed(listID)
		}
	}
}

func (p *Presence) watched(listID string) *watchedList {
	wl := p.lists[listID]
	if wl == nil {
		wl = &watchedList{watchers: map[any]*watcher{}, typing: map[string]typer{}}
		p.lists[listID] = wl
	}
	return wl
}

func watcherKey(s *Subscription) any {
	if s.viewer.UserID != "" && !s.viewer.ActsForPerson() {
		return s.viewer.UserID
	}
	return s
}

// join counts s among those who watch its list, as what its viewer is there.
func (p *Presence) join(s *Subscription, as list.Watcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wl, key := p.watched(s.list), watcherKey(s)
	w := wl.watchers[key]
	if w == nil {
		w = &watcher{}
		wl.watchers[key] = w
	}
	if !s.joined {
		w.streams++
	}
	s.joined = true
	p.setName(wl, w, as)
	p.changed(s.list)
}

// rename updates what the viewer of s is to the list, if it is counted.
func (p *Presence) rename(s *Subscription, as list.Watcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.joined && p.setName(p.lists[s.list], p.lists[s.list].watchers[watcherKey(s)], as) {
		p.changed(s.list)
	}
}

// setName reports whether w is now shown in another way. p.mu must be held.
func (p *Presence) setName(wl *watchedList, w *watcher, as list.Watcher) bool {
	was := *w
	w.part, w.known, w.hidden, w.person, w.blocks = as.Part, as.Known && as.UserID != "", as.Hidden, list.Person{}, as.Blocks
	if w.known {
		w.person = as.Person()
	} else if !as.Agent {
		delete(wl.typing, as.UserID)
	}
	return w.part != was.part || w.known != was.known || w.hidden != was.hidden || w.person != was.person || !slices.Equal(w.blocks, was.blocks)
}

func (p *Presence) leave(s *Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.joined {
		return
	}
	s.joined = false
	wl, key := p.lists[s.list], watcherKey(s)
	if w := wl.watchers[key]; w.streams > 1 {
		w.streams--
	} else {
		delete(wl.watchers, key)
		if key != s {
			delete(wl.typing, s.viewer.UserID)
		}
	}
	p.changed(s.list)
}

// changed schedules the list's presence for publishing. p.mu must be held.
func (p *Presence) changed(listID string) {
	if wl := p.lists[listID]; wl != nil && len(wl.watchers) == 0 && len(wl.typing) == 0 {
		delete(p.lists, listID)
	}
	p.dirty[listID] = true
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run publishes changes until ctx ends: the first at once, the next after a
// pause.
func (p *Presence) run(ctx context.Context, publish func(listID string)) {
	expiry := time.NewTimer(time.Hour)
	defer expiry.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		select {
		case <-p.wake:
		case <-expiry.C:
		case <-ctx.Done():
			return
		}
		dirty, next := p.collect(time.Now())
		for _, listID := range dirty {
			publish(listID)
		}
		expiry.Reset(next)
		pause.Reset(presencePause)
	}
}

// collect removes who stopped typing and returns the lists that have changed,
// and how long until the next one stops.
func (p *Presence) collect(now time.Time) (dirty []string, next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next = time.Hour
	for id, wl := range p.lists {
		for user, t := range wl.typing {
			if left := t.until.Sub(now); left > 0 {
				next = min(next, left)
				continue
			}
			delete(wl.typing, user)
			p.dirty[id] = true
		}
		if len(wl.watchers) == 0 && len(wl.typing) == 0 {
			delete(p.lists, id)
		}
	}
	for id := range p.dirty {
		dirty = append(dirty, id)
	}
	clear(p.dirty)
	return dirty, next
}
