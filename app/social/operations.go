package social

import (
	"hearth/app/core"
	"hearth/app/op"
	"hearth/store"
)

// Operations has the operations on intents, matches, drafts and Stories.
type Operations struct {
	ListIntents  *op.Func[ListIntentsIn, ListIntentsOut]
	CreateIntent *op.Func[CreateIntentIn, IntentOut]
	UpdateIntent *op.Func[WithdrawIntentIn, IntentOut]
	ListMatches  *op.Func[core.None, ListMatchesOut]
	RespondMatch *op.Func[RespondMatchIn, MatchOut]

	ListDrafts    *op.Func[ListDraftsIn, ListDraftsOut]
	CreateDraft   *op.Func[CreateDraftIn, DraftOut]
	UpdateDraft   *op.Func[UpdateDraftIn, DraftOut]
	ActivateDraft *op.Func[ActivateDraftIn, ActivateOut]

	ListFeed     *op.Func[core.None, FeedOut]
	ListStories  *op.Func[ListStoriesIn, ListStoriesOut]
	PublishStory *op.Func[PublishStoryIn, PublishOut]
	UpdateStory  *op.Func[UpdateStoryIn, StoryOut]
	RespondStory *op.Func[RespondStoryIn, RespondStoryOut]

	GetPreferences    *op.Func[core.None, SocialPreferences]
	UpdatePreferences *op.Func[UpdatePreferencesIn, SocialPreferences]
	GetReview         *op.Func[core.None, ReviewOut]

	// These are for pages.
	PreviewIntent    *op.Func[CreateIntentIn, IntentOut]
	GetIntent        *op.Func[core.ByID, IntentOut]
	GetDraft         *op.Func[core.ByID, DraftOut]
	RestoreDraft     *op.Func[core.ByID, DraftOut]
	GetFeedStory     *op.Func[core.ByID, FeedStory]
	GetReach         *op.Func[Audience, ReachOut]
	GetAudience      *op.Func[core.ByID, AudienceOut]
	GetStoryAudience *op.Func[core.ByID, AudienceOut]
	GetWaiting       *op.Func[core.None, WaitingOut]
	ListRequests     *op.Func[core.None, ListRequestsOut]
	AnswerRequest    *op.Func[AnswerRequestIn, AnswerRequestOut]
}

func (s *Service) operations(l *op.Limits, db *store.DB) Operations {
	conflict, both := []core.Kind{core.Invalid, core.Conflict}, []core.Kind{core.Invalid, core.NotFound, core.Conflict}
	return Operations{
		ListIntents: op.Read(l, db, listIntents, op.Spec{Route: "GET /api/intents", Summary: "List your asks and offers", Guard: op.Member}),
		CreateIntent: op.New(l, s.createIntent, op.Spec{Route: "POST /api/intents 201", Summary: "Publish an ask or an offer for matching",
			Guard: op.Member, NoBots: true, Stores: true, Errors: conflict}),
		UpdateIntent: op.Write(l, db, updateIntent, op.Spec{Route: "PATCH /api/intents/{id}", Summary: "Withdraw an ask or an offer",
			Guard: op.Member, Hints: op.Idempotent}),
		ListMatches: op.Read(l, db, listMatches, op.Spec{Route: "GET /api/matches", Summary: "List your matches", Guard: op.Member}),
		RespondMatch: op.Write(l, db, s.respondMatch, op.Spec{Route: "POST /api/matches/{id}/respond", Summary: "Approve or decline a match",
			Guard: op.Member, NoBots: true, Hints: op.Idempotent}),

		ListDrafts: op.Read(l, db, listDrafts, op.Spec{Route: "GET /api/intent-drafts", Summary: "List your drafts", Guard: op.Member}),
		CreateDraft: op.Write(l, db, createDraft, op.Spec{Route: "POST /api/intent-drafts 201",
			Summary: "Write down a draft of an ask or an offer", Guard: op.Member, NoBots: true, Stores: true, Errors: conflict}),
		UpdateDraft: op.Write(l, db, updateDraft, op.Spec{Route: "PATCH /api/intent-drafts/{id}", Summary: "Change or dismiss a draft",
			Guard: op.Member, Hints: op.Idempotent}),
		ActivateDraft: op.New(l, s.activateDraft, op.Spec{Route: "POST /api/intent-drafts/{id}/activate 201",
			Summary: "Publish a draft, or preview that", Guard: op.Member, NoBots: true, Stores: true, Errors: both}),

		ListFeed: op.Read(l, db, listFeed, op.Spec{Route: "GET /api/stories/feed", Summary: "List the Stories that are for you",
			Guard: op.Member}),
		ListStories: op.Read(l, db, listStories, op.Spec{Route: "GET /api/stories/mine", Summary: "List your Stories", Guard: op.Member}),
		PublishStory: op.New(l, s.publishStory, op.Spec{Route: "POST /api/stories 201", Summary: "Publish a Story, or preview it",
			Guard: op.Member, NoBots: true, Stores: true, Errors: conflict}),
		UpdateStory: op.New(l, s.updateStory, op.Spec{Route: "PATCH /api/stories/{id}", Summary: "Pause, resume, extend or withdraw a Story",
			Guard: op.Member, Errors: conflict}),
		RespondStory: op.Write(l, db, s.respondStory, op.Spec{Route: "POST /api/stories/{id}/respond 201",
			Summary: "Answer a Story, or preview that", Guard: op.Member, NoBots: true, Stores: true, Errors: both}),

		GetPreferences: op.Read(l, db, getPreferences, op.Spec{Route: "GET /api/social/preferences", Summary: "Get your social preferences",
			Guard: op.Member}),
		UpdatePreferences: op.New(l, s.updatePreferences, op.Spec{Route: "PATCH /api/social/preferences",
			Summary: "Update your social preferences", Guard: op.Member, Hints: op.Idempotent}),
		GetReview: op.Read(l, db, getReview, op.Spec{Route: "GET /api/review", Summary: "List what waits for your decision",
			Guard: op.Member}),

		PreviewIntent: op.Read(l, db, previewIntent, op.Spec{Summary: "Preview an ask or an offer", Guard: op.HumanOnly, NoBots: true,
			Errors: conflict}),
		GetIntent: op.Read(l, db, getIntent, op.Spec{Summary: "Get one of your asks and offers", Guard: op.HumanOnly}),
		GetDraft:  op.Read(l, db, getDraft, op.Spec{Summary: "Get a draft", Guard: op.HumanOnly}),
		RestoreDraft: op.Write(l, db, restoreDraft, op.Spec{Summary: "Write a dismissed draft down again", Guard: op.HumanOnly, Stores: true,
			Hints: op.Idempotent, Errors: conflict}),
		GetFeedStory:     op.Read(l, db, getFeedStory, op.Spec{Summary: "Get a Story that is for you", Guard: op.HumanOnly}),
		GetReach:         op.Read(l, db, getReach, op.Spec{Summary: "Count the people an audience reaches", Guard: op.HumanOnly}),
		GetStoryAudience: op.Read(l, db, getStoryAudience, op.Spec{Summary: "Get the audience of one of your Stories", Guard: op.HumanOnly}),
		GetAudience:      op.Read(l, db, getAudience, op.Spec{Summary: "Get the audience of one of your asks and offers", Guard: op.HumanOnly}),
		GetWaiting:       op.Read(l, db, getWaiting, op.Spec{Summary: "Count what waits for your decision", Guard: op.HumanOnly}),
		ListRequests:     op.Read(l, db, listRequests, op.Spec{Summary: "List the approvals that your agents ask for", Guard: op.HumanOnly}),
		AnswerRequest: op.New(l, s.answerRequest, op.Spec{Summary: "Approve or refuse what an agent asks for", Guard: op.HumanOnly, NoBots: true,
			Errors: append(both[:len(both):len(both)], core.StorageFull),
		}),
	}
}
