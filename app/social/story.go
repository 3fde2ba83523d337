package social

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

// OwnedStory is a Story, or a quiet search alone, as its account sees it.
type OwnedStory struct {
	ID                  string      `json:"id"`
	OwnerUserID         string      `json:"ownerUserId"`
	Goal                string      `json:"goal" read:"own"`
	Seeks               []string    `json:"seeks" read:"own"`
	Brings              []string    `json:"brings" read:"own"`
	MatchingMode        string      `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal"`
	OpenToCollaborators bool        `json:"openToCollaborators"`
	Text                *string     `json:"text" read:"own"`
	HumanVisible        bool        `json:"humanVisible" doc:"Whether the audience sees it"`
	AgentSearchEnabled  bool        `json:"agentSearchEnabled" doc:"Whether agents may receive the terms, up to searchExpiresAt"`
	ExplicitQuietSearch bool        `json:"explicitQuietSearch" doc:"Whether a search with an expiry of its own was approved"`
	Status              string      `json:"status" enum:"active|paused|withdrawn"`
	Audience            Audience    `json:"audience" read:"own"`
	StoryExpiresAt      *store.Time `json:"storyExpiresAt"`
	SearchExpiresAt     store.Time  `json:"searchExpiresAt"`
	IntentID            string      `json:"intentId"`
	CreatedAt           store.Time  `json:"createdAt"`
	UpdatedAt           store.Time  `json:"updatedAt"`
}

func storyOf(s store.Story) OwnedStory {
	status, updated := s.Status, s.UpdatedAt
	if searchEnded(&s) {
		status = "withdrawn"
	}
	if s.QuietSearch {
		updated = max(updated, s.Intent.UpdatedAt)
	}
	return OwnedStory{
		ID: s.ID, OwnerUserID: s.OwnerID, Goal: s.Intent.Goal, Seeks: s.Intent.Seeks, Brings: s.Intent.Brings,
		MatchingMode:        s.Intent.MatchingMode,
		OpenToCollaborators: s.Intent.Collaborators, Text: core.OrNil(s.Text), HumanVisible: s.Text != "", AgentSearchEnabled: s.QuietSearch &&
			!s.Intent.Ended(),
		ExplicitQuietSearch: s.QuietSearch, Status: status, Audience: Audience(s.Audience), StoryExpiresAt: s.StoryExpiresAt.Ptr(),
		SearchExpiresAt: s.SearchExpiresAt, IntentID: s.Intent.ID, CreatedAt: s.CreatedAt, UpdatedAt: updated,
	}
}

func searchEnded(s *store.Story) bool { return s.Text == "" && s.Intent.Ended() }

// StoryOut has a Story.
type StoryOut struct {
	Story OwnedStory `json:"story"`
}

// ListStoriesIn selects Stories.
type ListStoriesIn struct {
	Brief bool `json:"-"` // for pages: without goal, seeks and brings
}

// ListStoriesOut has the caller's Stories, the newest first.
type ListStoriesOut struct {
	Stories []OwnedStory `json:"stories"`
}

func listStories(r *store.Reader, by store.Viewer, in ListStoriesIn) (ListStoriesOut, error) {
	rows, err := r.StoriesWithShown(by, maxListed, maxListedSize, in.Brief)
	if err == nil {
		err = withAudiences(r, by, rows)
	}
	return ListStoriesOut{core.Map(rows, storyOf)}, err
}

func withAudiences(r *store.Reader, by store.Viewer, rows []store.Story) (err error) {
	for n := range rows {
		if err == nil {
			rows[n].Audience, err = r.StoryAudience(by, rows[n].ID)
		}
	}
	return err
}

// QuietSearch says whether an intent is matched, or shown to agents, apart from its Story.
type QuietSearch struct {
	Enabled   *bool       `json:"enabled" required:"true"`
	ExpiresAt *store.Time `json:"expiresAt" doc:"Required if enabled; in the future"`
	Audience  *Audience   `json:"audience" doc:"Match with these only; left out for everybody"`
}

// PublishStoryIn is a Story to publish.
type PublishStoryIn struct {
	_                   struct{}     `strict:"true"` // everything that is approved must be shown
	Confirm             *bool        `json:"confirm" required:"true" doc:"False for a preview"`
	ApprovalGrant       string       `json:"approvalGrant" max:"100" doc:"Of the preview"`
	Text                string       `json:"text" required:"true" min:"1" max:"2000" plain:"true"`
	Audience            *Audience    `json:"audience" required:"true"`
	StoryExpiresAt      *store.Time  `json:"storyExpiresAt" required:"true"`
	Kind                string       `json:"kind" enum:"ask|offer" doc:"Required for a quiet search that neither seeks nor brings anything"`
	Goal                string       `json:"goal" max:"500" line:"true" plain:"true"`
	Seeks               []string     `json:"seeks" max:"20" itemMax:"500" line:"true" plain:"true"`
	Brings              []string     `json:"brings" max:"20" itemMax:"500" line:"true" plain:"true"`
	MatchingMode        string       `json:"matchingMode" enum:"fulfillment|reciprocal|shared_goal" default:"fulfillment"`
	OpenToCollaborators bool         `json:"openToCollaborators"`
	QuietSearch         *QuietSearch `json:"quietSearch"`
	CloseOnConnect      *bool        `json:"closeOnConnect" doc:"By default true"`
}

// PublishOut is the published Story, or a preview of it.
type PublishOut struct {
	Story   OwnedStory  `json:"story"`
	Intent  AgentIntent `json:"intent"`
	Preview *Preview    `json:"-"`
}

// Created implements op.Created: it is false for a preview.
func (o *PublishOut) Created() bool { return o.Preview == nil }

// Bodies implements op.Alternative.
func (o *PublishOut) Bodies() (made, otherwise any) { return o, cmp.Or(o.Preview, &Preview{}) }

func (s *Service) publishStory(ctx context.Context, by store.Viewer, in PublishStoryIn) (out PublishOut, err error) {
	p := publication{
		Kind: in.Kind, Goal: in.Goal, Seeks: in.Seeks, Brings: in.Brings, MatchingMode: in.MatchingMode,
		OpenToCollaborators: in.OpenToCollaborators, CloseOnConnect: in.CloseOnConnect == nil || *in.CloseOnConnect,
	}
	now := s.DB.Now()
	err = p.setStory(now, in.Text, in.Audience, in.StoryExpiresAt, "storyExpiresAt")
	if err == nil {
		err = p.setSearch(now, in.QuietSearch)
	}
	if err == nil {
		err = p.complete()
	}
	if err != nil {
		return out, err
	}
	published, err := s.publishOrPreview(ctx, by, &p, *in.Confirm, in.ApprovalGrant)
	return published.PublishOut, err
}

const maxShown = 20

func mayBeShown(r *store.Reader, by store.Viewer) error {
	n, err := r.ShownStories(by)
	if err == nil && n >= maxShown {
		err = core.New(core.Conflict, "too_many_stories",
			"You have %d Stories that others can see, which is the most. Pause or withdraw one first.", maxShown)
	}
	return err
}

// UpdateStoryIn changes a Story; at least one member is required.
type UpdateStoryIn struct {
	ID             string      `path:"id" json:"-"`
	Status         string      `json:"status" enum:"active|paused|withdrawn"`
	StoryExpiresAt *store.Time `json:"storyExpiresAt" doc:"In the future. Of a quiet search alone, when the search expires"`

	// NotSooner is for pages: a Story that ends later than StoryExpiresAt keeps its end.
	NotSooner bool `json:"-"`
	// Ends is for pages: if it is not 0, the Story is changed only if it ends at that time.
	Ends store.Time `json:"-"`
}

func (in *UpdateStoryIn) ends() bool {
	return in.Status != "" && in.Status != "active" && in.StoryExpiresAt == nil
}

// A withdrawn Story stays withdrawn. A separately approved search keeps its own state and expiry beside a Story.
func (s *Service) updateStory(ctx context.Context, by store.Viewer, in UpdateStoryIn) (out StoryOut, err error) {
	if in.Status == "" && in.StoryExpiresAt == nil {
		return out, core.New(core.Invalid, "invalid_input", "Send status or storyExpiresAt.")
	}
	at, err := future(s.DB.Now(), "storyExpiresAt", in.StoryExpiresAt)
	if err != nil {
		return out, err
	}
	i, err := s.resumed(ctx, by, &in)
	if err != nil {
		return out, core.Found(err)
	}
	err = s.publishing(ctx, &i, func(f *found) error {
		return s.DB.Write(ctx, func(tx *store.Tx) error {
			story, err := tx.Story(by, in.ID)
			if err == nil {
				story.Audience, err = tx.StoryAudience(by, in.ID)
			}
			if err != nil {
				return err
			}
			ends := cmp.Or(story.StoryExpiresAt, story.SearchExpiresAt)
			if in.Ends != 0 && in.Ends != ends {
				return core.New(core.Conflict, "changed", "Nothing was undone: its end has changed since.")
			}
			if in.NotSooner {
				at = max(at, ends)
			}
			was := story.Status
			if err := changeStory(tx, by, &story, in.Status, at, f); err != nil {
				return err
			}
			out.Story = storyOf(story)
			if in.ends() && was == in.Status {
				return nil
			}
			return cmp.Or(storyChanged(tx, &story), core.InboxChanged(tx, by.UserID))
		})
	})
	return out, core.Found(err)
}

// resumed returns the search that becomes active, as it will be; the zero Intent if none does.
func (s *Service) resumed(ctx context.Context, by store.Viewer, in *UpdateStoryIn) (i store.Intent, err error) {
	if in.Status != "active" && (in.Status != "" || in.StoryExpiresAt == nil) {
		return i, nil
	}
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		story, err := r.Story(by, in.ID)
		if err == nil && story.Text == "" && !story.Intent.Listed(r.Now()) && !story.Intent.Ended() {
			i = story.Intent
			i.Status = "active"
		}
		return err
	})
	return i, err
}

func changeStory(tx *store.Tx, by store.Viewer, story *store.Story, status string, at store.Time, f *found) error {
	if searchEnded(story) && (status != "withdrawn" || at != 0) {
		return core.New(core.Invalid, "withdrawn", "This search is withdrawn or has connected. Publish a new search.")
	}
	was := story.Status
	if was == "withdrawn" && (status != was || at != 0) {
		return core.New(core.Invalid, "withdrawn", "This Story is withdrawn. Publish a new Story.")
	}
	searchOnly := story.Text == ""
	follows := searchOnly || !story.QuietSearch
	shown, listed := story.Shown(tx.Reader.Now()), story.Intent.Listed(tx.Reader.Now())
	if at != 0 {
		if !searchOnly {
			story.StoryExpiresAt = at
		}
		if follows {
			story.SearchExpiresAt = at
			if err := tx.SetIntentExpiry(&story.Intent, at); err != nil {
				return err
			}
		}
	}
	story.Status = cmp.Or(status, was)
	if story.Status == "active" && was != "active" && cmp.Or(story.StoryExpiresAt, story.SearchExpiresAt) <= tx.Reader.Now() {
		return core.InvalidField("storyExpiresAt", "This has expired. Send a storyExpiresAt in the future with the status.")
	}
	isShown := story.Shown(tx.Reader.Now())
	var err error
	if isShown && !shown {
		err = mayBeShown(&tx.Reader, by)
	}
	if err == nil && follows {
		err = follow(tx, by, story, listed, f)
	}
	if err == nil && (story.Status != was || isShown != shown) {
		err = storyVisibilityChanged(tx, story)
	}
	return cmp.Or(err, tx.UpdateStory(story))
}

func follow(tx *store.Tx, by store.Viewer, story *store.Story, listed bool, f *found) error {
	i := &story.Intent
	switch {
	case story.Status == "withdrawn" && i.Status != "withdrawn":
		return end(tx, i, "withdrawn")
	case story.Status == "paused" && i.Status == "active":
		return tx.SetIntentStatus(i, "paused")
	case story.Status == "active" && story.Text == "" && !listed && (i.Status == "paused" || i.Listed(tx.Reader.Now())):
		return resume(tx, by, i, f)
	}
	return nil
}

func resume(tx *store.Tx, by store.Viewer, i *store.Intent, f *found) error {
	// While it is paused it does not count against the limit.
	err := cmp.Or(tx.SetIntentStatus(i, "paused"), mayBeActive(&tx.Reader, by), tx.SetIntentStatus(i, "active"))
	if err == nil && f == nil {
		err = core.New(core.Conflict, "changed", "This was changed meanwhile. Try again.")
	}
	if err == nil {
		err = decide(tx, i, f)
	}
	return err
}
