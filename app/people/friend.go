package people

import (
	"context"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// maxFriends is how many friends and requests are listed.
const maxFriends = 5000

// declinedFor is how long a person who was declined cannot ask the same person
// again.
const declinedFor = 7 * 24 * time.Hour

// FriendStatus is how the caller relates to another person.
type FriendStatus struct {
	UserID    string      `json:"userId" format:"uuid"`
	State     string      `json:"state" enum:"none|incoming|outgoing|friends" doc:"Incoming: they asked the caller. Outgoing: the caller asked them."`
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

// ListFriendsOut has the caller's friends and requests, the latest change first.
type ListFriendsOut struct {
	Friends  []Friend `json:"friends"`
	Incoming []Friend `json:"incoming" doc:"Those who asked the caller"`
	Outgoing []Friend `json:"outgoing" doc:"Those whom the caller asked"`
}

// listFriends returns the caller's friends and requests.
func (s *Service) listFriends(ctx context.Context, by store.Viewer, _ core.None) (ListFriendsOut, error) {
	out := ListFriendsOut{Friends: []Friend{}, Incoming: []Friend{}, Outgoing: []Friend{}}
	err := s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.Friends(by, maxFriends)
		if err != nil {
			return err
		}
		users, err := profiles(r, by, core.Map(rows, func(f store.Friend) string { return f.UserID }))
		for _, f := range rows {
			to := map[string]*[]Friend{"friends": &out.Friends, "incoming": &out.Incoming, "outgoing": &out.Outgoing}[f.State]
			*to = append(*to, Friend{statusOf(f), users[f.UserID]})
		}
		return err
	})
	return out, err
}

// getFriend returns how the caller relates to another person, and NotFound for
// one whom the caller cannot ask to be friends.
func (s *Service) getFriend(ctx context.Context, by store.Viewer, in UserIn) (out FriendStatus, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		f, err := friendWith(r, by, in.UserID)
		out = statusOf(f)
		return err
	})
	return out, err
}

// friendWith returns how by relates to an account: with the state "none" if they
// are no friends and none asked to be.
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

// act is what a person does about another one.
type act string

const (
	request act = "request"
	accept  act = "accept"
	decline act = "decline"
	cancel  act = "cancel"
	remove  act = "remove"
)

// after returns the state to which an act leads, from the state in which the
// person who acts is; ok is false if that is not possible.
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

// mirrored returns the state of the other person.
func mirrored(state string) string {
	switch state {
	case "incoming":
		return "outgoing"
	case "outgoing":
		return "incoming"
	}
	return state
}

// requestFriend asks a person to be friends. It changes nothing if the caller has
// asked already, and makes both friends at once if the person asked the caller.
// It returns TooMany for seven days after the person declined, and after 20
// requests within an hour; Conflict if both are friends.
func (s *Service) requestFriend(ctx context.Context, by store.Viewer, in UserIn) (FriendStatus, error) {
	return s.do(ctx, by, in, request)
}

// acceptFriend makes the caller and a person who asked them friends. Conflict if
// the person did not ask.
func (s *Service) acceptFriend(ctx context.Context, by store.Viewer, in UserIn) (FriendStatus, error) {
	return s.do(ctx, by, in, accept)
}

// declineFriend declines a request, which cannot be repeated for seven days.
// Conflict without one.
func (s *Service) declineFriend(ctx context.Context, by store.Viewer, in UserIn) (FriendStatus, error) {
	return s.do(ctx, by, in, decline)
}

// cancelFriend withdraws the caller's request. Conflict without one.
func (s *Service) cancelFriend(ctx context.Context, by store.Viewer, in UserIn) (FriendStatus, error) {
	return s.do(ctx, by, in, cancel)
}

// removeFriend ends a friendship. Conflict without one.
func (s *Service) removeFriend(ctx context.Context, by store.Viewer, in UserIn) (FriendStatus, error) {
	return s.do(ctx, by, in, remove)
}

func (s *Service) do(ctx context.Context, by store.Viewer, in UserIn, a act) (out FriendStatus, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		f, err := friendWith(&tx.Reader, by, in.UserID)
		if err == nil {
			f, err = change(tx, by, f, a)
		}
		out = statusOf(f)
		return err
	})
	return out, err
}

// change does an act about the person of f, which is the state now, and returns
// the state then.
func change(tx *store.Tx, by store.Viewer, f store.Friend, a act) (store.Friend, error) {
	next, ok := after(a, f.State)
	if !ok {
		return f, errState(a, f.State)
	}
	if next == f.State {
		return f, nil
	}
	if next == "outgoing" {
		if err := mayRequest(tx, by, f.UserID); err != nil {
			return f, err
		}
	}
	var err error
	switch {
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
	if err == nil {
		err = friendsChanged(tx, by.UserID, f.UserID)
	}
	return f, err
}

// mayRequest counts a new request, and returns TooMany if it must wait.
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

// errState is the error for an act that is not possible in a state.
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

// friendsChanged records for two accounts how they relate to each other. The
// events do not tell who did it.
func friendsChanged(tx *store.Tx, a, b string) error {
	if err := tx.Emit(store.Event{Topic: a, Kind: friendUpdated, ObjectID: b}); err != nil {
		return err
	}
	return tx.Emit(store.Event{Topic: b, Kind: friendUpdated, ObjectID: a})
}
