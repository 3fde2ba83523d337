package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// Snapshot is who is watching a list. It is the data of presence.
type Snapshot struct {
	Viewers int      `json:"viewers" read:"others"` // anonymous ones included; an account counts once
	People  []Person `json:"people" read:"others"`  // those of them that have a part in the list, by name
	Typing  []Typing `json:"typing" read:"others"`  // those who said so within the last 15 s
}

// Person is a viewer who is shown by name.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Unlisted is whether only those with a part in the list are shown the name.
	Unlisted bool `json:"-"`
}

// Typing is a viewer who is typing; ItemID is "" for a new item.
type Typing struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	ItemID string `json:"itemId"`
}

// Watcher is a viewer who watches a list, or wants to.
type Watcher struct {
	ListID  string
	UserID  string   // "" if anonymous
	Agent   bool     // whether it is a key of a person: nobody sees it watch
	Visible bool     // whether they may see the list
	Part    bool     // whether they have a part in it
	Known   bool     // whether the others who watch it see their name
	Typing  bool     // whether the others see that this viewer is typing
	Hidden  bool     // whether they are not counted: others see them as if they were not here
	Name    string   // if Known or Typing
	Blocks  []string // those with a part in the list whom they see as if they were not here
	// Unlisted is whether only those with a part in the list see their name.
	Unlisted bool
}

// Person returns w as it is shown to others.
func (w Watcher) Person() Person { return Person{w.UserID, w.Name, w.Unlisted} }

// NewWatcher returns by as a watcher of a list, before Watchers.
func NewWatcher(listID string, by store.Viewer) Watcher {
	return Watcher{ListID: listID, UserID: by.UserID, Agent: by.ActsForPerson()}
}

// Watchers sets what each of ws is to its list, with one query. Only those with a
// part in a list are known by name, and all others are counted; those who chose to be
// invisible are neither, and nor are the keys of people, which go on when their people
// are gone. Typing by a key is shown while its person is here.
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

// checkList returns nil if by may see the list, and so watch it, and NotFound
// otherwise.
func (s *Service) checkList(ctx context.Context, by store.Viewer, in GetListIn) (out core.None, err error) {
	return out, s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.List(by, in.ID)
		return core.Found(err)
	})
}

// Watcher returns by as a watcher of the list; NotFound if they may
// not see it.
func (s *Service) Watcher(ctx context.Context, by store.Viewer, listID string) (Watcher, error) {
	ws := []Watcher{NewWatcher(listID, by)}
	err := s.db.Read(ctx, func(r *store.Reader) error { return Watchers(r, ws) })
	if err == nil && !ws[0].Visible {
		err = core.ErrNotFound
	}
	return ws[0], err
}

// CheckItem returns nil if by may see the item, and NotFound otherwise.
func (s *Service) CheckItem(ctx context.Context, by store.Viewer, listID, itemID string) error {
	if !store.ValidID(itemID) {
		return core.ErrNotFound
	}
	return s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Item(by, listID, itemID)
		return core.Found(err)
	})
}
