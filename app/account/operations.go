package account

import (
	"hearth/app/core"
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
	RevokeInvitation *op.Func[RevokeInvitationIn, core.None]
	GetInvitation    *op.Func[InvitationIn, Invitation]

	CreateToken    *op.Func[CreateTokenIn, TokenOut]
	Logout         *op.Func[core.None, core.None]
	GetSession     *op.Func[core.None, GetSessionOut]
	ListSessions   *op.Func[core.None, ListSessionsOut]
	EndSession     *op.Func[EndSessionIn, core.None]
	EndAllSessions *op.Func[core.None, core.None]

	GetMe      *op.Func[core.None, Me]
	UpdateMe   *op.Func[UpdateMeIn, Me]
	SetStatus  *op.Func[SetStatusIn, Me]
	DeleteMe   *op.Func[core.None, core.None]
	FindPeople *op.Func[FindPeopleIn, FindPeopleOut]

	SetAvatar    *op.Func[SetAvatarIn, Me]
	DeleteAvatar *op.Func[core.None, Me]
	GetPicture   *op.Func[GetPictureIn, *Picture]

	ListAgentKeys  *op.Func[core.None, []AgentKey]
	CreateAgentKey *op.Func[CreateAgentKeyIn, NewAgentKey]
	UpdateAgentKey *op.Func[UpdateAgentKeyIn, AgentKey]
	RevokeAgentKey *op.Func[KeyIn, core.None]
	GetKeyActivity *op.Func[KeyIn, GetKeyActivityOut]
	ListBots       *op.Func[core.None, []Bot]
	UpdateBot      *op.Func[UpdateBotIn, Bot]
	DeleteBot      *op.Func[BotIn, core.None]
	ListListKeys   *op.Func[core.None, []AgentKey]
	CreateListKey  *op.Func[CreateListKeyIn, NewAgentKey]
	RevokeListKey  *op.Func[KeyIn, core.None]
}

// Described returns a service without a database, to describe its operations. Calling an operation panics.
func Described() *Service {
	s := &Service{}
	s.Operations = s.operations(nil)
	return s
}

func (s *Service) operations(l *op.Limits) Operations {
	unauthenticated, conflict := []core.Kind{core.Unauthenticated}, []core.Kind{core.Conflict}
	return Operations{
		RequestMagicLink: op.New(l, s.requestMagicLink, op.Spec{Route: "POST /api/auth/magic-link 202",
			Summary: "Request a sign-in link and code by e-mail", Guard: op.Public, Hints: op.OpenWorld, Limits: []limit.Rate{limit.SignInMails}}),
		VerifyMagicLink: op.New(l, s.verifyMagicLink, op.Spec{Route: "POST /api/auth/magic-link/verify", Summary: "Sign in with a link or a code",
			Guard: op.Public, Limits: []limit.Rate{limit.SignInTries}, Errors: unauthenticated}),
		Redeem: op.New(l, s.redeemForPage, op.Spec{Summary: "Sign in with a link or a code on a page", Guard: op.Public,
			Limits: []limit.Rate{limit.SignInTries}, Errors: unauthenticated}),
		Login: op.New(l, s.login, op.Spec{Route: "POST /api/auth/login", Summary: "Sign in with a password", Guard: op.Public,
			Limits: []limit.Rate{limit.SignInTries}, Errors: unauthenticated}),
		StartClaim: op.New(l, s.startClaim, op.Spec{Summary: "Check a claim, and send a code to its address", Guard: op.Public,
			Hints: op.OpenWorld, Limits: []limit.Rate{limit.SignInMails}}),
		Claim: op.New(l, s.claim, op.Spec{Summary: "Claim a new server", Guard: op.Public, Limits: []limit.Rate{limit.SignInTries},
			Errors: unauthenticated}),
		RegisterAgent: op.New(l, s.registerAgent, op.Spec{Route: "POST /api/register-agent 201", Summary: "Register an agent", Guard: op.Public,
			Limits: []limit.Rate{limit.SignInTries, limit.Registrations}, Errors: []core.Kind{core.Conflict}, Stores: true}),
		BridgeExchange: op.New(l, s.bridgeExchange, op.Spec{Route: "POST /api/auth/bridge-exchange 201",
			Summary: "Exchange a verified address for an account and a token", Guard: op.Bridge}),

		CreateInvitation: op.New(l, s.createInvitation, op.Spec{Route: "POST /api/community/invitations 201",
			Summary: "Invite people to the community", Guard: op.HumanOnly, Hints: op.OpenWorld, Limits: []limit.Rate{limit.InvitationMails},
			Errors: conflict, Stores: true}),
		ListInvitations: op.New(l, s.listInvitations, op.Spec{Route: "GET /api/community/invitations",
			Summary: "List invitations to the community", Guard: op.HumanOnly, Hints: op.ReadOnly}),
		RevokeInvitation: op.New(l, s.revokeInvitation, op.Spec{Route: "DELETE /api/community/invitations/{id}",
			Summary: "Revoke an invitation to the community", Guard: op.HumanOnly, Hints: op.Destructive}),
		GetInvitation: op.New(l, s.getInvitation, op.Spec{Route: "GET /api/invitations/{token}", Summary: "Get an invitation to the community",
			Guard: op.Public, Hints: op.ReadOnly}),

		CreateToken: op.New(l, s.createToken, op.Spec{Route: "POST /api/auth/token", Summary: "Create a user token", Guard: op.HumanOnly}),
		Logout: op.New(l, s.logout, op.Spec{Route: "POST /api/auth/logout", Summary: "Sign out", Guard: op.HumanOnly,
			Hints: op.Destructive}),
		GetSession: op.New(l, s.getSession, op.Spec{Route: "GET /api/auth/session", Summary: "Get the signed-in account", Guard: op.Public,
			Hints: op.ReadOnly}),
		ListSessions: op.New(l, s.listSessions, op.Spec{Route: "GET /api/auth/sessions", Summary: "List sessions", Guard: op.HumanOnly,
			Hints: op.ReadOnly}),
		EndSession: op.New(l, s.endSession, op.Spec{Route: "DELETE /api/auth/sessions/{id}", Summary: "End a session", Guard: op.HumanOnly,
			Hints: op.Destructive}),
		EndAllSessions: op.New(l, s.endAllSessions, op.Spec{Route: "DELETE /api/auth/sessions", Summary: "End all sessions", Guard: op.HumanOnly,
			Hints: op.Destructive | op.Idempotent}),

		GetMe: op.New(l, s.getMe, op.Spec{Route: "GET /api/auth/me", Summary: "Get my account", Guard: op.Member, Hints: op.ReadOnly}),
		UpdateMe: op.New(l, s.updateMe, op.Spec{Route: "PATCH /api/auth/me", Summary: "Update my account", Guard: op.Member,
			Hints: op.Idempotent}),
		SetStatus: op.New(l, s.setStatus, op.Spec{Route: "PUT /api/auth/me/status", Summary: "Set my status", Guard: op.Member,
			Hints: op.Idempotent}),
		DeleteMe: op.New(l, s.deleteMe, op.Spec{Route: "DELETE /api/auth/me", Summary: "Delete my account", Guard: op.HumanOnly,
			Hints: op.Destructive, Errors: conflict}),
		FindPeople: op.New(l, s.findPeople, op.Spec{Route: "GET /api/people", Summary: "Find people", Guard: op.Member, Hints: op.ReadOnly}),

		SetAvatar: op.New(l, s.setAvatar, op.Spec{Route: "POST /api/auth/me/avatar", Summary: "Set my profile picture", Guard: op.Member,
			Hints: op.Idempotent, Stores: true}),
		DeleteAvatar: op.New(l, s.deleteAvatar, op.Spec{Route: "DELETE /api/auth/me/avatar", Summary: "Remove my profile picture",
			Guard: op.Member, Hints: op.Idempotent | op.Destructive}),
		GetPicture: op.New(l, s.getPicture, op.Spec{Summary: "Get the picture of an account or a group", Guard: op.Public, Hints: op.ReadOnly}),

		ListAgentKeys: op.New(l, s.listAgentKeys, op.Spec{Route: "GET /api/agent-keys", Summary: "List agent keys", Guard: op.HumanOnly,
			Hints: op.ReadOnly}),
		CreateAgentKey: op.New(l, s.createAgentKey, op.Spec{Route: "POST /api/agent-keys 201", Summary: "Create an agent key",
			Guard: op.HumanOnly, Limits: []limit.Rate{limit.Bots}, Errors: []core.Kind{core.Conflict, core.NotFound}, Stores: true}),
		UpdateAgentKey: op.New(l, s.updateAgentKey, op.Spec{Route: "PATCH /api/agent-keys/{id}", Summary: "Update an agent key",
			Guard: op.HumanOnly, Hints: op.Idempotent, Errors: conflict}),
		RevokeAgentKey: op.New(l, s.revokeAgentKey, op.Spec{Route: "DELETE /api/agent-keys/{id}", Summary: "Revoke an agent key",
			Guard: op.HumanOnly, Hints: op.Destructive | op.Idempotent}),
		GetKeyActivity: op.New(l, s.getKeyActivity, op.Spec{Route: "GET /api/agent-keys/{id}/activity",
			Summary: "Get what an agent key was used for", Guard: op.HumanOnly, Hints: op.ReadOnly}),
		ListBots: op.New(l, s.listBots, op.Spec{Route: "GET /api/bots", Summary: "List bots", Guard: op.HumanOnly, Hints: op.ReadOnly}),
		UpdateBot: op.New(l, s.updateBot, op.Spec{Route: "PATCH /api/bots/{id}", Summary: "Update a bot", Guard: op.HumanOnly,
			Hints: op.Idempotent}),
		DeleteBot: op.New(l, s.deleteBot, op.Spec{Route: "DELETE /api/bots/{id}", Summary: "Delete a bot", Guard: op.HumanOnly,
			Hints: op.Destructive}),
		ListListKeys:  op.New(l, s.listListKeys, op.Spec{Summary: "List personal keys", Guard: op.HumanOnly, Hints: op.ReadOnly}),
		CreateListKey: op.New(l, s.createListKey, op.Spec{Summary: "Create a personal key", Guard: op.HumanOnly, Errors: conflict, Stores: true}),
		RevokeListKey: op.New(l, s.revokeListKey, op.Spec{Summary: "Revoke a personal key", Guard: op.HumanOnly,
			Hints: op.Destructive | op.Idempotent}),
	}
}
