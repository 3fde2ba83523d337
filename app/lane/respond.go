package lane

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// RespondRequestIn answers a request: with a text, or by declining it.
type RespondRequestIn struct {
	RequestID string `path:"requestId" json:"-"`
	Text      string `json:"text" max:"20000" doc:"The reply; only what is shared already, or approved by the owner"`
	Decline   bool   `json:"decline" doc:"True instead of a text"`
}

// RespondRequestOut is what became of a request.
type RespondRequestOut struct {
	Status string                 `json:"status" enum:"completed|declined"`
	Post   *ContextPostProjection `json:"post,omitzero" doc:"The reply, if it is completed"`
}

// respondRequest answers a request that the key with which it is called received:
// it adds a reply to the post and completes the request in one write, or declines.
//
// It can be repeated: the same reply again returns the first one, another one is a
// Conflict, and a reply after declining changes nothing. NotFound for a request
// that the key did not receive or cannot answer any more: it has expired, the post
// was changed or deleted, a block or leaving ended it, or the key receives no
// requests.
func (s *Service) respondRequest(ctx context.Context, by store.Viewer, in RespondRequestIn) (out RespondRequestOut, err error) {
	if (in.Text == "") != in.Decline {
		return out, core.InvalidField("text", "Send either text of 1 to 20000 characters, or decline: true.")
	}
	if by.Kind != store.Agent {
		return out, core.ErrNotFound
	}
	hash := core.RequestHash(in.Text)
	err = s.DB.Write(ctx, func(tx *store.Tx) error {
		out = RespondRequestOut{}
		q, err := tx.ContextRequest(by, in.RequestID)
		if err != nil {
			return err
		}
		switch {
		case q.State == "pending":
			q.State, q.ReplyID, err = answer(tx, by, q, in, hash)
		case q.State == "completed" && (in.Decline || !q.SameReply(hash)):
			err = core.New(core.Conflict, "already_answered", "This request was answered already. Edit that reply, or make a new post.")
		}
		if err != nil {
			return err
		}
		if out.Status = q.State; q.ReplyID != "" {
			post, err := readPost(&tx.Reader, by, q.ConversationID, q.ReplyID)
			out.Post = &post
			return err
		}
		return nil
	})
	return out, core.Found(err)
}

// answer answers a request that is pending, and returns its state and the reply.
func answer(tx *store.Tx, by store.Viewer, q store.ContextRequest, in RespondRequestIn, hash []byte) (state, replyID string, err error) {
	ok, err := tx.CanAnswer(by, q.ID)
	if err != nil || !ok {
		return "", "", core.Found(orNoRow(err))
	}
	if in.Decline {
		return "declined", "", tx.DeclineRequest(q.ID)
	}
	p := store.ContextPost{ConversationID: q.ConversationID, AuthorID: by.UserID, Kind: "note", Text: in.Text, ReplyToID: q.PostID,
		ClientRequestID: store.NewID()}
	if _, err := insertPost(tx, by, &p, nil); err != nil {
		return "", "", err
	}
	return "completed", p.ID, tx.CompleteRequest(q.ID, p.ID, hash)
}

// orNoRow returns err, or ErrNoRow for nil.
func orNoRow(err error) error {
	if err == nil {
		return store.ErrNoRow
	}
	return err
}
