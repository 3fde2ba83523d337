package live

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	typingFor     = 15 * time.Second
	presencePause = 250 * time.Millisecond // between two presence events of a list
	presenceMost  = 100                    // people, and people typing, shown of one list
)

// Snapshot is who watches a list, as it goes over the wire.
type Snapshot struct {
	Viewers int      `json:"viewers"` // how many, strangers too; an account counts once
	People  []Person `json:"people"`  // those of them that are known here, by name
	Typing  []Typing `json:"typing"`  // those who said so within the last 15 s
}

// Person is a known viewer.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Typing is a known viewer who is writing; ItemID is "" for a new item.
type Typing struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	ItemID string `json:"itemId"`
}

// Presence knows who watches which list. It is kept in memory only. Changes
// go to the list's streams as event "presence", at most four a second.
type Presence struct {
	mu    sync.Mutex
	lists map[string]*room
	dirty map[string]bool
	wake  chan struct{}
}

// room is one list with somebody in it.
type room struct {
	watchers map[any]*watcher // by account id or, without one, by stream
	typing   map[string]typer // by account id
}

type watcher struct {
	streams int
	person  Person
	known   bool
}

type typer struct {
	Typing
	until time.Time
}

func newPresence() *Presence {
	return &Presence{lists: map[string]*room{}, dirty: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// Snapshot returns who watches the list now.
func (p *Presence) Snapshot(listID string) Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot(listID, time.Now())
}

func (p *Presence) snapshot(listID string, now time.Time) Snapshot {
	out := Snapshot{People: []Person{}, Typing: []Typing{}}
	r := p.lists[listID]
	if r == nil {
		return out
	}
	out.Viewers = len(r.watchers)
	for _, w := range r.watchers {
		if w.known {
			out.People = append(out.People, w.person)
		}
	}
	for _, t := range r.typing {
		if t.until.After(now) {
			out.Typing = append(out.Typing, t.Typing)
		}
	}
	slices.SortFunc(out.People, func(a, b Person) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(out.Typing, func(a, b Typing) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	out.People = out.People[:min(len(out.People), presenceMost)]
	return out
}

// encoded is the snapshot as JSON.
func (p *Presence) encoded(listID string) []byte {
	b, err := json.Marshal(p.Snapshot(listID))
	if err != nil {
		// Names come from the database, where every text is UTF-8.
		return []byte(`{"viewers":0,"people":[],"typing":[]}`)
	}
	return b
}

// SetTyping notes that a known person is, or no longer is, writing in a list,
// at an item or ("") a new one. It is forgotten after 15 seconds.
func (p *Presence) SetTyping(listID string, who Person, itemID string, typing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.lists[listID]
	if !typing {
		if r == nil {
			return
		}
		if _, ok := r.typing[who.ID]; ok {
			delete(r.typing, who.ID)
			p.changed(listID)
		}
		return
	}
	r = p.room(listID)
	if _, ok := r.typing[who.ID]; !ok && len(r.typing) >= presenceMost {
		return
	}
	r.typing[who.ID] = typer{Typing{who.ID, who.Name, itemID}, time.Now().Add(typingFor)}
	p.changed(listID)
}

func (p *Presence) room(listID string) *room {
	r := p.lists[listID]
	if r == nil {
		r = &room{watchers: map[any]*watcher{}, typing: map[string]typer{}}
		p.lists[listID] = r
	}
	return r
}

func watcherKey(s *Subscription) any {
	if s.viewer.UserID != "" {
		return s.viewer.UserID
	}
	return s
}

// join counts s among those who watch its list, once, under the name that its
// account has there now.
func (p *Presence) join(s *Subscription, name string, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, key := p.room(s.list), watcherKey(s)
	w := r.watchers[key]
	if w == nil {
		w = &watcher{}
		r.watchers[key] = w
	}
	if !s.joined {
		w.streams++
	}
	if w.known = known && s.viewer.UserID != ""; w.known {
		w.person = Person{ID: s.viewer.UserID, Name: name}
	} else {
		delete(r.typing, s.viewer.UserID)
	}
	s.joined = true
	p.changed(s.list)
}

func (p *Presence) leave(s *Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.joined {
		return
	}
	s.joined = false
	r, key := p.lists[s.list], watcherKey(s)
	if w := r.watchers[key]; w.streams > 1 {
		w.streams--
	} else {
		delete(r.watchers, key)
		delete(r.typing, s.viewer.UserID)
	}
	p.changed(s.list)
}

// changed has the list's presence published soon. p.mu must be held.
func (p *Presence) changed(listID string) {
	if r := p.lists[listID]; r != nil && len(r.watchers) == 0 && len(r.typing) == 0 {
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
func (p *Presence) run(ctx context.Context, publish func(listID, name string, data []byte)) {
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
			publish(listID, "presence", p.encoded(listID))
		}
		expiry.Reset(next)
		pause.Reset(presencePause)
	}
}

// collect forgets who stopped typing and returns the lists that have changed,
// and how long until the next one stops.
func (p *Presence) collect(now time.Time) (dirty []string, next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next = time.Hour
	for id, r := range p.lists {
		for user, t := range r.typing {
			if left := t.until.Sub(now); left > 0 {
				next = min(next, left)
				continue
			}
			delete(r.typing, user)
			p.dirty[id] = true
		}
		if len(r.watchers) == 0 && len(r.typing) == 0 {
			delete(p.lists, id)
		}
	}
	for id := range p.dirty {
		dirty = append(dirty, id)
	}
	clear(p.dirty)
	return dirty, next
}
