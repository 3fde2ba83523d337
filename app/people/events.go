package people

import (
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
