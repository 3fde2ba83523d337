package page

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func (s *site) chatIndex(v *visit) error {
	return s.page(v, "Chat", "chat", "chat", &chatIndexView{columnView: s.column(v, "")})
}

// chatShow shows a conversation. A form that is shown again is a new message, or the edit of a message.
func (s *site) chatShow(v *visit) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := chatView{Head: s.headIn(c, v.by.UserID, "messages"), SendID: store.NewID(), Form: v.filled(Form{}), Blank: blankMessage()}
	view.columnView = s.column(v, id)
	t := messageViews{c: c, me: v.by.UserID, editing: v.query("edit"), deleting: v.query("delete"), picking: v.query("react"),
		replying: cmp.Or(v.form("replyToId"), v.query("reply"))}
	if message := v.id("message"); message != "" && v.again != nil {
		t.editing, t.edit, view.Form = message, v.again, Form{}
	}
	s.fillMessages(v, &view, t)
	s.fillSide(v, &view, c)
	return s.page(v, view.Head.Title, "chat", "chat", &view)
}

func (s *site) fillSide(v *visit, view *chatView, c chat.Conversation) {
	view.Side = "stream"
	if s.Lane.Context && !isSelf(c) && v.query("side") != view.Side {
		view.Side = "context"
		view.Lane = s.laneOf(v, c, "")
		return
	}
	view.Stream = s.streamOf(v, c)
}

func (s *site) fillMessages(v *visit, view *chatView, t messageViews) {
	if t.c.UnreadCount > 0 {
		t.firstUnread = get(v, s.Chat.FirstUnread, core.ByID{ID: t.c.ID})
	}
	page, err := s.requestedPart(v, &t)
	if err == nil {
		page, err = s.around(v, &t, page, t.acting())
	}
	v.failed(err)
	changes := s.changesOf(v, t.c, page)
	view.Newcomer = s.newcomer(v, t.c)
	view.Messages = withChanges(t.messages(page.Messages), changes)
	view.Reply = replyTo(view.Messages, t.replying)
	if n := len(page.Messages); n > 0 {
		if page.HasMore {
			view.Older = withMoment(t.c.ID, "before", page.Messages[0].CreatedAt)
		}
		if page.HasNewer {
			view.Newer = withMoment(t.c.ID, "after", page.Messages[n-1].CreatedAt)
		}
	}
	view.Latest = !page.HasNewer
	view.setUnread(t, page.Messages)
}

// setUnread offers to mark the page's messages as read, if the page continues from the last read message.
func (view *chatView) setUnread(t messageViews, shown []chat.Message) {
	view.ReadAt = core.OrZero(t.c.LastReadAt)
	if t.firstUnread.ID == "" || len(shown) == 0 {
		return
	}
	view.UnreadHere, view.UnreadAt = t.c.UnreadCount, t.firstUnread.CreatedAt
	first, last := shown[0].CreatedAt, shown[len(shown)-1].CreatedAt
	view.Gap = first > view.UnreadAt
	if !view.Gap && last >= view.UnreadAt {
		view.SeenURL = "/chat/" + t.c.ID + "/seen?upTo=" + url.QueryEscape(last.String())
	}
}

// requestedPart reads the page that the address names: before, after or around a position, or the newest. By
// default it has the first unread message. It records the query in t.
func (s *site) requestedPart(v *visit, t *messageViews) (page chat.MessagesAroundOut, err error) {
	in := chat.ListMessagesIn{ConversationID: t.c.ID}
	if in.Before = v.moment("before"); in.Before != nil {
		page.HasNewer = true
		t.query = "before=" + url.QueryEscape(in.Before.String())
	} else if after := v.moment("after"); after != nil {
		t.query = "after=" + url.QueryEscape(after.String())
		return s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: t.c.ID, After: *after})
	}
	page.MessagePage, err = s.Chat.ListMessages.Call(v.ctx(), v.by, in)
	if err != nil || in.Before != nil {
		return page, err
	}
	at := v.query("at")
	switch {
	case store.ValidID(at):
		if t.acting() == "" {
			t.marked = at
		}
	case v.query("newest") != "":
		t.query = "newest=1"
		return page, nil
	case v.r.Method == http.MethodPost || t.acting() != "":
		return page, nil
	default:
		at = t.firstUnread.ID
	}
	return s.around(v, t, page, at)
}

// around returns page if it includes the message, otherwise the page around the message.
func (s *site) around(v *visit, t *messageViews, page chat.MessagesAroundOut, id string) (chat.MessagesAroundOut, error) {
	has := func(m chat.Message) bool { return m.ID == id }
	if !store.ValidID(id) || slices.ContainsFunc(page.Messages, has) {
		return page, nil
	}
	around, err := s.Chat.MessagesAround.Call(v.ctx(), v.by, chat.MessagesAroundIn{ConversationID: t.c.ID, ID: id})
	if core.As(err).Kind == core.NotFound {
		t.marked = ""
		return page, nil // a message of another conversation
	}
	t.query = "at=" + id
	return around, err
}

func withMoment(conversationID, name string, at store.Time) string {
	return "/chat/" + conversationID + "?" + name + "=" + url.QueryEscape(at.String())
}

func replyTo(messages []messageView, id string) *quoteView {
	i := slices.IndexFunc(messages, func(m messageView) bool { return m.ID == id && id != "" && !m.Deleted && m.Card == nil })
	if i < 0 {
		return nil
	}
	return &quoteView{ID: id, SenderName: messages[i].Sender.Name, Content: oneLine(unformatted(messages[i].Content), 120),
		URL: messages[i].PlaceURL()}
}

// LivePattern is the route of the stream of an open page.
const LivePattern = "GET /chat/live"

// chatLive answers a guest with a status: a stream cannot lead to the sign-in page.
func (s *site) chatLive(v *visit) error {
	if s.Live == nil || v.r.Method != http.MethodGet { // HEAD would wait for the end
		return core.ErrNotFound
	}
	err := s.Live.ServePage(v.w, v.r, v.by)
	if core.IsKind(err, core.Unauthenticated) {
		v.w.WriteHeader(http.StatusUnauthorized)
		return nil
	}
	return err
}

const maxUpdates = 50

// chatUpdates answers the script of an open page with the requested messages, rows and head. What the person
// may no longer see is left out.
func (s *site) chatUpdates(v *visit) error {
	q := v.r.URL.Query()
	ids, rows := q["message"], q["row"]
	if len(ids) > maxUpdates || len(rows) > maxUpdates {
		return core.InvalidField("message", "At most %d messages and conversations can be requested at once.", maxUpdates)
	}
	var view updatesView
	if len(ids) > 0 {
		in := chat.MessagesByIDIn{ConversationID: q.Get("conversation"), IDs: ids}
		messages := get(v, s.Chat.MessagesByID, in)
		t := messageViews{me: v.by.UserID}
		view.Messages = core.Map(messages, t.message)
	}
	s.addRows(v, &view, rows)
	view.Unread = get(v, s.Chat.UnreadTotal, core.None{})
	return s.show(v, &view)
}

func (s *site) addRows(v *visit, view *updatesView, ids []string) {
	if len(ids) == 0 {
		return
	}
	found := get(v, s.Chat.ConversationsByID, chat.ConversationsByIDIn{IDs: ids})
	shown := v.query("conversation")
	for _, c := range found {
		view.Rows = append(view.Rows, s.row(c, v.by.UserID, shown))
		if c.ID == shown && v.query("head") != "" {
			whole := get(v, s.Chat.GetConversation, core.ByID{ID: shown})
			view.Head = new(s.headOf(whole, v.by.UserID))
			view.Changes = core.Map(s.changesOf(v, whole, chat.MessagesAroundOut{}), func(c changeView) messageView {
				return messageView{CreatedAt: c.At, Change: &c}
			})
		}
	}
}
