package social

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
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
	if in.Decision == "refuse" {
		return out, s.DB.Write(ctx, takeRequest(by, hash, nil))
	}
	if err := s.Limits.CheckSpace(ctx); err != nil {
		return out, err
	}
	var g store.KeyGrant
	err = s.DB.Read(ctx, func(r *store.Reader) (err error) {
		g, err = r.AgentGrant(by, hash)
		return err
	})
	if err != nil {
		return out, gone(err)
	}
	request, err := requestOf(g)
	if err != nil {
		return out, err
	}
	approve := takeRequest(by, hash, request.Payload)
	if request.Response != nil {
		asker := by
		asker.Kind, asker.KeyID, asker.AgentName = store.Agent, g.KeyID, g.AgentName // it wrote the message
		err := s.DB.Write(ctx, func(tx *store.Tx) error {
			sent, err := s.respondApproved(tx, asker, *request.Response, approve)
			out.ConversationID = sent.ConversationID
			return err
		})
		return out, core.Found(err)
	}
	out.StoryID, err = s.publishRequested(ctx, by, request.Publication, approve)
	return out, err
}

func takeRequest(by store.Viewer, hash []byte, payload jsontext.Value) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		g, err := tx.AgentGrant(by, hash)
		if err != nil {
			return gone(err)
		}
		if payload != nil && g.Payload != string(payload) {
			return errGone()
		}
		if err := tx.DeleteGrant(hash); err != nil {
			return err
		}
		return reviewChanged(tx, by.UserID)
	}
}

func (s *Service) publishRequested(ctx context.Context, by store.Viewer, p *publication, approve func(*store.Tx) error) (string, error) {
	published, err := s.publishApproved(ctx, by, p, approve, func(tx *store.Tx, story *store.Story) error {
		if p.DraftID == "" {
			return nil
		}
		d, err := pendingDraft(&tx.Reader, by, p.DraftID)
		if err == nil && !p.isOf(&d) {
			err = errGone()
		}
		if err == nil {
			_, err = activated(tx, d, story)
		}
		return err
	})
	if e := core.As(err); err != nil && e.Kind == core.Invalid && strings.HasSuffix(strings.ToLower(e.Field), "audience") {
		err = core.New(core.Invalid, "request_audience",
			"Somebody whom this request names can no longer be reached, so it cannot be approved. Refuse it. The agent can ask again for others.")
	}
	return published.Story.ID, core.Found(err)
}

// A draft may be changed after the preview.
func (p *publication) isOf(d *store.Draft) bool {
	same := p.Goal == d.Goal && p.MatchingMode == d.MatchingMode && p.OpenToCollaborators == d.Collaborators && p.Details == d.Details
	seeks, brings := d.Seeks, d.Brings
	if p.QuietSearch != nil {
		seeks, brings = normalised(p.Kind, p.Terms, seeks, brings)
	}
	return same && slices.Equal(p.Seeks, seeks) && slices.Equal(p.Brings, brings)
}

func gone(err error) error {
	if errors.Is(err, store.ErrNoRow) {
		return errGone()
	}
	return err
}

func errGone() error {
	return core.New(core.Conflict, "request_gone",
		"This request cannot be answered any more: it was answered, has expired, or what it is about has changed. The agent can ask again.")
}
