package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// Snapshot is the audience of a list, the data of presence.
type Snapshot struct {
	Viewers int      `json:"viewers" read:"others"` // including anonymous viewers; an account counts once
	People  []Person `json:"people" read:"others"`  // participants, by name
	Typing  []Typing `json:"typing" read:"others"`  // active within the last 15 s
}

// Person is a viewer with a name.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Unlisted hides the name from all but participants of the list.
	Unlisted bool `json:"-"`
}

// Typing is a viewer who is typing. ItemID is "" for a new item.
type Typing struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	ItemID string `json:"itemId"`
}

// Watcher is a viewer of a list, or wants to be.
type Watcher struct {
	ListID  string
	UserID  string   // "" if anonymous
	Agent   bool     // a person's key: nobody sees it watch
	Visible bool     // may see the list
	Part    bool     // participates in the list
	Known   bool     // others see the name
	Typing  bool     // others see the typing
	Hidden  bool     // not counted, and not shown to others
	Name    string   // if Known or Typing
	Blocks  []string // participants who are hidden from the viewer
	// Unlisted hides the name from all but participants of the list.
	Unlisted bool
}

// Person returns w as shown to others.
func (w Watcher) Person() Person { return Person{w.UserID, w.Name, w.Unlisted} }

// NewWatcher returns by as a watcher of a list, before Watchers.
func NewWatcher(listID string, by store.Viewer) Watcher {
	return Watcher{ListID: listID, UserID: by.UserID, Agent: by.ActsForPerson()}
}

// Watchers fills in ws with one query. Participants are shown by name, and others are counted. Invisible
// people and keys are neither, because a key goes on without its person. A key's typing is shown while its
// person is online.
func Watchers(r *store.Reader, ws []Watcher) error {
	rows := make([]store.ListWatcher, len(ws))
	for i, w := range ws {
		rows[i] = store.ListWatcher{ListID: w.ListID, UserID: w.UserID}
	}
	found, err := r.ListWatchers(rows)
	if err != nil {
		return err
	}
	type key struct{ list, user string }
	seen := make(map[key]store.ListWatcher, len(found))
	for _, f := range found {
		seen[key{f.ListID, f.UserID}] = f
	}
	for i := range ws {
		w := &ws[i]
		f, ok := seen[key{w.ListID, w.UserID}]
		hides := core.HidesPresence(f.PresenceStatus)
		w.Visible, w.Part, w.Blocks, w.Unlisted = ok, f.Role != "", f.Blocks, f.DiscoveryMode != "name"
		w.Hidden = hides || w.Agent
		w.Known, w.Typing, w.Name = w.Part && !w.Hidden, w.Part && !hides && (!w.Agent || f.Online), ""
		if w.Known || w.Typing {
			w.Name = f.Name
		}
	}
	return nil
}

// Watcher returns by as a watcher of the list. It returns NotFound if by may not see the list.
func (s *Service) Watcher(ctx context.Context, by store.Viewer, listID string) (Watcher, error) {
	ws := []Watcher{NewWatcher(listID, by)}
	err := s.db.Read(ctx, func(r *store.Reader) error { return Watchers(r, ws) })
	if err == nil && !ws[0].Visible {
		err = core.ErrNotFound
	}
	return ws[0], err
}

// CheckItem returns NotFound if by may not see the item.
func (s *Service) CheckItem(ctx context.Context, by store.Viewer, listID, itemID string) error {
	if !store.ValidID(itemID) {
		return core.ErrNotFound
	}
	return s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Item(by, listID, itemID)
		return core.Found(err)
	})
}
