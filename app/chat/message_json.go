package chat

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
)

// Pages of messages are what is read most, and their JSON is the largest part
// of what a page costs after its rows. So they write it themselves; a test
// holds it to what their tags say.

// AppendJSON appends the page as JSON.
func (p MessagePage) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, `{"messages":[`...)
	for i := range p.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = p.Messages[i].AppendJSON(b); err != nil {
			return b, err
		}
	}
	b = append(b, `],"hasMore":`...)
	b = appendBool(b, p.HasMore)
	return append(b, '}'), nil
}

// AppendJSON appends the message as JSON.
func (m *Message) AppendJSON(b []byte) ([]byte, error) {
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendID(append(b, `,"conversationId":`...), m.ConversationID)
	b = appendID(append(b, `,"senderId":`...), m.SenderID)
	b = appendText(append(b, `,"content":`...), m.Content)
	b = appendText(append(b, `,"messageType":`...), m.MessageType)
	b = appendTextOrNull(append(b, `,"cardKind":`...), m.CardKind)
	b = appendTextOrNull(append(b, `,"cardPayload":`...), m.CardPayload)
	b = appendBool(append(b, `,"viaSecretary":`...), m.ViaSecretary)
	b = appendTime(append(b, `,"createdAt":`...), &m.CreatedAt)
	b = appendID(append(b, `,"sender":{"id":`...), m.Sender.ID)
	b = appendText(append(b, `,"name":`...), m.Sender.Name)
	b = appendText(append(b, `,"email":`...), m.Sender.Email)
	b = appendTextOrNull(append(b, `},"replyToId":`...), m.ReplyToID)
	b, err := appendRare(append(b, `,"replyTo":`...), m.ReplyTo, m.ReplyTo == nil, "null")
	if err == nil {
		b, err = appendRare(append(b, `,"reactions":`...), m.Reactions, len(m.Reactions) == 0, "[]")
	}
	if err == nil {
		b, err = appendRare(append(b, `,"attachments":`...), m.Attachments, len(m.Attachments) == 0, "[]")
	}
	b = appendTextOrNull(append(b, `,"transcript":`...), m.Transcript)
	b = appendTime(append(b, `,"editedAt":`...), m.EditedAt)
	b = appendTime(append(b, `,"deletedAt":`...), m.DeletedAt)
	if err == nil && m.Agent != nil {
		b, err = appendRare(append(b, `,"agent":`...), m.Agent, false, "")
	}
	return append(b, '}'), err
}

// appendRare appends what few messages have the ordinary way.
func appendRare(b []byte, v any, none bool, empty string) ([]byte, error) {
	if none {
		return append(b, empty...), nil
	}
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	return append(b, text...), err
}

// appendID quotes an identifier of ours, in which nothing needs escaping.
func appendID(b []byte, id string) []byte {
	return append(append(append(b, '"'), id...), '"')
}

// appendText quotes s. What is not UTF-8 becomes U+FFFD; the error that says
// so is no reason to withhold the rest.
func appendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

func appendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

func appendTime(b []byte, t *store.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	b, _ = t.AppendText(append(b, '"')) // never fails
	return append(b, '"')
}
