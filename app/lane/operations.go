package lane

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
	"hearth/store"
)

// Operations has the operations on thoughts, Streams and the Context lane.
type Operations struct {
	ListThoughts  *op.Func[ListThoughtsIn, ListThoughtsOut]
	GetThought    *op.Func[core.ByID, Thought]
	CreateThought *op.Func[CreateThoughtIn, Thought]
	UpdateThought *op.Func[UpdateThoughtIn, Thought]
	DeleteThought *op.Func[core.ByID, core.None]

	PinThought    *op.Func[PinThoughtIn, PinThoughtOut]
	UnpinThought  *op.Func[UnpinThoughtIn, core.None]
	ListStream    *op.Func[ListStreamIn, ListStreamOut]
	CollapseEntry *op.Func[CollapseEntryIn, CollapseEntryOut]

	ListContent       *op.Func[ListContentIn, ConversationContentPage]
	ListContext       *op.Func[ListContextIn, ListContextOut]
	CreateContextPost *op.Func[CreateContextPostIn, ContextPostProjection]
	UpdateContextPost *op.Func[UpdateContextPostIn, ContextPostProjection]
	DeleteContextPost *op.Func[ContextPostIn, core.None]
	ReportContextPost *op.Func[ReportContextPostIn, ContextReportOut]

	AskAgents            *op.Func[ContextPostIn, AskAgentsOut]
	GetContextPreference *op.Func[ContextPreferenceIn, ContextPreferenceOut]
	SetContextPreference *op.Func[SetContextPreferenceIn, ContextPreferenceOut]
	ListInbox            *op.Func[ListInboxIn, ListInboxOut]
	RespondRequest       *op.Func[RespondRequestIn, RespondRequestOut]

	ListIntentions  *op.Func[core.None, ListIntentionsOut]
	GetIntention    *op.Func[IntentionIn, ContextIntention]
	TrackIntention  *op.Func[TrackIntentionIn, ContextIntention]
	UpdateIntention *op.Func[UpdateIntentionIn, ContextIntention]

	GetContextPost    *op.Func[ContextPostIn, ContextPostProjection]
	ListReceivingKeys *op.Func[core.None, []ReceivingKey]
	ListKeyRequests   *op.Func[ListKeyRequestsIn, ListKeyRequestsOut]
	ListAsked         *op.Func[ListAskedIn, []Asked]
}

func (s *Service) operations(l *op.Limits, db *store.DB) Operations {
	// lane is the spec of an operation that exists only with a Context lane.
	lane := func(spec op.Spec) op.Spec {
		spec.When, spec.Errors = s.Enabled, append(spec.Errors, core.NotFound)
		return spec
	}
	conflict := []core.Kind{core.Conflict}
	return Operations{
		ListThoughts: op.Read(l, db, s.listThoughts, op.Spec{Route: "GET /api/thoughts", Summary: "List your thoughts", Guard: op.Member}),
		GetThought:   op.Read(l, db, s.getThought, op.Spec{Summary: "Get one of your thoughts", Guard: op.Member}),
		CreateThought: op.Write(l, db, s.createThought, op.Spec{Route: "POST /api/thoughts 201",
			Summary: "Write down a thought, or capture a message", Guard: op.Member, Errors: []core.Kind{core.NotFound}, Stores: true}),
		UpdateThought: op.Write(l, db, s.updateThought, op.Spec{Route: "PATCH /api/thoughts/{id}", Summary: "Change a thought", Guard: op.Member,
			Hints: op.Idempotent, Stores: true}),
		DeleteThought: op.Write(l, db, s.deleteThought, op.Spec{Route: "DELETE /api/thoughts/{id}", Summary: "Delete a thought",
			Guard: op.Member, Hints: op.Destructive}),

		PinThought: op.Write(l, db, s.pinThought, op.Spec{Route: "POST /api/thoughts/{id}/pin 201", Summary: "Pin a thought to a conversation",
			Guard: op.Member, Hints: op.Idempotent, Errors: conflict, Stores: true}),
		UnpinThought: op.Write(l, db, s.unpinThought, op.Spec{Route: "DELETE /api/thoughts/{id}/pin/{conversationId}",
			Summary: "Unpin a thought", Guard: op.Member, Hints: op.Destructive}),
		ListStream: op.Read(l, db, s.listStream, op.Spec{Route: "GET /api/chat/conversations/{id}/stream",
			Summary: "List the Stream of a conversation", Guard: op.Member}),
		CollapseEntry: op.Write(l, db, s.collapseEntry, op.Spec{Route: "PUT /api/chat/conversations/{id}/stream/{entryId}/collapsed",
			Summary: "Collapse an entry of a Stream for yourself", Guard: op.Member, Hints: op.Idempotent}),

		// Without a Context lane the content is the Stream.
		ListContent: op.Read(l, db, s.listContent, op.Spec{Route: "GET /api/chat/conversations/{id}/content",
			Summary: "List the content of a conversation", Guard: op.Member, Errors: []core.Kind{core.NotFound}}),
		ListContext: op.Read(l, db, s.listContext, lane(op.Spec{Route: "GET /api/chat/conversations/{id}/context",
			Summary: "List the Context lane of a conversation", Guard: op.Member})),
		GetContextPost: op.Read(l, db, s.getContextPost, lane(op.Spec{Summary: "Get a post of the Context lane", Guard: op.HumanOnly})),
		CreateContextPost: op.Write(l, db, s.createContextPost, lane(op.Spec{Route: "POST /api/chat/conversations/{id}/context 201",
			Summary: "Post to the Context lane", Guard: op.Member, Errors: conflict, Stores: true})),
		UpdateContextPost: op.Write(l, db, s.updateContextPost, lane(op.Spec{Route: "PATCH /api/chat/conversations/{id}/context/{postId}",
			Summary: "Edit a post of the Context lane", Guard: op.Member, Errors: conflict, Stores: true})),
		DeleteContextPost: op.Write(l, db, s.deleteContextPost, lane(op.Spec{Route: "DELETE /api/chat/conversations/{id}/context/{postId}",
			Summary: "Delete a post of the Context lane", Guard: op.Member, Hints: op.Idempotent | op.Destructive})),
		ReportContextPost: op.Write(l, db, s.reportContextPost, lane(op.Spec{
			Route:   "POST /api/chat/conversations/{id}/context/{postId}/report 201",
			Summary: "Report a post of the Context lane", Guard: op.Member})),

		AskAgents: op.Write(l, db, s.askAgents, lane(op.Spec{Route: "POST /api/chat/conversations/{id}/context/{postId}/ask-agents",
			Summary: "Ask the agents of members to reply to a post", Guard: op.Member, Errors: conflict, Stores: true})),
		ListAsked: op.Read(l, db, s.listAsked, lane(op.Spec{Summary: "Count the agents that you asked", Guard: op.HumanOnly})),
		GetContextPreference: op.Read(l, db, s.getContextPreference, lane(op.Spec{Route: "GET /api/chat/context-agent/preferences",
			Summary: "Get whether a key receives requests", Guard: op.Member})),
		SetContextPreference: op.Write(l, db, s.setContextPreference, lane(op.Spec{Route: "PUT /api/chat/context-agent/preferences",
			Summary: "Set whether a key receives requests", Guard: op.Member, Hints: op.Idempotent, Errors: conflict})),
		ListReceivingKeys: op.Read(l, db, s.listReceivingKeys, lane(op.Spec{Summary: "List which keys receive requests",
			Guard: op.HumanOnly})),
		ListKeyRequests: op.Read(l, db, s.listKeyRequests, lane(op.Spec{Summary: "List what a key was asked", Guard: op.HumanOnly})),
		ListInbox: op.New(l, s.listInbox, lane(op.Spec{Summary: "List the requests to your key", Guard: op.Member, Hints: op.ReadOnly,
			Limits: []limit.Rate{limit.InboxPolls}})),
		RespondRequest: op.Write(l, db, s.respondRequest, lane(op.Spec{Route: "POST /api/chat/context-agent/requests/{requestId}/respond",
			Summary: "Reply to a request, or decline it", Guard: op.Member, Hints: op.Idempotent, Errors: conflict, Stores: true})),

		ListIntentions: op.Read(l, db, s.listIntentions, lane(op.Spec{Route: "GET /api/chat/context-intentions",
			Summary: "List the posts that you track", Guard: op.HumanOnly})),
		GetIntention: op.Read(l, db, s.getIntention, lane(op.Spec{Route: "GET /api/chat/context-intentions/{id}",
			Summary: "Get the state of an ask or an offer that you track", Guard: op.HumanOnly})),
		TrackIntention: op.Write(l, db, s.trackIntention, lane(op.Spec{
			Route:   "POST /api/chat/conversations/{id}/context/{postId}/intention 201",
			Summary: "Track an ask or an offer of the Context lane", Guard: op.HumanOnly, Hints: op.Idempotent, Errors: conflict, Stores: true})),
		UpdateIntention: op.Write(l, db, s.updateIntention, lane(op.Spec{Route: "PATCH /api/chat/context-intentions/{id}",
			Summary: "Close or open an ask or an offer that you track", Guard: op.HumanOnly, Errors: conflict,
			Limits: []limit.Rate{limit.IntentionStates}})),
	}
}
