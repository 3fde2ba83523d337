package list

import (
	"context"
	"fmt"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// The kinds of events whose topic is a list. Every kind that begins with
// "list." may change who sees the list, so its streams are checked again.
const (
	listUpdated = "list.updated"
	listDeleted = "list.deleted"
	listShared  = "list.shared" // with whom it is shared has changed; told to nobody
	itemCreated = "item.created"
	itemUpdated = "item.updated"
	itemDeleted = "item.deleted"
)

// EventKinds returns the kinds of events that streams of lists carry.
func EventKinds() []string {
	return []string{listUpdated, listDeleted, itemCreated, itemUpdated, itemDeleted}
}

// RenderEvent returns an event of a list as its streams carry it: "change",
// with what changed and how; all who may watch the list get the same. Whether
// they may is asked when they begin, and again after events of kind "list.".
func (s *Service) RenderEvent(_ context.Context, r *store.Reader, ev store.Event, by store.Viewer) (name string, data []byte, ok bool, err error) {
	noun, verb, _ := strings.Cut(ev.Kind, ".")
	op := map[string]string{"created": "insert", "updated": "update", "deleted": "delete"}[verb]
	item := "null"
	switch {
	case op == "":
		return "", nil, false, nil
	case noun == "item":
		item = `"` + ev.ObjectID + `"`
	}
	return "change", fmt.Appendf(nil, `{"table":"%ss","op":"%s","listId":"%s","itemId":%s}`, noun, op, ev.Topic, item), true, nil
}

// CheckList returns nil if by may see the list, and else NotFound: whether
// they may watch it.
func (s *Service) CheckList(ctx context.Context, by store.Viewer, listID string) error {
	return s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.List(by, listID)
		return core.Found(err)
	})
}

// Watcher returns the name under which by is shown to the others who watch a
// list. Only those with a part in it are known by name, unless they chose to
// be invisible; strangers are counted and never named.
func (s *Service) Watcher(ctx context.Context, by store.Viewer, listID string) (name string, known bool, err error) {
	if !by.SignedIn() {
		return "", false, s.CheckList(ctx, by, listID)
	}
	err = s.db.Read(ctx, func(r *store.Reader) error {
		l, err := r.List(by, listID)
		if err != nil {
			return core.Found(err)
		}
		u, err := r.User(by.UserID)
		name, known = u.Name, l.Role != "" && u.PresenceStatus != "invisible"
		return err
	})
	return name, known, err
}

// CheckItem returns nil if by sees the item, and else NotFound.
func (s *Service) CheckItem(ctx context.Context, by store.Viewer, listID, itemID string) error {
	if !store.ValidID(itemID) {
		return core.ErrNotFound
	}
	return s.db.Read(ctx, func(r *store.Reader) error {
		_, err := r.Item(by, listID, itemID)
		return core.Found(err)
	})
}
