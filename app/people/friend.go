package people

import (
	"cmp"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

const maxFriends = 5000

const declinedFor = 7 * 24 * time.Hour

// FriendStatus is the caller's relation to another person.
type FriendStatus struct {
	UserID    string      `json:"userId" format:"uuid"`
	State     string      `json:"state" enum:"none|incoming|outgoing|friends" doc:"Incoming: they asked. Outgoing: the caller asked."`
	UpdatedAt *store.Time `json:"updatedAt" doc:"Null in the state none"`
}

func statusOf(f store.Friend) FriendStatus {
	return FriendStatus{UserID: f.UserID, State: f.State, UpdatedAt: f.UpdatedAt.Ptr()}
}

// Friend is a FriendStatus with the person.
type Friend struct {
	FriendStatus
	User core.PublicUser `json:"user"`
}

// ListFriendsOut has the caller's friends and requests, latest change first.
type ListFriendsOut struct {
	Friends  []Friend `json:"friends"`
	Incoming []Friend `json:"incoming" doc:"People who asked the caller"`
	Outgoing []Friend `json:"outgoing" doc:"People that the caller asked"`
}

func listFriends(r *store.Reader, by store.Viewer, _ core.None) (out ListFriendsOut, err error) {
	rows, err := r.Friends(by, maxFriends)
	if err != nil {
		return out, err
	}
	users, err := profiles(r, by, core.Map(rows, func(f store.Friend) string { return f.UserID }))
	for _, f := range rows {
		to := map[string]*[]Friend{"friends": &out.Friends, "incoming": &out.Incoming, "outgoing": &out.Outgoing}[f.State]
		*to = append(*to, Friend{statusOf(f), users[f.UserID]})
	}
	return out, err
}

// getFriend returns NotFound for a person that the caller cannot ask.
func getFriend(r *store.Reader, by store.Viewer, in core.ByID) (FriendStatus, error) {
	f, err := friendWith(r, by, in.ID)
	return statusOf(f), err
}

// friendWith returns the relation to an account, by default with the state "none".
func friendWith(r *store.Reader, by store.Viewer, userID string) (store.Friend, error) {
	if userID == by.UserID {
		return store.Friend{}, core.New(core.Invalid, "own_account", "This is your own account. Send the id of another person.")
	}
	ok, err := r.MayBefriend(by, userID)
	if err == nil && !ok {
		err = core.ErrNotFound
	}
	if err != nil {
		return store.Friend{}, err
	}
	return stateWith(r, by, userID)
}

func stateWith(r *store.Reader, by store.Viewer, userID string) (store.Friend, error) {
	f, err := r.Friend(by, userID)
	if errors.Is(err, store.ErrNoRow) {
		return store.Friend{UserID: userID, State: "none"}, nil
	}
	return f, err
}

type act string

const (
	request act = "request"
	accept  act = "accept"
	decline act = "decline"
	cancel  act = "cancel"
	remove  act = "remove"
)

// after returns the next state of the acting person. ok is false if the act is not possible.
func after(a act, state string) (next string, ok bool) {
	switch string(a) + " " + state {
	case "request none", "request outgoing":
		return "outgoing", true
	case "request incoming", "accept incoming":
		return "friends", true
	case "decline incoming", "cancel outgoing", "remove friends":
		return "none", true
	}
	return state, false
}

func mirrored(state string) string {
	switch state {
	case "incoming":
		return "outgoing"
	case "outgoing":
		return "incoming"
	}
	return state
}

// requestFriend asks a person to be friends. A mutual request makes both friends at once. It returns TooMany
// in the cooldown of seven days, and Conflict between friends.
func requestFriend(tx *store.Tx, by store.Viewer, in core.ByID) (FriendStatus, error) {
	return do(tx, by, in, request)
}

func acceptFriend(tx *store.Tx, by store.Viewer, in core.ByID) (FriendStatus, error) {
	return do(tx, by, in, accept)
}

// declineFriend declines a request, with a cooldown of seven days.
func declineFriend(tx *store.Tx, by store.Viewer, in core.ByID) (FriendStatus, error) {
	return do(tx, by, in, decline)
}

func cancelFriend(tx *store.Tx, by store.Viewer, in core.ByID) (FriendStatus, error) {
	return do(tx, by, in, cancel)
}

func removeFriend(tx *store.Tx, by store.Viewer, in core.ByID) (FriendStatus, error) {
	return do(tx, by, in, remove)
}

func do(tx *store.Tx, by store.Viewer, in core.ByID, a act) (FriendStatus, error) {
	f, err := friendWith(&tx.Reader, by, in.ID)
	if err == nil {
		f, err = change(tx, by, f, a)
	}
	return statusOf(f), err
}

// change acts on the current state f, and returns the new one.
func change(tx *store.Tx, by store.Viewer, f store.Friend, a act) (store.Friend, error) {
	next, ok := after(a, f.State)
	if !ok {
		return f, errState(a, f.State)
	}
	if next == f.State {
		return f, nil
	}
	var err error
	switch {
	case next == "outgoing":
		err = mayRequest(tx, by, f.UserID)
	case a == decline:
		err = tx.PutFriendCooldown(f.UserID, by.UserID, tx.In(declinedFor))
	case next == "friends":
		err = tx.DeleteFriendCooldowns(by.UserID, f.UserID)
	}
	if err != nil {
		return f, err
	}
	if f.State, f.UpdatedAt = next, tx.Now; next == "none" {
		f.UpdatedAt = 0
		_, err = tx.DeleteFriends(by.UserID, f.UserID)
	} else {
		err = tx.PutFriends(by.UserID, f.UserID, next, mirrored(next))
	}
	return f, cmp.Or(err, friendsChanged(tx, by.UserID, f.UserID))
}

// mayRequest counts a request, and returns TooMany if it must wait.
func mayRequest(tx *store.Tx, by store.Viewer, userID string) error {
	until, err := tx.FriendCooldown(by.UserID, userID)
	if err != nil {
		return err
	}
	if now := tx.In(0); until > now {
		return limit.FriendCooldown.Wait(until.Sub(now))
	}
	return limit.FriendRequests.CallStored(tx, by)
}

func errState(a act, state string) error {
	msg := map[act]string{
		request: "You are friends already.",
		accept:  "There is no request of this person to accept.",
		decline: "There is no request of this person to decline.",
		cancel:  "You have no open request to this person.",
		remove:  "You are not friends with this person.",
	}[a]
	return core.New(core.Conflict, "friend_state", "%s The state is %s.", msg, state)
}

// friendsChanged records the relation of two accounts. The events do not reveal who acted.
func friendsChanged(tx *store.Tx, a, b string) error {
	return cmp.Or(tx.Emit(store.Event{Topic: a, Kind: friendUpdated, ObjectID: b}),
		tx.Emit(store.Event{Topic: b, Kind: friendUpdated, ObjectID: a}), core.InboxChanged(tx, a, b))
}
