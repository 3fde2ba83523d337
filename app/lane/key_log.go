package lane

import (
	"hearth/app/core"
	"hearth/store"
)

func (s *Service) getContextPost(r *store.Reader, by store.Viewer, in ContextPostIn) (ContextPostProjection, error) {
	p, err := postIn(r, by, in.ConversationID, in.PostID)
	return postOf(p), err
}

// ReceivingKey is whether a key receives requests.
type ReceivingKey struct {
	KeyID   string `json:"keyId"`
	Usable  bool   `json:"usable" doc:"It is valid and has both scopes"`
	Enabled bool   `json:"enabled"`
}

// Keys that are revoked are left out; the oldest come first.
func (s *Service) listReceivingKeys(r *store.Reader, by store.Viewer, _ core.None) ([]ReceivingKey, error) {
	rows, err := r.ReceivingKeys(by)
	return core.Map(rows, func(k store.ReceivingKey) ReceivingKey { return ReceivingKey(k) }), err
}

// ListKeyRequestsIn selects requests to a key.
type ListKeyRequestsIn struct {
	KeyID  string      `path:"id" json:"-"`
	Before *store.Time `query:"before" json:"-"`
	Limit  int         `query:"limit" json:"-" default:"30" min:"1" max:"100" clamp:"true"`
}

// ListKeyRequestsOut has requests, the newest first.
type ListKeyRequestsOut struct {
	Requests []KeyRequest `json:"requests"`
	HasMore  bool         `json:"hasMore"`
	KeyName  string       `json:"keyName"`
}

// KeyRequest is what a key was asked and what it replied.
type KeyRequest struct {
	ID                string        `json:"id"`
	ConversationID    string        `json:"conversationId"`
	ConversationTitle string        `json:"conversationTitle"`
	PostID            string        `json:"postId"`
	Requester         ContextAuthor `json:"requester"`
	Text              string        `json:"text" doc:"Empty if the post is deleted, or the account is not in the conversation any more"`
	State             string        `json:"state" enum:"pending|completed|declined|expired"`
	Reply             string        `json:"reply"`
	ReplyID           *string       `json:"replyId"`
	CreatedAt         store.Time    `json:"createdAt"`
}

// listKeyRequests returns what a key of the caller, or of a bot of theirs, was asked within the last 30 days.
func (s *Service) listKeyRequests(r *store.Reader, by store.Viewer, in ListKeyRequestsIn) (out ListKeyRequestsOut, err error) {
	key, err := r.Key(by, "agent", in.KeyID)
	if err != nil {
		return out, err
	}
	out.KeyName = key.Name
	rows, err := r.LoggedRequests(by, in.KeyID, core.Before(in.Before), in.Limit+1)
	rows, out.HasMore = core.Cut(rows, in.Limit)
	out.Requests = core.Map(rows, func(l store.LoggedRequest) KeyRequest {
		k := KeyRequest{
			ID: l.ID, ConversationID: l.ConversationID, ConversationTitle: l.Title, PostID: l.PostID,
			Requester: ContextAuthor{l.RequesterID, l.RequesterName}, Text: l.Text, State: l.State, Reply: l.Reply,
			ReplyID: core.OrNil(l.ReplyID), CreatedAt: l.CreatedAt,
		}
		if l.State == "pending" && l.ExpiresAt <= r.Now() {
			k.State = "expired"
		}
		return k
	})
	return out, err
}

// ListAskedIn names posts.
type ListAskedIn struct {
	PostIDs []string `json:"postIds" max:"100" format:"uuid"`
}

// Asked is how many agents the caller asked to reply to a post, and how many did.
type Asked struct {
	PostID    string `json:"postId"`
	Agents    int    `json:"agents"`
	Completed int    `json:"completed"`
	Pending   int    `json:"pending" doc:"Those that can still answer"`
}

// listAsked returns, of the posts, those about which the caller asked agents.
func (s *Service) listAsked(r *store.Reader, by store.Viewer, in ListAskedIn) (out []Asked, err error) {
	if len(in.PostIDs) == 0 {
		return nil, nil
	}
	rows, err := r.Asked(by, in.PostIDs...)
	return core.Map(rows, func(a store.Asked) Asked { return Asked(a) }), err
}
