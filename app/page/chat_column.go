package page

import (
	"fmt"
	"net/url"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
)

const rowsShown = 100

func personOf(u core.PublicUser) Person {
	p := Person{ID: u.ID, Name: u.Name, Picture: pictureOf(core.OrZero(u.AvatarURL)), IsBot: u.IsBot}
	switch {
	case u.PresenceStatus == "away" || u.PresenceStatus == "busy":
		p.Presence = u.PresenceStatus
	case u.PresenceStatus == "available" && !u.IsBot:
		p.Presence = "online"
	}
	if u.ProfileStatus != nil {
		p.Status = strings.TrimSpace(u.ProfileStatus.Emoji + " " + u.ProfileStatus.Text)
	}
	return p
}

func others(c chat.Conversation, me string) []Person {
	var out []Person
	for _, p := range c.Participants {
		if p.User.ID != me {
			out = append(out, personOf(p.User))
		}
	}
	return out
}

// nameOf returns the name of the conversation for me, and the person who supplies its initials.
func nameOf(c chat.Conversation, me string) (title string, face Person) {
	with := others(c, me)
	names := strings.Join(namesOf(with), ", ")
	if more := c.ParticipantCount - len(c.Participants); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case c.Type == "direct" && len(with) > 0:
		return with[0].Name, with[0]
	case c.Type == "direct":
		for _, p := range c.Participants {
			face = personOf(p.User)
		}
		return "Notes to yourself", face
	case core.OrZero(c.Title) != "":
		names = core.OrZero(c.Title)
	case names == "":
		names = "Only you"
	}
	return names, Person{ID: c.ID, Name: names, Picture: pictureOf(core.OrZero(c.AvatarURL))}
}

func namesOf(people []Person) []string {
	return core.Map(people, func(p Person) string { return p.Name })
}

func (s *site) column(v *visit, current string) columnView {
	before := v.moment("until")
	all, err := s.Chat.ListConversations.Call(v.ctx(), v.by, chat.ListConversationsIn{Before: before, Limit: rowsShown})
	v.failed(err)
	view := columnView{First: before == nil}
	for _, c := range all.Items {
		view.Rows = append(view.Rows, s.row(c, v.by.UserID, current))
	}
	if all.Next != nil {
		view.More = "/chat?until=" + url.QueryEscape(all.Next.Get("before"))
	}
	return view
}

func (s *site) row(c chat.Conversation, me, current string) rowView {
	r := rowView{ID: c.ID, Group: c.Type == "group", Unread: c.UnreadCount, Mentioned: c.Mentioned, LastAt: c.LastMessageAt,
		Muted: s.mutedUntil(c) != 0, Current: c.ID == current}
	r.Title, r.Face = nameOf(c, me)
	if c.LastMessage != nil {
		var from string
		if r.Preview, from = lineOf(c.LastMessage, c.LastMessagePreview, me); r.Group && from != "" {
			r.Preview = from + ": " + r.Preview
		}
	}
	return r
}

// lineOf returns the line of a message in the column, and whose name precedes it in a group, or "".
func lineOf(m *chat.Message, preview, me string) (line, from string) {
	line = unformatted(preview)
	switch {
	case m.DeletedAt != nil:
		return "Message deleted", ""
	case m.MessageType == "card" && line == "":
		return "You were matched", ""
	case line == "":
		return "", ""
	case m.SenderID == me:
		return "You: " + line, ""
	}
	return line, m.Sender.Name
}

func (s *site) headIn(c chat.Conversation, me, tab string) headView {
	h := s.headOf(c, me)
	if s.Lane.Context {
		h.Tab = tab
	}
	return h
}

func (s *site) headOf(c chat.Conversation, me string) headView {
	h := headView{ID: c.ID, Muted: s.mutedUntil(c) != 0, Back: "/chat", BackLabel: "Back to all conversations", PeopleURL: "/chat/" + c.ID +
		"/people", StreamURL: "/chat/" + c.ID + "/stream", SearchURL: "/search?in=" + c.ID}
	h.Title, h.Face = nameOf(c, me)
	h.Prompt = "Message " + h.Title
	with := others(c, me)
	switch {
	case c.Type == "group":
		h.Line = strings.Join(append([]string{"You"}, namesOf(with)...), ", ")
	case len(with) == 0:
		h.Line, h.Prompt, h.PeopleURL = "Only you can see this", "Write a note", ""
	default:
		h.PersonID, h.ProfileURL = with[0].ID, with[0].Profile()
		h.Line = strings.TrimPrefix(with[0].Status+" · "+with[0].Presence, " · ")
		h.Line = strings.TrimSuffix(h.Line, " · ")
	}
	return h
}
