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
	member := op.Member.Spec
	// lane returns the specs of operations that exist only with a Context lane.
	lane := func(g op.Guard) func(route, summary string, errs ...core.Kind) op.Spec {
		return func(route, summary string, errs ...core.Kind) op.Spec {
			spec := g.Spec(route, summary, append(errs, core.NotFound)...)
			if !s.Context {
				spec.Hints = op.Absent
			}
			return spec
		}
	}
	laneMember, laneHuman := lane(op.Member), lane(op.HumanOnly)
	return Operations{
		ListThoughts: op.Read(l, db, s.listThoughts, member("GET /api/thoughts", "List your thoughts")),
		GetThought:   op.Read(l, db, s.getThought, member("", "Get one of your thoughts")),
		CreateThought: op.Write(l, db, s.createThought, member("POST /api/thoughts 201",
			"Write down a thought, or capture a message", core.NotFound).Hint(op.Stores)),
		UpdateThought: op.Write(l, db, s.updateThought, member("PATCH /api/thoughts/{id}", "Change a thought").Hint(op.Idempotent|op.Stores)),
		DeleteThought: op.Write(l, db, s.deleteThought, member("DELETE /api/thoughts/{id}", "Delete a thought").Hint(op.Destructive)),

		PinThought: op.Write(l, db, s.pinThought, member("POST /api/thoughts/{id}/pin 201",
			"Pin a thought to a conversation", core.Conflict).Hint(op.Idempotent|op.Stores)),
		UnpinThought: op.Write(l, db, s.unpinThought, member("DELETE /api/thoughts/{id}/pin/{conversationId}",
			"Unpin a thought").Hint(op.Destructive)),
		ListStream: op.Read(l, db, s.listStream, member("GET /api/chat/conversations/{id}/stream", "List the Stream of a conversation")),
		CollapseEntry: op.Write(l, db, s.collapseEntry, member("PUT /api/chat/conversations/{id}/stream/{entryId}/collapsed",
			"Collapse an entry of a Stream for yourself").Hint(op.Idempotent)),

		// Without a Context lane the content is the Stream.
		ListContent: op.Read(l, db, s.listContent, member("GET /api/chat/conversations/{id}/content",
			"List the content of a conversation", core.NotFound)),
		ListContext: op.Read(l, db, s.listContext, laneMember("GET /api/chat/conversations/{id}/context",
			"List the Context lane of a conversation")),
		GetContextPost: op.Read(l, db, s.getContextPost, laneHuman("", "Get a post of the Context lane")),
		CreateContextPost: op.Write(l, db, s.createContextPost, laneMember("POST /api/chat/conversations/{id}/context 201",
			"Post to the Context lane", core.Conflict).Hint(op.Stores)),
		UpdateContextPost: op.Write(l, db, s.updateContextPost, laneMember("PATCH /api/chat/conversations/{id}/context/{postId}",
			"Edit a post of the Context lane", core.Conflict).Hint(op.Stores)),
		DeleteContextPost: op.Write(l, db, s.deleteContextPost, laneMember("DELETE /api/chat/conversations/{id}/context/{postId}",
			"Delete a post of the Context lane").Hint(op.Idempotent|op.Destructive)),
		ReportContextPost: op.Write(l, db, s.reportContextPost, laneMember("POST /api/chat/conversations/{id}/context/{postId}/report 201",
			"Report a post of the Context lane")),

		AskAgents: op.Write(l, db, s.askAgents, laneMember("POST /api/chat/conversations/{id}/context/{postId}/ask-agents",
			"Ask the agents of members to reply to a post", core.Conflict).Hint(op.Stores)),
		ListAsked: op.Read(l, db, s.listAsked, laneHuman("", "Count the agents that you asked")),
		GetContextPreference: op.Read(l, db, s.getContextPreference, laneMember("GET /api/chat/context-agent/preferences",
			"Get whether a key receives requests")),
		SetContextPreference: op.Write(l, db, s.setContextPreference, laneMember("PUT /api/chat/context-agent/preferences",
			"Set whether a key receives requests", core.Conflict).Hint(op.Idempotent)),
		ListReceivingKeys: op.Read(l, db, s.listReceivingKeys, laneHuman("", "List which keys receive requests")),
		ListKeyRequests:   op.Read(l, db, s.listKeyRequests, laneHuman("", "List what a key was asked")),
		ListInbox: op.New(l, s.listInbox, laneMember("",
			"List the requests to your key").Hint(op.ReadOnly|op.Uncounted).Limited(limit.InboxPolls)),
		RespondRequest: op.Write(l, db, s.respondRequest, laneMember("POST /api/chat/context-agent/requests/{requestId}/respond",
			"Reply to a request, or decline it", core.Conflict).Hint(op.Idempotent|op.Stores)),

		ListIntentions: op.Read(l, db, s.listIntentions, laneHuman("GET /api/chat/context-intentions", "List the posts that you track")),
		GetIntention: op.Read(l, db, s.getIntention, laneHuman("GET /api/chat/context-intentions/{id}",
			"Get the state of an ask or an offer that you track")),
		TrackIntention: op.Write(l, db, s.trackIntention, laneHuman("POST /api/chat/conversations/{id}/context/{postId}/intention 201",
			"Track an ask or an offer of the Context lane", core.Conflict).Hint(op.Idempotent|op.Stores)),
		UpdateIntention: op.Write(l, db, s.updateIntention, laneHuman("PATCH /api/chat/context-intentions/{id}",
			"Close or open an ask or an offer that you track", core.Conflict).Limited(limit.IntentionStates)),
	}
}
