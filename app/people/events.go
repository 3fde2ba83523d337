package people

import (
	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

const (
	blockChanged  store.EventKind = "block.changed"
	friendUpdated store.EventKind = "friend.updated"
)

// Events is the package's table of events.
func Events() []core.Event {
	return []core.Event{
		{Kind: blockChanged, Scope: core.ToUser, Effects: core.CheckUser},
		{Kind: friendUpdated, Scope: core.ToUser, Data: FriendEvent{}, Render: renderFriends,
			Doc: "How the caller relates to another person changed: a request, a friendship, or the end of one."},
	}
}

// FriendEvent is the data of friend.updated: the state now.
type FriendEvent struct {
	FriendStatus
	User *core.PublicUser `json:"user,omitzero" doc:"Absent in the state none"`
}

func renderFriends(r *store.Reader, viewer store.Viewer, evs []store.Event) ([][]byte, error) {
	ids := core.Map(evs, func(ev store.Event) string { return ev.ObjectID })
	rows, err := r.FriendsByID(viewer, ids...)
	if err != nil {
		return nil, err
	}
	users, err := profiles(r, viewer, core.Map(rows, func(f store.Friend) string { return f.UserID }))
	if err != nil {
		return nil, err
	}
	states := make(map[string]FriendEvent, len(rows))
	for _, f := range rows {
		u := users[f.UserID]
		states[f.UserID] = FriendEvent{statusOf(f), &u}
	}
	out := make([][]byte, len(evs))
	for i, id := range ids {
		state, ok := states[id]
		if !ok {
			state.FriendStatus = FriendStatus{UserID: id, State: "none"}
		}
		if out[i], err = json.Marshal(state, json.Deterministic(true)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
