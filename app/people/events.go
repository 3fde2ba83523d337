package people

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

const (
	blockChanged  store.EventKind = "block.changed"
	friendUpdated store.EventKind = "friend.updated"
)

// Events returns the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: blockChanged, Scope: core.ToUser, Effects: core.CheckUser},
		{Kind: friendUpdated, Scope: core.ToUser, Data: FriendEvent{}, Render: renderFriends,
			Doc: "How the caller relates to another person changed: a request, a friendship, or the end of one."},
	}
}

// Ended tells both sides of friendships and requests that they ended: with a deleted account, or with the first proof of
// an address.
func Ended(tx *store.Tx, what store.Ended) (err error) {
	for _, id := range what.People {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: id, Kind: friendUpdated, ObjectID: what.UserID, ActorID: store.DeletedUserID}))
	}
	for _, f := range what.Friends {
		err = cmp.Or(err, friendsChanged(tx, f.ID, f.OtherID))
	}
	return err
}

// FriendEvent is the data of friend.updated: the current state.
type FriendEvent struct {
	FriendStatus
	User *core.PublicUser `json:"user,omitzero" doc:"Absent in the state none"`
}

func renderFriends(r *store.Reader, viewer store.Viewer, ev store.Event) (any, error) {
	rows, err := r.FriendsByID(viewer, ev.ObjectID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return FriendEvent{FriendStatus: FriendStatus{UserID: ev.ObjectID, State: "none"}}, nil
	}
	users, err := profiles(r, viewer, []string{ev.ObjectID})
	u := users[ev.ObjectID]
	return FriendEvent{statusOf(rows[0]), &u}, err
}
