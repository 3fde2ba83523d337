package social

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
	"hearth/store"
)

// Request is a pending preview that a key of the caller asks them to approve. It shows exactly what will be done.
type Request struct {
	ID        string         `json:"id"`
	Action    string         `json:"action" enum:"activate_intent_draft|publish_story|respond_to_story"`
	AgentName string         `json:"agentName"`
	KeyName   string         `json:"keyName"`
	KeyPrefix string         `json:"keyPrefix"`
	Payload   jsontext.Value `json:"payload" format:"object"`
	CreatedAt store.Time     `json:"createdAt"`
	ExpiresAt store.Time     `json:"expiresAt"`

	Publication *Publication `json:"-"` // the payload of the first two actions
	Response    *Response    `json:"-"` // the payload of the third
}

// Publication and Response are payloads as pages show them.
type (
	Publication = publication
	Response    = response
)

func requestOf(g store.KeyGrant) (r Request, err error) {
	r = Request{
		ID: hex.EncodeToString(g.Hash), Action: g.Action, AgentName: g.AgentName, KeyName: g.KeyName, KeyPrefix: g.KeyPrefix,
		Payload: jsontext.Value(g.Payload), CreatedAt: g.CreatedAt, ExpiresAt: g.ExpiresAt,
	}
	if g.Action == respondToStory {
		r.Response = new(Response)
		return r, json.Unmarshal(r.Payload, r.Response)
	}
	r.Publication = new(Publication)
	return r, json.Unmarshal(r.Payload, r.Publication)
}

// ListRequestsOut has requests, the oldest first.
type ListRequestsOut struct {
	Requests []Request `json:"requests"`
	HasMore  bool      `json:"hasMore"`
}

const maxPayloads = 1 << 20 // bytes of payloads in one list: a page shows each in several ways

func listRequests(r *store.Reader, by store.Viewer, _ core.None) (out ListRequestsOut, err error) {
	rows, more, err := r.AgentGrants(by, maxReview, maxPayloads)
	out.HasMore = more
	for _, g := range rows {
		request, err := requestOf(g)
		if err != nil {
			return out, err
		}
		out.Requests = append(out.Requests, request)
	}
	return out, err
}

// AnswerRequestIn approves or refuses a request.
type AnswerRequestIn struct {
	ID       string `path:"id" json:"-"`
	Decision string `json:"decision" required:"true" enum:"approve|refuse"`
}

// AnswerRequestOut has the result: at most one of its members.
type AnswerRequestOut struct {
	StoryID        string `json:"storyId"`
	ConversationID string `json:"conversationId"`
}

// The grant is used up, whether the caller approves or refuses.
func (s *Service) answerRequest(ctx context.Context, by store.Viewer, in AnswerRequestIn) (out AnswerRequestOut, err error) {
	hash, err := hex.DecodeString(in.ID)
	if err != nil {
		return out, core.ErrNotFound
	}
	take := func(tx *store.Tx) error {
		if _, err := tx.AgentGrant(by, hash); err != nil {
			return gone(err)
		}
		return cmp.Or(tx.DeleteGrant(hash), core.InboxChanged(tx, by.UserID))
	}
	if in.Decision == "refuse" {
		return out, s.DB.Write(ctx, take)
	}
	if err := s.Limits.CheckSpace(ctx); err != nil {
		return out, err
	}
	g, err := store.Get(ctx, s.DB, func(r *store.Reader) (store.KeyGrant, error) { return r.AgentGrant(by, hash) })
	if err != nil {
		return out, gone(err)
	}
	request, err := requestOf(g)
	if err != nil {
		return out, err
	}
	if request.Publication != nil {
		published, err := s.publishApproved(ctx, by, request.Publication, take)
		if e := core.As(err); err != nil && e.Kind == core.Invalid && strings.HasSuffix(strings.ToLower(e.Field), "audience") {
			err = core.New(core.Invalid, "request_audience",
				"Somebody named in this request can no longer be reached, so it cannot be approved. Refuse it. The agent can ask again for others.")
		}
		return AnswerRequestOut{StoryID: published.Story.ID}, err
	}
	asker := by
	asker.Kind, asker.KeyID, asker.AgentName = store.Agent, g.KeyID, g.AgentName // it wrote the message
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		sent, err := s.respondApproved(tx, asker, *request.Response, take)
		out.ConversationID = sent.ConversationID
		return err
	})
	return out, core.Found(err)
}

// gone returns the error for a request that is not there any more instead of ErrNoRow.
func gone(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.New(core.Conflict, "request_gone",
			"This request cannot be answered any more: it was answered, has expired, or what it is about has changed. The agent can ask again.")
	}
	return err
}
