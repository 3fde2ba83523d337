package page

import (
	"cmp"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
)

func (s *site) chatSend(v *visit) error {
	id := v.id("id")
	return s.submit(v, func() (string, error) {
		if strings.TrimSpace(v.form("content")) == "" && len(v.uploads) == 0 && v.uploadErr == nil {
			return "", core.InvalidField("content", "Write a message first, or choose a file.")
		}
		files, err := s.storeUploads(v)
		if err != nil {
			return "", err
		}
		out, err := s.Chat.SendMessage.Call(v.ctx(), v.by, chat.SendMessageIn{ConversationID: id, ID: v.form("id"),
			Content: v.form("content"), ReplyToID: v.form("replyToId"), Attachments: files})
		if core.As(err).Code == "id_in_use" {
			err = s.sentBefore(v, id, files)
		}
		if err == nil && !out.Created() {
			return "/chat", err // the conversation is hidden
		}
		return newestOf(v, id), err
	}, "content")
}

// sentBefore returns nil if the same message was sent before with this id: same text, files and parent. Files
// are compared by content, because a repeated upload has new ids.
func (s *site) sentBefore(v *visit, conversationID string, files []chat.AttachmentRef) error {
	around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: conversationID, ID: v.form("id")})
	if err != nil && !core.IsKind(err, core.NotFound) {
		return err
	}
	for _, m := range around.Messages {
		if m.ID != v.form("id") || m.Sender.ID != v.by.UserID || core.OrZero(m.ReplyToID) != v.form("replyToId") ||
			strings.TrimSpace(m.Content) != strings.TrimSpace(v.form("content")) {
			continue
		}
		same, err := s.Chat.SameFiles(v.ctx(), v.by, core.Map(m.Files(), func(a chat.Attachment) string { return a.ID }),
			core.Map(files, func(r chat.AttachmentRef) string { return r.ID }))
		if same || err != nil {
			return err
		}
	}
	return core.New(core.Conflict, "sent_before",
		"A message was sent with this form already. Send again what is here now if it is another one.")
}

// newestOf returns the address of the newest part of a conversation. A form on an older part has the
// parameter newest.
func newestOf(v *visit, conversationID string) string {
	if v.query("newest") != "" {
		return "/chat/" + conversationID + "?newest=1"
	}
	return "/chat/" + conversationID
}

func (s *site) messageEdit(v *visit) error {
	id := v.id("message")
	load := func(v *visit) (chat.Message, error) {
		around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: v.id("id"), ID: id})
		for _, m := range around.Messages {
			if m.ID == id && m.DeletedAt == nil {
				return m, err
			}
		}
		return chat.Message{}, cmp.Or(err, error(core.ErrNotFound))
	}
	return s.submit(v, func() (string, error) {
		if _, err := current(v, load, func(m chat.Message) Form { return newForm("content", m.Content) }); err != nil {
			return "", err
		}
		m, err := s.Chat.EditMessage.Call(v.ctx(), v.by, chat.EditMessageIn{ID: id, Content: new(v.form("content"))})
		return messageAddress(v, m), err
	})
}

func (s *site) messageDelete(v *visit) error {
	m, err := s.Chat.DeleteMessage.Call(v.ctx(), v.by, core.ByID{ID: v.id("message")})
	return v.next(messageAddress(v, m), err)
}

func messageAddress(v *visit, m chat.Message) string {
	return withQuery("/chat/"+m.ConversationID, v.r.URL.RawQuery) + "#m-" + m.ID
}
