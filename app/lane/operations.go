package lane

import (
	"hearth/app/core"
	"hearth/app/limit"
	"hearth/app/op"
)

// Operations is everything that callers can do with thoughts and Streams.
type Operations struct {
	ListThoughts  *op.Func[ListThoughtsIn, ListThoughtsOut]
	GetThought    *op.Func[ThoughtIn, Thought]
	CreateThought *op.Func[CreateThoughtIn, Thought]
	UpdateThought *op.Func[UpdateThoughtIn, Thought]
	DeleteThought *op.Func[ThoughtIn, core.None]

	PinThought    *op.Func[PinThoughtIn, PinThoughtOut]
	UnpinThought  *op.Func[UnpinThoughtIn, core.None]
	ListStream    *op.Func[ListStreamIn, ListStreamOut]
	CollapseEntry *op.Func[CollapseEntryIn, CollapseEntryOut]

	// The Context lane.
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

	// These are for pages.
	GetContextPost    *op.Func[ContextPostIn, ContextPostProjection]
	ListReceivingKeys *op.Func[core.None, []ReceivingKey]
	ListKeyRequests   *op.Func[ListKeyRequestsIn, ListKeyRequestsOut]
	ListAsked         *op.Func[ListAskedIn, []Asked]
}

func (s *Service) operations(l *op.Limits) Operations {
	o := Operations{
		ListThoughts: op.New(l, s.listThoughts, op.Spec{Route: "GET /api/thoughts", Summary: "List your thoughts", Guard: op.Member,
			Hints: op.ReadOnly}),
		GetThought: op.New(l, s.getThought, op.Spec{Summary: "Get one of your thoughts", Guard: op.Member, Hints: op.ReadOnly}),
		CreateThought: op.New(l, s.createThought, op.Spec{Route: "POST /api/thoughts 201", Summary: "Write down a thought, or capture a message",
			Guard: op.Member, Errors: []core.Kind{core.NotFound}, Stores: true}),
		UpdateThought: op.New(l, s.updateThought, op.Spec{Route: "PATCH /api/thoughts/{id}", Summary: "Change a thought", Guard: op.Member,
			Hints: op.Idempotent, Stores: true}),
		DeleteThought: op.New(l, s.deleteThought, op.Spec{Route: "DELETE /api/thoughts/{id}", Summary: "Delete a thought", Guard: op.Member,
			Hints: op.Destructive}),

		PinThought: op.New(l, s.pinThought, op.Spec{Route: "POST /api/thoughts/{id}/pin 201", Summary: "Pin a thought to a conversation",
			Guard: op.Member, Hints: op.Idempotent, Errors: []core.Kind{core.Conflict}, Stores: true}),
		UnpinThought: op.New(l, s.unpinThought, op.Spec{Route: "DELETE /api/thoughts/{id}/pin/{conversationId}", Summary: "Unpin a thought",
			Guard: op.Member, Hints: op.Destructive}),
		ListStream: op.New(l, s.listStream, op.Spec{Route: "GET /api/chat/conversations/{id}/stream",
			Summary: "List the Stream of a conversation", Guard: op.Member, Hints: op.ReadOnly}),
		CollapseEntry: op.New(l, s.collapseEntry, op.Spec{Route: "PUT /api/chat/conversations/{id}/stream/{entryId}/collapsed",
			Summary: "Collapse an entry of a Stream for yourself", Guard: op.Member, Hints: op.Idempotent}),
	}
	s.addContext(&o, l)
	return o
}

// addContext adds the operations on the Context lane.
func (s *Service) addContext(o *Operations, l *op.Limits) {
	spec := func(route, summary string, guard op.Guard, hints op.Hints, errors ...core.Kind) op.Spec {
		return op.Spec{Route: route, Summary: summary, Guard: guard, Hints: hints, Errors: append(errors, core.NotFound), When: s.Enabled}
	}
	stores := func(spec op.Spec) op.Spec {
		spec.Stores = true
		return spec
	}
	content := spec("GET /api/chat/conversations/{id}/content", "List the content of a conversation", op.Member, op.ReadOnly)
	content.When = nil // without a Context lane it has the Stream
	o.ListContent = op.New(l, s.listContent, content)
	o.ListContext = op.New(l, s.listContext, spec("GET /api/chat/conversations/{id}/context",
		"List the Context lane of a conversation", op.Member, op.ReadOnly))
	o.CreateContextPost = op.New(l, s.createContextPost, stores(spec("POST /api/chat/conversations/{id}/context 201",
		"Post to the Context lane", op.Member, 0, core.Conflict)))
	o.UpdateContextPost = op.New(l, s.updateContextPost, stores(spec("PATCH /api/chat/conversations/{id}/context/{postId}",
		"Edit a post of the Context lane", op.Member, 0, core.Conflict)))
	o.DeleteContextPost = op.New(l, s.deleteContextPost, spec("DELETE /api/chat/conversations/{id}/context/{postId}",
		"Delete a post of the Context lane", op.Member, op.Idempotent|op.Destructive))
	report := spec("POST /api/chat/conversations/{id}/context/{postId}/report 201", "Report a post of the Context lane", op.Member, 0)
	o.ReportContextPost = op.New(l, s.reportContextPost, report)

	o.AskAgents = op.New(l, s.askAgents, stores(spec("POST /api/chat/conversations/{id}/context/{postId}/ask-agents",
		"Ask the agents of members to reply to a post", op.Member, 0, core.Conflict)))
	o.GetContextPreference = op.New(l, s.getContextPreference, spec("GET /api/chat/context-agent/preferences",
		"Get whether a key receives requests", op.Member, op.ReadOnly))
	o.SetContextPreference = op.New(l, s.setContextPreference, spec("PUT /api/chat/context-agent/preferences",
		"Set whether a key receives requests", op.Member, op.Idempotent,
		core.Conflict))
	inbox := spec("", "List the requests to your key", op.Member, op.ReadOnly)
	inbox.Limits = []limit.Rate{limit.InboxPolls}
	o.ListInbox = op.New(l, s.listInbox, inbox)
	o.RespondRequest = op.New(l, s.respondRequest, stores(spec("POST /api/chat/context-agent/requests/{requestId}/respond",
		"Reply to a request, or decline it", op.Member, op.Idempotent, core.Conflict)))

	o.ListIntentions = op.New(l, s.listIntentions, spec("GET /api/chat/context-intentions",
		"List the posts that you track", op.HumanOnly, op.ReadOnly))
	o.GetIntention = op.New(l, s.getIntention, spec("GET /api/chat/context-intentions/{id}",
		"Get the state of an ask or an offer that you track", op.HumanOnly, op.ReadOnly))
	o.TrackIntention = op.New(l, s.trackIntention, stores(spec("POST /api/chat/conversations/{id}/context/{postId}/intention 201",
		"Track an ask or an offer of the Context lane", op.HumanOnly, op.Idempotent,
		core.Conflict)))
	lifecycle := spec("PATCH /api/chat/context-intentions/{id}", "Close or open an ask or an offer that you track",
		op.HumanOnly, 0, core.Conflict)
	lifecycle.Limits = []limit.Rate{limit.IntentionStates}
	o.UpdateIntention = op.New(l, s.updateIntention, lifecycle)

	o.GetContextPost = op.New(l, s.getContextPost, spec("", "Get a post of the Context lane", op.HumanOnly, op.ReadOnly))
	o.ListReceivingKeys = op.New(l, s.listReceivingKeys, spec("", "List which keys receive requests", op.HumanOnly, op.ReadOnly))
	o.ListKeyRequests = op.New(l, s.listKeyRequests, spec("", "List what a key was asked", op.HumanOnly, op.ReadOnly))
	o.ListAsked = op.New(l, s.listAsked, spec("", "Count the agents that you asked", op.HumanOnly, op.ReadOnly))
}
