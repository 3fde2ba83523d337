package chat

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/core"
)

// Messages encode themselves because their pages are read most often: 50 messages take 11 µs instead of 88 µs
// (BenchmarkPageJSON). A test compares the result with the tags.

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
	b = strconv.AppendBool(b, p.HasMore)
	return append(b, '}'), nil
}

// MarshalJSONTo implements json.MarshalerTo.
func (m Message) MarshalJSONTo(enc *jsontext.Encoder) error {
	b, err := m.AppendJSON(enc.AvailableBuffer())
	if err != nil {
		return err
	}
	return enc.WriteValue(b)
}

// AppendJSON appends the message as JSON.
func (m *Message) AppendJSON(b []byte) ([]byte, error) {
	b = core.AppendID(append(b, `{"id":`...), m.ID)
	b = core.AppendID(append(b, `,"conversationId":`...), m.ConversationID)
	b = core.AppendID(append(b, `,"senderId":`...), m.SenderID)
	b = core.AppendText(append(b, `,"content":`...), m.Content)
	b = core.AppendText(append(b, `,"messageType":`...), m.MessageType)
	b = core.AppendTextOrNull(append(b, `,"cardKind":`...), m.CardKind)
	b = core.AppendTextOrNull(append(b, `,"cardPayload":`...), m.CardPayload)
	b = strconv.AppendBool(append(b, `,"viaSecretary":`...), m.ViaSecretary)
	b = core.AppendTime(append(b, `,"createdAt":`...), &m.CreatedAt)
	b = core.AppendID(append(b, `,"sender":{"id":`...), m.Sender.ID)
	b = core.AppendText(append(b, `,"name":`...), m.Sender.Name)
	b = core.AppendText(append(b, `,"email":`...), m.Sender.Email)
	b = core.AppendTextOrNull(append(b, `},"replyToId":`...), m.ReplyToID)
	b, err := appendRare(append(b, `,"replyTo":`...), m.ReplyTo, m.ReplyTo == nil, "null")
	if err == nil {
		b, err = appendRare(append(b, `,"reactions":`...), m.Reactions, len(m.Reactions) == 0, "[]")
	}
	if err == nil {
		b, err = appendRare(append(b, `,"mentions":`...), m.Mentions, len(m.Mentions) == 0, "[]")
	}
	b = append(b, `,"attachments":`...)
	if m.FilesJSON != "" {
		b = append(b, m.FilesJSON...)
	} else if err == nil {
		b, err = appendRare(b, m.Attachments, len(m.Attachments) == 0, "[]")
	}
	b = core.AppendTextOrNull(append(b, `,"transcript":`...), m.Transcript)
	b = core.AppendTime(append(b, `,"editedAt":`...), m.EditedAt)
	b = core.AppendTime(append(b, `,"deletedAt":`...), m.DeletedAt)
	if err == nil && m.Agent != nil {
		b, err = appendRare(append(b, `,"agent":`...), m.Agent, false, "")
	}
	return append(b, '}'), err
}

func appendRare(b []byte, v any, none bool, empty string) ([]byte, error) {
	if none {
		return append(b, empty...), nil
	}
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	return append(b, text...), err
}
