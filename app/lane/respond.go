package lane

import (
	"cmp"

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

// respondRequest can be repeated: the same reply again returns the first reply, a different reply is a Conflict, and a
// reply after declining changes nothing. NotFound for a request that the key did not receive or can no longer answer.
func (s *Service) respondRequest(tx *store.Tx, by store.Viewer, in RespondRequestIn) (out RespondRequestOut, err error) {
	if (in.Text == "") != in.Decline {
		return out, core.InvalidField("text", "Send either text of 1 to 20000 characters, or decline: true.")
	}
	if by.Kind != store.Agent {
		return out, core.ErrNotFound
	}
	q, err := tx.ContextRequest(by, in.RequestID)
	if err != nil {
		return out, err
	}
	hash := core.RequestHash(in.Text)
	switch {
	case q.State == "pending":
		err = answer(tx, by, &q, in, hash)
	case q.State == "completed" && (in.Decline || !q.SameReply(hash)):
		err = core.New(core.Conflict, "already_answered", "This request was answered already. Edit that reply, or make a new post.")
	}
	out.Status = q.State
	if err == nil && q.ReplyID != "" {
		out.Post = new(ContextPostProjection)
		*out.Post, err = readPost(&tx.Reader, by, q.ConversationID, q.ReplyID)
	}
	return out, err
}

func answer(tx *store.Tx, by store.Viewer, q *store.ContextRequest, in RespondRequestIn, hash []byte) error {
	ok, err := tx.CanAnswer(by, q.ID)
	if err == nil && !ok {
		err = store.ErrNoRow
	}
	if err != nil {
		return err
	}
	if in.Decline {
		q.State = "declined"
		return tx.DeclineRequest(q.ID)
	}
	p := store.ContextPost{ConversationID: q.ConversationID, AuthorID: by.UserID, Kind: "note", Text: in.Text, ReplyToID: q.PostID,
		ClientRequestID: store.NewID()}
	_, err = insertPost(tx, by, &p, nil)
	q.State, q.ReplyID = "completed", p.ID
	return cmp.Or(err, tx.CompleteRequest(q.ID, p.ID, hash))
}
