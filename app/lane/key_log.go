package lane

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// getContextPost returns a post of a conversation of the caller's.
func (s *Service) getContextPost(ctx context.Context, by store.Viewer, in ContextPostIn) (out ContextPostProjection, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		p, err := postIn(r, by, in.ConversationID, in.PostID)
		out = postOf(p)
		return err
	})
	return out, core.Found(err)
}

// ReceivingKey is whether a key receives requests.
type ReceivingKey struct {
	KeyID   string `json:"keyId"`
	Usable  bool   `json:"usable" doc:"It is valid and has both scopes"`
	Enabled bool   `json:"enabled"`
}

// listReceivingKeys returns the caller's agent keys that are not revoked, the
// oldest first.
func (s *Service) listReceivingKeys(ctx context.Context, by store.Viewer, _ core.None) (out []ReceivingKey, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		rows, err := r.ReceivingKeys(by)
		out = core.Map(rows, func(k store.ReceivingKey) ReceivingKey { return ReceivingKey(k) })
		return err
	})
	return out, err
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

// listKeyRequests returns what a key of the caller's, or of a bot of theirs, was
// asked within the last 30 days.
func (s *Service) listKeyRequests(ctx context.Context, by store.Viewer, in ListKeyRequestsIn) (out ListKeyRequestsOut, err error) {
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		key, err := r.Key(by, "agent", in.KeyID)
		if err != nil {
			return err
		}
		out.KeyName = key.Name
		rows, err := r.LoggedRequests(by, in.KeyID, before(in.Before), in.Limit+1)
		if out.HasMore = len(rows) > in.Limit; out.HasMore {
			rows = rows[:in.Limit]
		}
		now := r.Now()
		out.Requests = core.Map(rows, func(l store.LoggedRequest) KeyRequest {
			k := KeyRequest{
				ID: l.ID, ConversationID: l.ConversationID, ConversationTitle: l.Title, PostID: l.PostID,
				Requester: ContextAuthor{l.RequesterID, l.RequesterName},
				Text:      l.Text, State: l.State, Reply: l.Reply, ReplyID: core.OrNil(l.ReplyID), CreatedAt: l.CreatedAt,
			}
			if l.State == "pending" && l.ExpiresAt <= now {
				k.State = "expired"
			}
			return k
		})
		return err
	})
	return out, core.Found(err)
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
func (s *Service) listAsked(ctx context.Context, by store.Viewer, in ListAskedIn) (out []Asked, err error) {
	if len(in.PostIDs) == 0 {
		return nil, nil
	}
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		rows, err := r.Asked(by, in.PostIDs...)
		out = core.Map(rows, func(a store.Asked) Asked { return Asked(a) })
		return err
	})
	return out, err
}

// Tidy deletes requests made more than 30 days ago. Those that have expired cannot
// be answered already.
func (s *Service) Tidy(ctx context.Context) error {
	const step = 200
	limit := s.DB.Now().Add(-requestRetention)
	for {
		var n int64
		err := s.DB.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.PruneRequests(limit, step)
			return err
		})
		if err != nil || n < step {
			return err
		}
	}
}
