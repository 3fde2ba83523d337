package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// talksShown is how many conversations the column has at a time.
const talksShown = 100

// runGap is how close messages of one sender are shown as one run.
const runGap = 5 * time.Minute

// personOf is somebody as pages show them.
func personOf(u core.PublicUser) Person {
	p := Person{ID: u.ID, Name: u.Name, IsBot: u.IsBot}
	if u.PresenceStatus == "away" || u.PresenceStatus == "busy" {
		p.Presence = u.PresenceStatus
	}
	if u.ProfileStatus != nil {
		p.Status = strings.TrimSpace(u.ProfileStatus.Emoji + " " + u.ProfileStatus.Text)
	}
	return p
}

// others are the people of a conversation but the reader.
func others(c chat.Conversation, me string) []Person {
	var out []Person
	for _, p := range c.Participants {
		if p.User.ID != me {
			out = append(out, personOf(p.User))
		}
	}
	return out
}

// nameOf is what the reader calls a conversation, and whose face stands for it.
func nameOf(c chat.Conversation, me string) (title string, face Person) {
	with := others(c, me)
	names := strings.Join(namesOf(with), ", ")
	switch {
	case c.Type == "direct" && len(with) > 0:
		return with[0].Name, with[0]
	case c.Type == "direct":
		for _, p := range c.Participants {
			face = personOf(p.User)
		}
		return "Notes to yourself", face
	case text(c.Title) != "":
		names = text(c.Title)
	case names == "":
		names = "Only you"
	}
	return names, Person{ID: c.ID, Name: names}
}

func namesOf(people []Person) []string {
	return core.Map(people, func(p Person) string { return p.Name })
}

// side reads the column of conversations; current is the one on the page.
func (s *site) side(v *visit, current string) (sideView, error) {
	var before *store.Time
	if t, err := store.ParseTime(v.query("until")); err == nil {
		before = &t
	}
	all, err := s.Chat.ListConversations.Call(v.ctx(), v.by, chat.ListConversationsIn{Before: before, Limit: talksShown})
	if err != nil {
		return sideView{}, err
	}
	view := sideView{Current: current}
	for _, c := range all.Items {
		t := talk{ID: c.ID, Preview: c.LastMessagePreview, Unread: int(c.UnreadCount), LastAt: c.LastMessageAt}
		t.Title, t.Face = nameOf(c, v.by.UserID)
		t.Muted = s.mutedUntil(c) != 0
		if m := c.LastMessage; m != nil && m.DeletedAt != nil {
			t.Preview = "Message deleted"
		} else if m != nil && m.SenderID == v.by.UserID && t.Preview != "" {
			t.Preview = "You: " + t.Preview
		} else if m != nil && c.Type == "group" && t.Preview != "" {
			t.Preview = m.Sender.Name + ": " + t.Preview
		}
		view.Talks = append(view.Talks, t)
	}
	if all.Next != nil {
		view.More = "/chat?until=" + url.QueryEscape(all.Next.Get("before"))
	}
	return view, nil
}

func (s *site) roomOf(c chat.Conversation, me string) room {
	r := room{ID: c.ID, Muted: s.mutedUntil(c) != 0, Back: "/chat", BackLabel: "Back to all conversations", PeopleURL: "/chat/" + c.ID + "/people"}
	r.Title, r.Face = nameOf(c, me)
	with := others(c, me)
	switch {
	case c.Type == "group":
		r.Line = strings.Join(append([]string{"You"}, namesOf(with)...), ", ")
	case len(with) == 0:
		r.Line, r.PeopleURL = "Only you read this", ""
	default:
		r.Line = strings.TrimPrefix(with[0].Status+" · "+with[0].Presence, " · ")
		r.Line = strings.TrimSuffix(r.Line, " · ")
	}
	return r
}

func chatIndex(s *site, v *visit) error {
	f, err := s.frame(v, "Chat", "chat", "chat")
	if err != nil {
		return err
	}
	side, err := s.side(v, "")
	if err != nil {
		return err
	}
	return s.show(v, http.StatusOK, "chat_index", chatIndexView{Frame: f, sideView: side})
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
	in := chat.ListMessagesIn{ConversationID: id}
	if before, err := store.ParseTime(v.query("before")); err == nil {
		in.Before = &before
	}
	page, err := s.Chat.ListMessages.Call(v.ctx(), v.by, in)
	if err != nil {
		return err
	}
	view := chatView{Room: s.roomOf(c, v.by.UserID), Latest: in.Before == nil, SendID: store.NewID(), Form: form, Blank: blankMessage()}
	t := thread{c: c, me: v.by.UserID, people: map[string]Person{}, editing: v.query("edit"), deleting: v.query("delete")}
	if in.Before != nil {
		t.query = "before=" + url.QueryEscape(in.Before.String())
	}
	if editing != "" {
		t.editing, t.edit, view.Form = editing, &form, Form{}
	}
	view.Messages = t.messages(page.Messages)
	view.Reply = replyTo(view.Messages, firstOf(v.form("replyToId"), v.query("reply")))
	if page.HasMore && len(page.Messages) > 0 {
		view.Older = "/chat/" + id + "?before=" + url.QueryEscape(page.Messages[0].CreatedAt.String())
	}
	if view.Latest {
		if err := s.markRead(v, c, page.Messages); err != nil {
			return err
		}
	}
	if view.Frame, err = s.frame(v, view.Room.Title, "chat", "chat"); err != nil {
		return err
	}
	if view.sideView, err = s.side(v, id); err != nil {
		return err
	}
	code := http.StatusOK
	if form.Failed() {
		code = http.StatusUnprocessableEntity
	}
	return s.show(v, code, "chat", view)
}

// markRead notes that the newest messages were shown to a person: not to a
// script that only refreshes a page, not to a browser that looks ahead, and not
// to who asks for its headers alone. What arrives meanwhile stays unread.
func (s *site) markRead(v *visit, c chat.Conversation, shown []chat.Message) error {
	if len(shown) == 0 || c.UnreadCount == 0 || v.query("peek") != "" || v.r.Header.Get("Sec-Purpose") != "" || v.r.Method == http.MethodHead {
		return nil
	}
	_, err := s.Chat.MarkRead.Call(v.ctx(), v.by, chat.MarkReadIn{ConversationID: c.ID, UpTo: &shown[len(shown)-1].CreatedAt})
	return err
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func replyTo(messages []messageView, id string) *quoteView {
	i := slices.IndexFunc(messages, func(m messageView) bool { return m.ID == id && !m.Deleted && m.Card == "" })
	if i < 0 {
		return nil
	}
	return &quoteView{ID: id, SenderName: messages[i].Sender.Name, Content: oneLine(messages[i].Content, 120)}
}

// thread turns messages into what a page shows.
type thread struct {
	c      chat.Conversation
	me     string
	people map[string]Person // of the conversation, by id
	query  string            // what the address says about the part that is shown
	edit   *Form

	editing, deleting string
}

func (t *thread) messages(in []chat.Message) []messageView {
	for _, p := range t.c.Participants {
		t.people[p.User.ID] = personOf(p.User)
	}
	out := make([]messageView, 0, len(in))
	marked := t.c.UnreadCount == 0
	for _, m := range in {
		view := t.message(m)
		if !marked && !view.Own && !view.Deleted && (t.c.LastReadAt == nil || m.CreatedAt > *t.c.LastReadAt) {
			view.FirstUnread, marked = true, true
		}
		if len(out) == 0 {
			view.NewDay = true
		} else {
			last := out[len(out)-1]
			view.NewDay = day(last.CreatedAt) != day(m.CreatedAt)
			view.Run = !view.NewDay && !view.FirstUnread && last.Card == "" && last.Sender.ID == view.Sender.ID &&
				m.CreatedAt.Sub(last.CreatedAt) < runGap && view.AgentName == "" && !view.ViaSecretary
		}
		out = append(out, view)
	}
	return out
}

func (t *thread) message(m chat.Message) messageView {
	from, ok := t.people[m.SenderID]
	if !ok {
		from = Person{ID: m.SenderID, Name: m.Sender.Name}
	}
	view := messageView{ID: m.ID, ConversationID: m.ConversationID, Sender: from, Own: m.SenderID == t.me, Content: m.Content,
		CreatedAt: m.CreatedAt, Edited: m.EditedAt != nil, Deleted: m.DeletedAt != nil, ViaSecretary: m.ViaSecretary}
	if m.MessageType == "card" {
		view.Card = cardWords(text(m.CardKind), text(m.CardPayload))
	}
	if m.Agent != nil {
		view.AgentName = m.Agent.Name
	}
	if q := m.ReplyTo; q != nil && !view.Deleted {
		view.ReplyTo = &quoteView{ID: q.ID, SenderName: q.SenderName, Content: q.Content}
		if q.Content == "" {
			view.ReplyTo.Content = "Message deleted"
		}
	}
	self := "/chat/" + m.ConversationID
	view.SelfURL, view.ActionURL = withQuery(self, t.query)+"#m-"+m.ID, withQuery(self+"/message/"+m.ID, t.query)
	view.DeleteURL = withQuery(self+"/message/"+m.ID+"/delete", t.query)
	// Without a fragment: with one, browsers leave autofocus aside.
	view.ReplyURL, view.EditURL = withQuery(self, t.query, "reply="+m.ID), withQuery(self, t.query, "edit="+m.ID)
	view.AskURL = withQuery(self, t.query, "delete="+m.ID)
	changeable := view.Own && !view.Deleted && view.Card == ""
	view.Deleting = changeable && m.ID == t.deleting
	if changeable && m.ID == t.editing {
		view.Editing, view.Edit = true, newForm("content", m.Content)
		if t.edit != nil {
			view.Edit = *t.edit
		}
		view.Edit.Prefix = "edit-"
	}
	return view
}

func withQuery(path string, parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	if len(parts) == 0 {
		return path
	}
	return path + "?" + strings.Join(parts, "&")
}

// cardWords says a server-made card in a sentence.
func cardWords(kind, payload string) string {
	var p struct {
		AskTerms   string `json:"askTerms"`
		OfferTerms string `json:"offerTerms"`
	}
	if kind == "match_context" && json.Unmarshal([]byte(payload), &p) == nil && p.AskTerms != "" {
		return "You two were matched. One asks: “" + p.AskTerms + "” The other offers: “" + p.OfferTerms + "”"
	}
	return "A note from this server."
}
