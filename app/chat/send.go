package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"strconv"

	"hearth/app/core"
	"hearth/store"
)

// SendMessageIn is a message to send.
type SendMessageIn struct {
	ConversationID string `path:"id" json:"-"`
	ID             string `json:"id" format:"uuid" doc:"Yours to choose: sending again with the same id and the same body sends nothing twice"`
	Content        string `json:"content" max:"20000" doc:"What to say"`
	Text           string `json:"text" max:"20000" doc:"The same as content, which is preferred"`
	MessageType    string `json:"messageType" enum:"text" default:"text"`
	ReplyToID      string `json:"replyToId" format:"uuid" doc:"A message of the same conversation that this one answers"`
}

// sendMessage says something in a conversation that the caller is in.
//
// A send that brings its own id may be repeated: the same id with the same
// body gives the message that was sent first; with another body, or an id that
// is in use elsewhere, 409. A deleted message's words are forgotten, so a repeat
// of it is always taken for the same.
func (s *Service) sendMessage(ctx context.Context, by store.Viewer, in SendMessageIn) (Message, error) {
	content := cmp.Or(in.Content, in.Text)
	if content == "" {
		e := core.InvalidField("content", "content or attachments required: send content of 1 to 20000 characters.")
		e.Code = "content_required"
		return Message{}, e
	}
	row := store.Message{ConversationID: in.ConversationID, ID: in.ID, SenderID: by.UserID, Content: content, Type: "text", ReplyToID: in.ReplyToID}
	if by.Kind == store.Agent {
		row.AgentID, row.AgentName = by.KeyID, by.AgentName
	}
	var hash []byte
	if in.ID != "" {
		hash = requestHash(in.ConversationID, content, in.MessageType, in.ReplyToID)
	}
	var from store.Sender
	var quote *Quote
	var sent store.Message
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if in.ReplyToID != "" {
			q, err := tx.QuoteIn(in.ConversationID, in.ReplyToID)
			if err != nil {
				return err
			}
			quote = quoteOf(q)
		}
		sent = row
		if from, err = tx.Send(&sent, hash); err != nil {
			return err
		}
		return tx.Emit(store.Event{Topic: sent.ConversationID, Kind: messageCreated, ObjectID: sent.ID, ActorID: by.UserID})
	})
	if errors.Is(err, store.ErrTaken) {
		return s.sentBefore(ctx, by, in, hash)
	}
	if err != nil {
		return Message{}, core.Found(err)
	}
	out := messageOf(&sent, Sender(from))
	out.ReplyTo = quote
	return out, nil
}

// sentBefore answers a send whose id is in use.
func (s *Service) sentBefore(ctx context.Context, by store.Viewer, in SendMessageIn, hash []byte) (out Message, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		row, err := r.Retry(by.UserID, in.ConversationID, in.ID, hash)
		if err != nil {
			return err
		}
		out, err = newView(r, by.UserID).message(&row)
		return err
	})
	if errors.Is(err, store.ErrNoRow) {
		e := core.New(core.Conflict, "id_in_use", "This id belongs to another message already. Send a new message with a new id.")
		e.Field = "id"
		err = e
	}
	return out, err
}

// requestHash tells two requests with the same id apart. The length before
// each part keeps the parts apart.
func requestHash(parts ...string) []byte {
	var b []byte
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(append(b, ':'), p...)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}
