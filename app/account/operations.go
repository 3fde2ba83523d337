package account

import (
	"hearth/app/core"
	"hearth/app/file"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations has the operations on accounts, sign-in and keys.
type Operations struct {
	RequestMagicLink *op.Func[MagicLinkIn, MagicLinkOut]
	VerifyMagicLink  *op.Func[VerifyMagicLinkIn, VerifyMagicLinkOut]
	Redeem           *op.Func[VerifyMagicLinkIn, Redeemed]
	Login            *op.Func[LoginIn, TokenOut]
	StartClaim       *op.Func[StartClaimIn, core.None]
	Claim            *op.Func[ClaimIn, Claimed]
	RegisterAgent    *op.Func[RegisterAgentIn, RegisterAgentOut]
	BridgeExchange   *op.Func[BridgeExchangeRequest, BridgeExchangeResponse]

	CreateInvitation *op.Func[CreateInvitationIn, CreateInvitationOut]
	ListInvitations  *op.Func[core.None, ListInvitationsOut]
	RevokeInvitation *op.Func[core.ByID, core.None]
	CreateSignInLink *op.Func[core.ByID, SignInLink]
	GetInvitation    *op.Func[core.ByToken, Invitation]
	AcceptInvitation *op.Func[AcceptInvitationIn, VerifyMagicLinkOut]
	Join             *op.Func[AcceptInvitationIn, Redeemed]

	CreateToken    *op.Func[CreateTokenIn, TokenOut]
	Logout         *op.Func[core.None, core.None]
	GetSession     *op.Func[core.None, GetSessionOut]
	ListSessions   *op.Func[core.None, ListSessionsOut]
	EndSession     *op.Func[core.ByID, core.None]
	EndAllSessions *op.Func[core.None, core.None]

	GetMe      *op.Func[core.None, Me]
	UpdateMe   *op.Func[UpdateMeIn, Me]
	SetStatus  *op.Func[SetStatusIn, Me]
	DeleteMe   *op.Func[core.None, core.None]
	FindPeople *op.Func[FindPeopleIn, FindPeopleOut]

	SetAvatar    *op.Func[file.In, Me]
	DeleteAvatar *op.Func[core.None, Me]
	GetPicture   *op.Func[core.ByID, *file.Served]

	ListAgentKeys  *op.Func[core.None, []AgentKey]
	CreateAgentKey *op.Func[CreateAgentKeyIn, NewAgentKey]
	UpdateAgentKey *op.Func[UpdateAgentKeyIn, AgentKey]
	RevokeAgentKey *op.Func[core.ByID, core.None]
	GetKeyActivity *op.Func[core.ByID, GetKeyActivityOut]
	ListBots       *op.Func[core.None, []Bot]
	UpdateBot      *op.Func[UpdateBotIn, Bot]
	DeleteBot      *op.Func[core.ByID, core.None]
	ListListKeys   *op.Func[core.None, []AgentKey]
	CreateListKey  *op.Func[CreateListKeyIn, NewAgentKey]
	RevokeListKey  *op.Func[core.ByID, core.None]
}

// Described returns a service without a database, to describe its operations. Calling an operation panics.
func Described() *Service {
	s := &Service{}
	s.Operations = s.operations(nil)
	return s
}

func (s *Service) operations(l *op.Limits) Operations {
	public, member, human, db := op.Public.Spec, op.Member.Spec, op.HumanOnly.Spec, s.db
	return Operations{
		RequestMagicLink: op.New(l, s.requestMagicLink, public("POST /api/auth/magic-link 202",
			"Request a sign-in link and code by e-mail").Hint(op.OpenWorld).Limited(limit.SignInMails)),
		VerifyMagicLink: op.New(l, s.verifyMagicLink, public("POST /api/auth/magic-link/verify", "Sign in with a link or a code",
			core.Unauthenticated).Limited(limit.SignInTries)),
		Redeem: op.New(l, s.redeemForPage, public("", "Sign in with a link or a code on a page",
			core.Unauthenticated).Limited(limit.SignInTries)),
		Login: op.New(l, s.login, public("POST /api/auth/login", "Sign in with a password",
			core.Unauthenticated).Limited(limit.SignInTries)),
		StartClaim: op.New(l, s.startClaim, public("",
			"Check a claim, and send a code to its address").Hint(op.OpenWorld).Limited(limit.SignInMails)),
		Claim: op.New(l, s.claim, public("", "Claim a new server", core.Unauthenticated).Limited(limit.SignInTries)),
		RegisterAgent: op.New(l, s.registerAgent, public("POST /api/register-agent 201", "Register an agent",
			core.Conflict).Hint(op.Stores).Limited(limit.SignInTries, limit.Registrations)),
		BridgeExchange: op.New(l, s.bridgeExchange, op.Bridge.Spec("POST /api/auth/bridge-exchange 201",
			"Exchange a verified address for an account and a token")),

		CreateInvitation: op.New(l, s.createInvitation, human("POST /api/community/invitations 201", "Invite people to the community",
			core.Conflict).Hint(op.OpenWorld|op.Stores).Limited(limit.InvitationMails)),
		ListInvitations: op.Read(l, db, s.listInvitations, human("GET /api/community/invitations", "List invitations to the community")),
		RevokeInvitation: op.Write(l, db, s.revokeInvitation, human("DELETE /api/community/invitations/{id}",
			"Revoke an invitation to the community").Hint(op.Destructive)),
		CreateSignInLink: op.Write(l, db, s.createSignInLink, op.AdminOnly.Spec("POST /api/admin/people/{id}/sign-in-link 201",
			"Create a sign-in link for an account", core.Conflict)),
		GetInvitation: op.Read(l, db, s.getInvitation, public("GET /api/invitations/{token}", "Get an invitation to the community")),
		AcceptInvitation: op.New(l, s.acceptInvitation, public("POST /api/invitations/{token}/accept 201", "Join the community by an invitation",
			core.NotFound, core.Conflict).Hint(op.OpenWorld).Limited(limit.SignInTries)),
		Join: op.New(l, s.joinForPage, public("", "Join the community on a page", core.NotFound,
			core.Conflict).Hint(op.OpenWorld).Limited(limit.SignInTries)),

		CreateToken:    op.Write(l, db, s.createToken, human("POST /api/auth/token", "Create a user token")),
		Logout:         op.New(l, s.logout, human("POST /api/auth/logout", "Sign out").Hint(op.Destructive)),
		GetSession:     op.Read(l, db, s.getSession, public("GET /api/auth/session", "Get the signed-in account")),
		ListSessions:   op.Read(l, db, s.listSessions, human("GET /api/auth/sessions", "List sessions")),
		EndSession:     op.New(l, s.endSession, human("DELETE /api/auth/sessions/{id}", "End a session").Hint(op.Destructive)),
		EndAllSessions: op.New(l, s.endAllSessions, human("DELETE /api/auth/sessions", "End all sessions").Hint(op.Destructive|op.Idempotent)),

		GetMe:      op.Read(l, db, s.getMe, member("GET /api/auth/me", "Get my account")),
		UpdateMe:   op.New(l, s.updateMe, member("PATCH /api/auth/me", "Update my account").Hint(op.Idempotent)),
		SetStatus:  op.New(l, s.setStatus, member("PUT /api/auth/me/status", "Set my status").Hint(op.Idempotent)),
		DeleteMe:   op.New(l, s.deleteMe, human("DELETE /api/auth/me", "Delete my account", core.Conflict).Hint(op.Destructive)),
		FindPeople: op.New(l, s.findPeople, member("GET /api/people", "Find people").Hint(op.ReadOnly)),

		SetAvatar: op.New(l, s.setAvatar, member("POST /api/auth/me/avatar", "Set my profile picture").Hint(op.Idempotent|op.Stores)),
		DeleteAvatar: op.New(l, s.deleteAvatar, member("DELETE /api/auth/me/avatar",
			"Remove my profile picture").Hint(op.Idempotent|op.Destructive)),
		GetPicture: op.New(l, s.getPicture, public("", "Get the picture of an account or a group").Hint(op.ReadOnly)),

		ListAgentKeys: op.New(l, s.listAgentKeys, human("GET /api/agent-keys", "List agent keys").Hint(op.ReadOnly)),
		CreateAgentKey: op.Write(l, db, s.createAgentKey, human("POST /api/agent-keys 201", "Create an agent key", core.Conflict,
			core.NotFound).Hint(op.Stores).Limited(limit.Bots)),
		UpdateAgentKey: op.New(l, s.updateAgentKey, human("PATCH /api/agent-keys/{id}", "Update an agent key",
			core.Conflict).Hint(op.Idempotent)),
		RevokeAgentKey: op.Write(l, db, s.revokeAgentKey, human("DELETE /api/agent-keys/{id}",
			"Revoke an agent key").Hint(op.Destructive|op.Idempotent)),
		GetKeyActivity: op.New(l, s.getKeyActivity, human("GET /api/agent-keys/{id}/activity",
			"Get what an agent key was used for").Hint(op.ReadOnly)),
		ListBots:      op.Read(l, db, s.listBots, human("GET /api/bots", "List bots")),
		UpdateBot:     op.New(l, s.updateBot, human("PATCH /api/bots/{id}", "Update a bot").Hint(op.Idempotent)),
		DeleteBot:     op.New(l, s.deleteBot, human("DELETE /api/bots/{id}", "Delete a bot").Hint(op.Destructive)),
		ListListKeys:  op.New(l, s.listListKeys, human("", "List personal keys").Hint(op.ReadOnly)),
		CreateListKey: op.Write(l, db, s.createListKey, human("", "Create a personal key", core.Conflict).Hint(op.Stores)),
		RevokeListKey: op.Write(l, db, s.revokeListKey, human("", "Revoke a personal key").Hint(op.Destructive|op.Idempotent)),
	}
}
