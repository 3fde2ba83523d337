package people

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has all operations on other people.
type Operations struct {
	GetPerson   *op.Func[UserIn, Person]
	ListBlocks  *op.Func[core.None, []Block]
	BlockUser   *op.Func[UserIn, Block]
	UnblockUser *op.Func[UserIn, core.None]

	ListFriends   *op.Func[core.None, ListFriendsOut]
	GetFriend     *op.Func[UserIn, FriendStatus]
	RequestFriend *op.Func[UserIn, FriendStatus]
	AcceptFriend  *op.Func[UserIn, FriendStatus]
	DeclineFriend *op.Func[UserIn, FriendStatus]
	CancelFriend  *op.Func[UserIn, FriendStatus]
	RemoveFriend  *op.Func[UserIn, FriendStatus]

	GetCard       *op.Func[core.None, OwnCard]
	UpdateCard    *op.Func[UpdateCardIn, OwnCard]
	RotateCard    *op.Func[core.None, OwnCard]
	OpenCard      *op.Func[CardIn, Card]
	CardFriend    *op.Func[CardIn, CardFriend]
	RequestByCard *op.Func[CardIn, CardFriend]

	Report *op.Func[ReportIn, ReportOut]
}

func (s *Service) operations(l *op.Limits) Operations {
	invalid, conflict := []core.Kind{core.Invalid}, []core.Kind{core.Invalid, core.Conflict}
	requests, blocks := []limit.Rate{limit.FriendRequests}, []limit.Rate{limit.Blocks}
	return Operations{
		GetPerson: op.New(l, s.getPerson, op.Spec{Summary: "Get a person", Guard: op.Member, Hints: op.ReadOnly}),
		ListBlocks: op.New(l, s.listBlocks, op.Spec{Route: "GET /api/chat/blocks", Summary: "List the people you block", Guard: op.Member,
			Hints: op.ReadOnly}),
		BlockUser: op.New(l, s.blockUser, op.Spec{Route: "POST /api/chat/users/{id}/block", Summary: "Block a person", Guard: op.Member,
			Hints: op.Idempotent, Limits: blocks, Errors: conflict}),
		UnblockUser: op.New(l, s.unblockUser, op.Spec{Route: "DELETE /api/chat/users/{id}/block", Summary: "Unblock a person", Guard: op.Member,
			Limits: blocks}),

		ListFriends: op.New(l, s.listFriends, op.Spec{Route: "GET /api/friends", Summary: "List friends and requests", Guard: op.Member,
			Hints: op.ReadOnly}),
		GetFriend: op.New(l, s.getFriend, op.Spec{Route: "GET /api/friends/users/{id}", Summary: "Get how you relate to a person",
			Guard: op.Member, Hints: op.ReadOnly, Errors: invalid}),
		RequestFriend: op.New(l, s.requestFriend, op.Spec{Route: "POST /api/friends/users/{id}/request", Summary: "Ask a person to be friends",
			Guard: op.Member, NoBots: true, Hints: op.Idempotent, Limits: requests, Errors: conflict, Stores: true}),
		AcceptFriend: op.New(l, s.acceptFriend, op.Spec{Route: "POST /api/friends/users/{id}/accept", Summary: "Accept a friend request",
			Guard: op.Member, Errors: conflict}),
		DeclineFriend: op.New(l, s.declineFriend, op.Spec{Route: "POST /api/friends/users/{id}/decline", Summary: "Decline a friend request",
			Guard: op.Member, Errors: conflict}),
		CancelFriend: op.New(l, s.cancelFriend, op.Spec{Route: "POST /api/friends/users/{id}/cancel", Summary: "Cancel your friend request",
			Guard: op.Member, Errors: conflict}),
		RemoveFriend: op.New(l, s.removeFriend, op.Spec{Route: "POST /api/friends/users/{id}/remove", Summary: "Remove a friend",
			Guard: op.Member, Hints: op.Destructive, Errors: conflict}),

		GetCard: op.New(l, s.getCard, op.Spec{Route: "GET /api/card/me", Summary: "Get your add-me card", Guard: op.HumanOnly,
			Hints: op.ReadOnly}),
		UpdateCard: op.New(l, s.updateCard, op.Spec{Route: "PATCH /api/card/me", Summary: "Update your add-me card", Guard: op.HumanOnly,
			Hints: op.Idempotent}),
		RotateCard: op.New(l, s.rotateCard, op.Spec{Route: "POST /api/card/me/rotate", Summary: "Give your add-me card a new link",
			Guard: op.HumanOnly, Hints: op.Destructive}),
		OpenCard: op.New(l, s.openCard, op.Spec{Route: "GET /api/card/{token}", Summary: "Get an add-me card", Guard: op.Public,
			Hints: op.ReadOnly}),
		CardFriend: op.New(l, s.cardFriend, op.Spec{Route: "GET /api/card/{token}/friend-status",
			Summary: "Get how you relate to the owner of a card", Guard: op.Member, Hints: op.ReadOnly, Errors: invalid}),
		RequestByCard: op.New(l, s.requestByCard, op.Spec{Route: "POST /api/card/{token}/friend-request",
			Summary: "Ask the owner of a card to be friends", Guard: op.Member, NoBots: true, Hints: op.Idempotent, Limits: requests,
			Errors: invalid, Stores: true}),

		Report: op.New(l, s.report, op.Spec{Route: "POST /api/chat/reports 201", Summary: "Report a message or a person", Guard: op.Member,
			Hints: op.Idempotent, Limits: []limit.Rate{limit.Reports}, Errors: []core.Kind{core.NotFound}}),
	}
}

// UserIn names a person.
type UserIn struct {
	UserID string `path:"id" json:"-"`
}
