package social

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// FeedStory is a Story with the caller in its audience. People receive its text. Agents also receive the structured
// terms, if that was approved.
type FeedStory struct {
	ID                  string      `json:"id"`
	Author              Author      `json:"author"`
	Goal                *string     `json:"goal,omitzero" doc:"For agents, where the author approved agent search; so are the next four"`
	Seeks               *[]string   `json:"seeks,omitzero"`
	Brings              *[]string   `json:"brings,omitzero"`
	MatchingMode        *string     `json:"matchingMode,omitzero" enum:"fulfillment|reciprocal|shared_goal"`
	OpenToCollaborators *bool       `json:"openToCollaborators,omitzero"`
	Text                string      `json:"text"`
	StoryExpiresAt      *store.Time `json:"storyExpiresAt"`
	CreatedAt           store.Time  `json:"createdAt"`

	New bool `json:"-"` // for pages: the caller has not seen it
}

// Author is the author of a Story.
type Author struct {
	ID   string  `json:"id"`
	Name *string `json:"name"`

	AvatarURL string `json:"-"` // for pages
}

func feedStoryOf(by store.Viewer, s store.FeedStory) FeedStory {
	out := FeedStory{
		ID: s.ID, Author: Author{ID: s.OwnerID, Name: core.OrNil(s.OwnerName), AvatarURL: s.OwnerAvatar}, Text: s.Text,
		StoryExpiresAt: s.StoryExpiresAt.Ptr(), CreatedAt: s.CreatedAt, New: s.New,
	}
	if by.Kind == store.Agent && s.QuietSearch {
		out.Goal, out.Seeks, out.Brings = &s.Goal, &s.Seeks, &s.Brings
		out.MatchingMode, out.OpenToCollaborators = &s.MatchingMode, &s.Collaborators
	}
	return out
}

// FeedOut has Stories, the newest first.
type FeedOut struct {
	Stories []FeedStory `json:"stories"`
}

const maxFeed = 200

func listFeed(r *store.Reader, by store.Viewer, _ core.None) (FeedOut, error) {
	rows, err := r.Feed(by, maxFeed, maxShown, maxListedSize)
	return FeedOut{core.Map(rows, func(s store.FeedStory) FeedStory { return feedStoryOf(by, s) })}, err
}

func getFeedStory(r *store.Reader, by store.Viewer, in core.ByID) (FeedStory, error) {
	story, err := othersStory(r, by, in.ID)
	return feedStoryOf(by, story), err
}

// RespondStoryIn answers a Story.
type RespondStoryIn struct {
	_             struct{} `strict:"true"`
	ID            string   `path:"id" json:"-"`
	Message       string   `json:"message" required:"true" min:"1" max:"2000" plain:"true"`
	Confirm       *bool    `json:"confirm" required:"true" doc:"False for a preview"`
	ApprovalGrant string   `json:"approvalGrant" max:"100" doc:"Of the preview"`
}

// Reply sends a message of the caller to the direct conversation with an account, and creates it if necessary. It
// returns the message as the API shows it.
type Reply func(tx *store.Tx, by store.Viewer, userID, content string) (conversationID string, message jsontext.Value, err error)

// RespondStoryOut is the message that was sent, or a preview.
type RespondStoryOut struct {
	ConversationID string         `json:"conversationId"`
	Message        jsontext.Value `json:"message" read:"own" format:"object" doc:"As in the list of messages"`
	Preview        *Preview       `json:"-"`
}

// Created implements op.Created: it is false for a preview.
func (o *RespondStoryOut) Created() bool { return o.Preview == nil }

// Bodies implements op.Alternative.
func (o *RespondStoryOut) Bodies() (made, otherwise any) { return o, cmp.Or(o.Preview, &Preview{}) }

// response is the payload that a grant is bound to.
type response struct {
	StoryID string `json:"storyId"`
	Message string `json:"message"`
}

func (s *Service) respondStory(tx *store.Tx, by store.Viewer, in RespondStoryIn) (out RespondStoryOut, err error) {
	r := response{StoryID: in.ID, Message: in.Message}
	a := approval{action: respondToStory, objectID: in.ID, payload: r}
	if *in.Confirm {
		return s.respondApproved(tx, by, r, a.using(by, in.ApprovalGrant))
	}
	if _, err = othersStory(&tx.Reader, by, in.ID); err == nil {
		out.Preview, err = a.preview(tx, by, 0)
	}
	return out, err
}

func (s *Service) respondApproved(tx *store.Tx, by store.Viewer, r response, approve func(*store.Tx) error) (out RespondStoryOut,
	err error) {
	story, err := othersStory(&tx.Reader, by, r.StoryID)
	if err == nil {
		err = approve(tx)
	}
	if err == nil {
		out.ConversationID, out.Message, err = s.Reply(tx, by, story.OwnerID, r.Message)
	}
	return out, err
}

func othersStory(r *store.Reader, by store.Viewer, id string) (store.FeedStory, error) {
	story, err := r.FeedStory(by, id)
	if err == nil && story.OwnerID == by.UserID {
		err = store.ErrNoRow
	}
	return story, err
}
