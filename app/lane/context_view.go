package lane

import (
	"errors"

	"github.com/go-json-experiment/json"

	"hearth/app/core"
	"hearth/store"
)

// ContextAuthor is who wrote something, with the name at the time of the request.
type ContextAuthor struct {
	ID   string `json:"id"`
	Name string `json:"name" read:"own"`
}

// ContextAgent is the key that wrote a post, with its name at the time.
type ContextAgent struct {
	ID   string `json:"id"`
	Name string `json:"name" read:"own"`
}

// ContextPostProjection is a post of the Context lane. A deleted one has no text.
type ContextPostProjection struct {
	ID              string         `json:"id"`
	ConversationID  string         `json:"conversationId"`
	AuthorID        string         `json:"authorId"`
	Author          ContextAuthor  `json:"author"`
	Agent           *ContextAgent  `json:"agent,omitzero" doc:"The key that wrote the text; absent when a person did"`
	IsDeleted       bool           `json:"isDeleted"`
	ReplyTo         *ContextParent `json:"replyTo,omitzero" read:"others" doc:"The post that it replies to; absent without one"`
	Text            string         `json:"text" read:"own"`
	Kind            string         `json:"kind" enum:"note|ask|offer"`
	Lane            string         `json:"lane" enum:"context"`
	Revision        int            `json:"revision" doc:"Raised by every edit, and by the deletion"`
	CreatedAt       store.Time     `json:"createdAt"`
	UpdatedAt       store.Time     `json:"updatedAt"`
	ReplyToID       *string        `json:"replyToId"`
	ClientRequestID string         `json:"clientRequestId"`
	Intention       *IntentionNote `json:"intention,omitzero" doc:"If its author tracks it"`
}

// ContextParent is what a reply shows of the post that it replies to: the first 200 characters, and none of a deleted
// one.
type ContextParent struct {
	ID        string        `json:"id"`
	Text      string        `json:"text"`
	IsDeleted bool          `json:"isDeleted"`
	Author    ContextAuthor `json:"author"`
}

// IntentionNote is what everybody who sees a post sees of its intention.
type IntentionNote struct {
	IntentID       string `json:"intentId"`
	LifecycleState string `json:"lifecycleState" enum:"open|fulfilled|withdrawn"`
	Revision       int    `json:"revision"`
	SourceChanged  bool   `json:"sourceChanged" doc:"The post was edited since it is tracked"`
}

func postOf(p store.ContextPost) ContextPostProjection {
	out := ContextPostProjection{
		ID: p.ID, ConversationID: p.ConversationID, AuthorID: p.AuthorID, Author: ContextAuthor{p.AuthorID, p.AuthorName},
		IsDeleted: p.DeletedAt != 0, Text: p.Text, Kind: p.Kind, Lane: "context", Revision: p.Revision,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ReplyToID: core.OrNil(p.ReplyToID), ClientRequestID: p.ClientRequestID,
	}
	if p.AgentID != "" {
		out.Agent = &ContextAgent{p.AgentID, p.AgentName}
	}
	if q := p.Parent; q.ID != "" {
		out.ReplyTo = &ContextParent{ID: q.ID, Text: q.Text, IsDeleted: q.DeletedAt != 0, Author: ContextAuthor{q.AuthorID, q.AuthorName}}
	}
	if n := p.Intention; n.IntentID != "" && p.DeletedAt == 0 {
		out.Intention = &IntentionNote{IntentID: n.IntentID, LifecycleState: n.State, Revision: n.Revision,
			SourceChanged: p.Revision != n.SourceRevision}
	}
	return out
}

func readPost(r *store.Reader, by store.Viewer, conversationID, id string) (ContextPostProjection, error) {
	p, err := r.ContextPost(by, conversationID, id)
	return postOf(p), err
}

// conflict returns a Conflict that shows the caller what they did not know.
func conflict(code, msg string, current any) error {
	e := core.New(core.Conflict, code, "%s", msg)
	b, err := json.Marshal(current)
	if err != nil {
		return err
	}
	e.Current = b
	return e
}

// member returns ErrNotMember unless the caller is a member of the conversation.
func member(r *store.Reader, by store.Viewer, conversationID string) error {
	_, err := r.Member(by, conversationID, by.UserID)
	if errors.Is(err, store.ErrNoRow) {
		err = core.ErrNotMember
	}
	return err
}
