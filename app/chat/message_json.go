package chat

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/store"
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
	b = appendID(append(b, `{"id":`...), m.ID)
	b = appendID(append(b, `,"conversationId":`...), m.ConversationID)
	b = appendID(append(b, `,"senderId":`...), m.SenderID)
	b = appendText(append(b, `,"content":`...), m.Content)
	b = appendText(append(b, `,"messageType":`...), m.MessageType)
	b = appendTextOrNull(append(b, `,"cardKind":`...), m.CardKind)
	b = appendTextOrNull(append(b, `,"cardPayload":`...), m.CardPayload)
	b = strconv.AppendBool(append(b, `,"viaSecretary":`...), m.ViaSecretary)
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
		b, err = appendRare(append(b, `,"mentions":`...), m.Mentions, len(m.Mentions) == 0, "[]")
	}
	b = append(b, `,"attachments":`...)
	if m.FilesJSON != "" {
		b = append(b, m.FilesJSON...)
	} else if err == nil {
		b, err = appendRare(b, m.Attachments, len(m.Attachments) == 0, "[]")
	}
	b = appendTextOrNull(append(b, `,"transcript":`...), m.Transcript)
	b = appendTime(append(b, `,"editedAt":`...), m.EditedAt)
	b = appendTime(append(b, `,"deletedAt":`...), m.DeletedAt)
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

// appendID appends a quoted identifier, in which nothing needs escaping.
func appendID(b []byte, id string) []byte { return append(append(append(b, '"'), id...), '"') }

// appendText appends s quoted. Invalid UTF-8 becomes U+FFFD.
func appendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // reports only the invalid UTF-8
	return b
}

func appendTextOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return appendText(b, *s)
}

func appendTime(b []byte, t *store.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	b, _ = t.AppendText(append(b, '"')) // never fails
	return append(b, '"')
}
