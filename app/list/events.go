package list

import (
	"cmp"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

const (
	listUpdated     store.EventKind = "list.updated"
	listShared      store.EventKind = "list.shared"
	listDeleted     store.EventKind = "list.deleted"
	itemCreated     store.EventKind = "item.created"
	itemUpdated     store.EventKind = "item.updated"
	itemDeleted     store.EventKind = "item.deleted"
	itemHeld        store.EventKind = "item.held"
	starAdded       store.EventKind = "item.starred"
	starRemoved     store.EventKind = "item.unstarred"
	commentAdded    store.EventKind = "item.commented"
	commentRemoved  store.EventKind = "item.uncommented"
	presenceChanged store.EventKind = "list.presence"
)

// Events returns the package's table of events.
func Events() []core.Event {
	return []core.Event{
		change(listUpdated, "lists", "update", core.CheckList, "The list itself changed."),
		change(listDeleted, "lists", "delete", core.EndList, "The list was deleted; the stream ends."),
		change(itemCreated, "items", "insert", 0, "An item was added."),
		change(itemUpdated, "items", "update", 0, "An item was edited or moved."),
		change(itemDeleted, "items", "delete", 0, "An item was deleted."),
		change(starAdded, "stars", "insert", 0, "An item was starred."),
		change(starRemoved, "stars", "delete", 0, "A star was taken from an item."),
		commentChange(commentAdded, "insert", "A comment was added to an item."),
		commentChange(commentRemoved, "delete", "A comment of an item was deleted."),
		{Kind: listShared, Scope: core.ToList, Effects: core.CheckList},
		{Kind: itemHeld, Scope: core.ToList},
		{Kind: presenceChanged, Name: "presence", Ephemeral: true, Presence: true, Scope: core.ToList, Data: Snapshot{},
			Doc: "Who is watching the list: first in every stream, and again when it changes."},
	}
}

// ChangesContent reports whether an event of the kind changes a list or its items. Stars, comments and
// members are not content.
func ChangesContent(kind store.EventKind) bool {
	switch kind {
	case listUpdated, listDeleted, itemCreated, itemUpdated, itemDeleted:
		return true
	}
	return false
}

// Change is the data of change. ItemID is the item that changed, or the item of the star or comment. It is
// nil for the list itself.
type Change struct {
	Table  string  `json:"table" enum:"lists|items|stars|comments"`
	Op     string  `json:"op" enum:"insert|update|delete"`
	ListID string  `json:"listId"`
	ItemID *string `json:"itemId"`
}

func change(kind store.EventKind, table, op string, effects core.Effect, doc string) core.Event {
	render := func(_ *store.Reader, _ store.Viewer, ev store.Event) (any, error) {
		c := Change{Table: table, Op: op, ListID: ev.Topic}
		if table != "lists" {
			c.ItemID = &ev.ObjectID
		}
		return c, nil
	}
	return core.Event{Kind: kind, Name: "change", Scope: core.ToList, Data: Change{}, Render: render, Effects: effects, Doc: doc}
}

// commentChange is change for a comment by the actor. Accounts that do not see the actor's comments do not
// receive it.
func commentChange(kind store.EventKind, op, doc string) core.Event {
	e := change(kind, "comments", op, 0, doc)
	render := e.Render
	e.Groups = func(r *store.Reader, ev store.Event) (func(store.Viewer) string, error) {
		hidden, err := r.CommentsHiddenFrom(ev.Topic, ev.ActorID)
		return func(v store.Viewer) string {
			if slices.Contains(hidden, v.UserID) {
				return "blocked"
			}
			return ""
		}, err
	}
	e.Render = func(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
		hidden, err := r.CommentsHiddenFrom(ev.Topic, ev.ActorID)
		if err != nil || slices.Contains(hidden, viewer.UserID) {
			return nil, err
		}
		return render(r, viewer, ev)
	}
	return e
}

// Ended records the deletion of the lists of a deleted account. It also records that lists lost their members because the
// owner's address was first proven.
func Ended(tx *store.Tx, what store.Ended) (err error) {
	for _, id := range what.Lists {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: id, Kind: listDeleted, ObjectID: id, ActorID: store.DeletedUserID}))
	}
	for _, s := range what.Shares {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: s.ID, Kind: listShared, ObjectID: s.OtherID, ActorID: what.Accounts[0]}))
	}
	return err
}
