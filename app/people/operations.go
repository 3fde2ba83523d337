package people

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has all operations on other people.
type Operations struct {
	GetPerson   *op.Func[core.ByID, Person]
	ListBlocks  *op.Func[core.None, []Block]
	BlockUser   *op.Func[core.ByID, Block]
	UnblockUser *op.Func[core.ByID, core.None]

	ListFriends   *op.Func[core.None, ListFriendsOut]
	GetFriend     *op.Func[core.ByID, FriendStatus]
	RequestFriend *op.Func[core.ByID, FriendStatus]
	AcceptFriend  *op.Func[core.ByID, FriendStatus]
	DeclineFriend *op.Func[core.ByID, FriendStatus]
	CancelFriend  *op.Func[core.ByID, FriendStatus]
	RemoveFriend  *op.Func[core.ByID, FriendStatus]

	GetCard       *op.Func[core.None, OwnCard]
	UpdateCard    *op.Func[UpdateCardIn, OwnCard]
	RotateCard    *op.Func[core.None, OwnCard]
	OpenCard      *op.Func[core.ByToken, Card]
	CardFriend    *op.Func[core.ByToken, CardFriend]
	RequestByCard *op.Func[core.ByToken, CardFriend]

	Report          *op.Func[ReportIn, ReportOut]
	ListSelfReaders *op.Func[core.None, []string]
}

func (s *Service) operations(l *op.Limits) Operations {
	member, human, db, requests := op.Member.Spec, op.HumanOnly.Spec, s.db, limit.FriendRequests
	return Operations{
		GetPerson:  op.Read(l, db, getPerson, member("", "Get a person")),
		ListBlocks: op.Read(l, db, listBlocks, member("GET /api/chat/blocks", "List the people you block")),
		BlockUser: op.New(l, s.blockUser, member("POST /api/chat/users/{id}/block", "Block a person", core.Invalid,
			core.Conflict).Hint(op.Idempotent).Limited(limit.Blocks)),
		UnblockUser: op.New(l, s.unblockUser, member("DELETE /api/chat/users/{id}/block", "Unblock a person").Limited(limit.Blocks)),

		ListFriends: op.Read(l, db, listFriends, member("GET /api/friends", "List friends and requests")),
		GetFriend:   op.Read(l, db, getFriend, member("GET /api/friends/users/{id}", "Get how you relate to a person", core.Invalid)),
		RequestFriend: op.Write(l, db, requestFriend, member("POST /api/friends/users/{id}/request", "Ask a person to be friends",
			core.Invalid, core.Conflict).Hint(op.Idempotent|op.NoBots|op.Stores).Limited(requests)),
		AcceptFriend: op.Write(l, db, acceptFriend, member("POST /api/friends/users/{id}/accept", "Accept a friend request",
			core.Invalid, core.Conflict)),
		DeclineFriend: op.Write(l, db, declineFriend, member("POST /api/friends/users/{id}/decline", "Decline a friend request",
			core.Invalid, core.Conflict)),
		CancelFriend: op.Write(l, db, cancelFriend, member("POST /api/friends/users/{id}/cancel", "Cancel your friend request",
			core.Invalid, core.Conflict)),
		RemoveFriend: op.Write(l, db, removeFriend, member("POST /api/friends/users/{id}/remove", "Remove a friend",
			core.Invalid, core.Conflict).Hint(op.Destructive)),

		GetCard:    op.Read(l, db, s.getCard, human("GET /api/card/me", "Get your add-me card")),
		UpdateCard: op.Write(l, db, s.updateCard, human("PATCH /api/card/me", "Update your add-me card").Hint(op.Idempotent)),
		RotateCard: op.Write(l, db, s.rotateCard, human("POST /api/card/me/rotate", "Give your add-me card a new link").Hint(op.Destructive)),
		OpenCard:   op.Read(l, db, s.openCard, op.Public.Spec("GET /api/card/{token}", "Get an add-me card")),
		CardFriend: op.Read(l, db, cardFriend, member("GET /api/card/{token}/friend-status", "Get how you relate to the owner of a card",
			core.Invalid)),
		RequestByCard: op.Write(l, db, requestByCard, member("POST /api/card/{token}/friend-request",
			"Ask the owner of a card to be friends", core.Invalid).Hint(op.Idempotent|op.NoBots|op.Stores).Limited(requests)),

		Report: op.Write(l, db, report, member("POST /api/chat/reports 201", "Report a message or a person",
			core.NotFound).Hint(op.Idempotent).Limited(limit.Reports)),
		ListSelfReaders: op.Read(l, db, listSelfReaders, member("", "List whose reports only they read")),
	}
}
