package page

import (
	"net/http"
	"net/url"
	"slices"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func chatIndex(s *site, v *visit) (err error) {
	var view chatIndexView
	if view.Frame, err = s.frame(v, "Chat", "chat", "chat"); err != nil {
		return err
	}
	if view.columnView, err = s.column(v, ""); err != nil {
		return err
	}
	return s.show(v, http.StatusOK, view)
}

func chatShow(s *site, v *visit) error { return s.showChat(v, Form{}, "") }

// showChat answers with a conversation. form is a message that could not be
// sent or, with the id of a message in editing, one that could not be changed.
func (s *site) showChat(v *visit, form Form, editing string) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, chat.GetConversationIn{ID: id})
	if err != nil {
		return err
	}
	view := chatView{Head: s.headIn(c, v.by.UserID, "messages"), SendID: store.NewID(), Form: form, Blank: blankMessage()}
	if view.Frame, err = s.frame(v, view.Head.Title, "chat", "chat"); err != nil {
		return err
	}
	if view.columnView, err = s.column(v, id); err != nil {
		return err
	}
	t := messageViews{c: c, me: v.by.UserID, editing: v.query("edit"), deleting: v.query("delete"), picking: v.query("react")}
	if editing != "" {
		t.editing, t.edit, view.Form = editing, &form, Form{}
	}
	if err := s.fillMessages(v, &view, t); err != nil {
		return err
	}
	if err := s.fillSide(v, &view, c); err != nil {
		return err
	}
	return s.show(v, form.status(), view)
}

// fillSide adds what is beside the messages: the Context lane, or the Stream.
func (s *site) fillSide(v *visit, view *chatView, c chat.Conversation) (err error) {
	view.Side = "stream"
	if s.Lane.Context && v.query("side") != view.Side {
		view.Side = "context"
		view.Lane, err = s.laneOf(v, c, laneForm{})
		return err
	}
	view.Stream, err = s.streamOf(v, c, Form{})
	return err
}

// fillMessages adds a part of the conversation to the page: the newest
// messages, those before or after the moment in the address, or those around the
// message in it.
func (s *site) fillMessages(v *visit, view *chatView, t messageViews) error {
	page, err := s.partOf(v, &t)
	if err != nil {
		return err
	}
	view.Messages = t.messages(page.Messages)
	view.Reply = replyTo(view.Messages, firstOf(v.form("replyToId"), v.query("reply")))
	if n := len(page.Messages); n > 0 {
		if page.HasMore {
			view.Older = withMoment(t.c.ID, "before", page.Messages[0].CreatedAt)
		}
		if page.HasNewer {
			view.Newer = withMoment(t.c.ID, "after", page.Messages[n-1].CreatedAt)
		}
	}
	view.Latest = !page.HasNewer
	if view.Latest && reads(v) {
		s.readUpTo(v, view, t.c, page.Messages)
	}
	return nil
}

// partOf reads the part of the conversation that the address asks for, and notes
// in t how to ask for it again.
func (s *site) partOf(v *visit, t *messageViews) (page chat.MessagesAroundOut, err error) {
	in := chat.ListMessagesIn{ConversationID: t.c.ID}
	if before, err := store.ParseTime(v.query("before")); err == nil {
		in.Before, page.HasNewer = &before, true
		t.query = "before=" + url.QueryEscape(before.String())
	} else if after, err := store.ParseTime(v.query("after")); err == nil {
		t.query = "after=" + url.QueryEscape(after.String())
		return s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: t.c.ID, After: after})
	}
	page.MessagePage, err = s.Chat.ListMessages.Call(v.ctx(), v.by, in)
	at := v.query("at")
	has := func(m chat.Message) bool { return m.ID == at }
	if err != nil || in.Before != nil || !store.ValidID(at) || slices.ContainsFunc(page.Messages, has) {
		return page, err
	}
	around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: t.c.ID, ID: at})
	if core.As(err).Kind == core.NotFound {
		return page, nil // a message of elsewhere
	}
	t.query = "at=" + at
	return around, err
}

func withMoment(conversationID, name string, at store.Time) string {
	return "/chat/" + conversationID + "?" + name + "=" + url.QueryEscape(at.String())
}

// reads reports whether a person looks at the page now: not the script that
// catches up, not a browser that loads pages in advance, and not a request
// for the headers alone.
func reads(v *visit) bool {
	return v.query("peek") == "" && v.r.Header.Get("Sec-Purpose") == "" && v.r.Method != http.MethodHead
}

// readUpTo marks the messages of the page as read once everything is read
// from the database, and shows them as read already. What arrives in between
// stays unread.
func (s *site) readUpTo(v *visit, view *chatView, c chat.Conversation, shown []chat.Message) {
	if len(shown) == 0 || c.UnreadCount == 0 {
		return
	}
	view.Frame.Unread = max(0, view.Frame.Unread-c.UnreadCount)
	for i := range view.Rows {
		if view.Rows[i].Current {
			view.Rows[i].Unread = 0
		}
	}
	in := chat.MarkReadIn{ConversationID: c.ID, UpTo: &shown[len(shown)-1].CreatedAt}
	v.then(func() error {
		_, err := s.Chat.MarkRead.Call(v.ctx(), v.by, in)
		switch core.As(err).Kind {
		case core.Invalid, core.NotFound: // much arrived since, or one is no longer a member
			return nil
		case core.Unavailable, core.TooMany: // reading works without the mark
			s.Log.Warn("messages could not be marked as read", "error", err)
			return nil
		}
		return err
	})
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// replyTo returns the quote of the message that the form is to answer.
func replyTo(messages []messageView, id string) *quoteView {
	i := slices.IndexFunc(messages, func(m messageView) bool { return m.ID == id && !m.Deleted && m.Card == nil })
	if i < 0 {
		return nil
	}
	return &quoteView{ID: id, SenderName: messages[i].Sender.Name, Content: oneLine(messages[i].Content, 120)}
}
