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
	GetInbox          *op.Func[core.None, InboxOut]
	SeeStories        *op.Func[SeeStoriesIn, core.None]

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
	member, human := op.Member.Spec, op.HumanOnly.Spec
	conflict, both := []core.Kind{core.Invalid, core.Conflict}, []core.Kind{core.Invalid, core.NotFound, core.Conflict}
	return Operations{
		ListIntents: op.Read(l, db, listIntents, member("GET /api/intents", "List your asks and offers")),
		CreateIntent: op.New(l, s.createIntent, member("POST /api/intents 201",
			"Publish an ask or an offer for matching", conflict...).Hint(op.Stores|op.NoBots)),
		UpdateIntent: op.Write(l, db, updateIntent, member("PATCH /api/intents/{id}", "Withdraw an ask or an offer").Hint(op.Idempotent)),
		ListMatches:  op.Read(l, db, listMatches, member("GET /api/matches", "List your matches")),
		RespondMatch: op.Write(l, db, s.respondMatch, member("POST /api/matches/{id}/respond",
			"Approve or decline a match").Hint(op.Idempotent|op.NoBots)),

		ListDrafts: op.Read(l, db, listDrafts, member("GET /api/intent-drafts", "List your drafts")),
		CreateDraft: op.Write(l, db, createDraft, member("POST /api/intent-drafts 201",
			"Write down a draft of an ask or an offer", conflict...).Hint(op.Stores|op.NoBots)),
		UpdateDraft: op.Write(l, db, updateDraft, member("PATCH /api/intent-drafts/{id}", "Change or dismiss a draft").Hint(op.Idempotent)),
		ActivateDraft: op.New(l, s.activateDraft, member("POST /api/intent-drafts/{id}/activate 201",
			"Publish a draft, or preview that", both...).Hint(op.Stores|op.NoBots)),

		ListFeed:    op.Read(l, db, listFeed, member("GET /api/stories/feed", "List the Stories that are for you")),
		ListStories: op.Read(l, db, listStories, member("GET /api/stories/mine", "List your Stories")),
		PublishStory: op.New(l, s.publishStory, member("POST /api/stories 201",
			"Publish a Story, or preview it", conflict...).Hint(op.Stores|op.NoBots)),
		UpdateStory: op.New(l, s.updateStory, member("PATCH /api/stories/{id}", "Pause, resume, extend or withdraw a Story", conflict...)),
		RespondStory: op.Write(l, db, s.respondStory, member("POST /api/stories/{id}/respond 201",
			"Answer a Story, or preview that", both...).Hint(op.Stores|op.NoBots)),

		GetPreferences: op.Read(l, db, getPreferences, member("GET /api/social/preferences", "Get your social preferences")),
		UpdatePreferences: op.New(l, s.updatePreferences, member("PATCH /api/social/preferences",
			"Update your social preferences").Hint(op.Idempotent)),
		GetReview: op.Read(l, db, getReview, member("GET /api/review", "List what waits for your decision")),
		GetInbox:  op.Read(l, db, getInbox, member("GET /api/inbox", "List all that waits for you")),
		SeeStories: op.Write(l, db, seeStories, human("POST /api/stories/seen",
			"Mark Stories of others as seen").Hint(op.Idempotent)),

		PreviewIntent: op.Read(l, db, previewIntent, human("", "Preview an ask or an offer", conflict...).Hint(op.NoBots)),
		GetIntent:     op.Read(l, db, getIntent, human("", "Get one of your asks and offers")),
		GetDraft:      op.Read(l, db, getDraft, human("", "Get a draft")),
		RestoreDraft: op.Write(l, db, restoreDraft, human("",
			"Write a dismissed draft down again", conflict...).Hint(op.Idempotent|op.Stores)),
		GetFeedStory:     op.Read(l, db, getFeedStory, human("", "Get a Story that is for you")),
		GetReach:         op.Read(l, db, getReach, human("", "Count the people an audience reaches")),
		GetStoryAudience: op.Read(l, db, getStoryAudience, human("", "Get the audience of one of your Stories")),
		GetAudience:      op.Read(l, db, getAudience, human("", "Get the audience of one of your asks and offers")),
		GetWaiting:       op.Read(l, db, getWaiting, human("", "Count what waits for you")),
		ListRequests:     op.Read(l, db, listRequests, human("", "List the approvals that your agents ask for")),
		AnswerRequest: op.New(l, s.answerRequest, human("",
			"Approve or refuse what an agent asks for", append(both[:len(both):len(both)], core.StorageFull)...).Hint(op.NoBots)),
	}
}
