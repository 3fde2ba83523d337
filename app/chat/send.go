package chat

import (
	"cmp"
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// SendMessageIn is the input of SendMessage.
type SendMessageIn struct {
	ConversationID string `path:"id" json:"-"`
	ID             string `json:"id" format:"uuid" doc:"Yours to choose: sending again with the same id and the same body sends nothing twice"`
	Content        string `json:"content" max:"20000" doc:"What to say. @ and a member's name mentions them, as in @Ada. At most 50 count."`
	Text           string `json:"text" max:"20000" doc:"The same as content, which is preferred"`
	MessageType    string `json:"messageType" enum:"text" default:"text"`
	ReplyToID      string `json:"replyToId" format:"uuid" doc:"A message of the same conversation that this one answers"`

	Attachments []AttachmentRef `json:"attachments" max:"10" doc:"Files that you uploaded; a message with files needs no content"`
}

// SendMessageOut is the sent message, or Dropped. A block hides the direct conversation from both sides.
type SendMessageOut struct {
	Message
	dropped bool
}

// Dropped is the result for a message that was not sent.
type Dropped struct {
	Success bool `json:"success"`
	Dropped bool `json:"dropped" doc:"Nothing was sent or stored"`
}

// Created implements op.Created: it is false for a dropped message.
func (o *SendMessageOut) Created() bool { return !o.dropped }

// Bodies implements op.Alternative.
func (o *SendMessageOut) Bodies() (made, otherwise any) {
	return &o.Message, Dropped{Success: true, Dropped: true}
}

// sendMessage accepts a client's message id again. With the same body it returns the first message; another body, or
// the id of another message, is a Conflict. The body of a deleted message is unknown, so any body counts as another.
//
// A message to a direct conversation that a block hides is dropped, whichever side blocks.
func (s *Service) sendMessage(ctx context.Context, by store.Viewer, in SendMessageIn) (out SendMessageOut, err error) {
	in.Content = cmp.Or(in.Content, in.Text)
	files, err := attachmentIDs(in.Attachments)
	if err == nil && in.Content == "" && len(files) == 0 {
		e := core.InvalidField("content", "content or attachments required: send content of 1 to 20000 characters.")
		e.Code = "content_required"
		err = e
	}
	if err != nil {
		return out, err
	}
	var hash []byte
	if in.ID != "" {
		hash = core.RequestHash(append([]string{in.ConversationID, in.Content, in.MessageType, in.ReplyToID}, files...)...)
	}
	var m store.Message
	err = s.DB.Write(ctx, func(tx *store.Tx) (err error) {
		defer func() { out.dropped, err = dropped(tx, by, in.ConversationID, err) }()
		var quote *Quote
		if in.ReplyToID != "" {
			q, err := tx.QuoteIn(by, in.ConversationID, in.ReplyToID)
			if err != nil {
				return err
			}
			quote = quoteOf(q)
		}
		m = writtenBy(by, in.ConversationID, in.Content)
		m.ID, m.ReplyToID = in.ID, in.ReplyToID
		if err := s.addAttachments(tx, by, &m, files); err != nil {
			return err
		}
		if err := send(tx, by, &m, hash); err != nil {
			return err
		}
		out.Message = sentBy(by, &m)
		out.ReplyTo = quote
		return nil
	})
	if errors.Is(err, store.ErrTaken) {
		out.Message, err = s.sentBefore(ctx, by, in, hash)
		return out, err
	}
	if err == nil && m.TranscribeUntil != 0 {
		s.Transcribe()
	}
	return out, core.Found(err)
}

// writtenBy returns a message that the caller wrote by hand or by an agent.
func writtenBy(by store.Viewer, conversationID, content string) store.Message {
	m := store.Message{ConversationID: conversationID, SenderID: by.UserID, Content: content}
	if by.Kind == store.Agent {
		m.AgentID, m.AgentName = by.KeyID, by.AgentName
	}
	return m
}

func send(tx *store.Tx, by store.Viewer, m *store.Message, hash []byte) error {
	if err := tx.Send(m, hash); err != nil {
		return err
	}
	if !m.ViaSecretary {
		if err := tx.Capture(m, core.CaptureOf(m.Content)); err != nil {
			return err
		}
	}
	return tx.Emit(store.Event{Topic: m.ConversationID, Kind: messageCreated, ObjectID: m.ID, ActorID: by.UserID})
}

func sentBy(by store.Viewer, m *store.Message) Message {
	out := messageOf(m, Sender{ID: by.UserID, Name: by.Name, Email: by.Email})
	out.setMentions(m.Mentions)
	return out
}

// dropped reports whether err means that a block hides the conversation, which is not an error for the caller.
func dropped(tx *store.Tx, by store.Viewer, conversationID string, err error) (bool, error) {
	if !errors.Is(err, store.ErrNoRow) {
		return false, err
	}
	hidden, e := tx.IsHidden(by, conversationID)
	if e != nil || hidden {
		err = e
	}
	return hidden, err
}

func (s *Service) sentBefore(ctx context.Context, by store.Viewer, in SendMessageIn, hash []byte) (out Message, err error) {
	out, err = store.Get(ctx, s.DB, func(r *store.Reader) (out Message, err error) {
		row, err := r.Retry(by, in.ConversationID, in.ID, hash)
		if err != nil {
			return out, err
		}
		return newView(r, by).message(&row)
	})
	if errors.Is(err, store.ErrNoRow) {
		e := core.New(core.Conflict, "id_in_use", "This id belongs to another message already. Send a new message with a new id.")
		e.Field = "id"
		err = e
	}
	return out, err
}
