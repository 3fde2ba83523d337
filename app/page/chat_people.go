package page

import (
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
)

func chatPart(s *site, v *visit) error {
	switch v.r.PathValue("part") {
	case "people":
		return s.showPeople(v, Form{}, "")
	case "stream":
		return s.showStream(v, Form{})
	case "context":
		return s.showLane(v, laneForm{})
	case "seen":
		return chatSeen(s, v)
	}
	return core.ErrNotFound
}

func (s *site) showPeople(v *visit, form Form, invite string) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := s.peopleView(v, c)
	view.Form, view.Invite = form.Or(storedTitle(c)), invite
	if !view.Form.Values.Has("title") { // the error belongs to another form of the page
		view.Form.Values = storedTitle(c).Values
	}
	view.OpenForm = s.storedOpen(v, c)
	if view.CanManage {
		in := core.Map(view.People, func(p participant) Person { return p.Person })
		view.Found = s.findPeople(v, view.Query, in)
		open := get(v, s.Chat.ListInvites, core.ByID{ID: id})
		view.Invites = open.Invites
	}
	view.Frame = s.frame(v, view.Head.Title, "chat", "chat")
	view.columnView = s.column(v, id)
	return s.show(v, form.status(), view)
}

func (s *site) peopleView(v *visit, c chat.Conversation) chatPeopleView {
	view := chatPeopleView{Head: s.headOf(c, v.by.UserID), IsGroup: c.Type == "group",
		Query: strings.TrimSpace(v.query("q")), Muted: s.mutedUntil(c)}
	view.Head.Back, view.Head.BackLabel, view.Head.PeopleURL = "/chat/"+c.ID, "Back to the conversation", ""
	view.Forever = view.Muted >= forever()
	for _, p := range c.Participants {
		view.CanManage = view.CanManage || view.IsGroup && p.User.ID == v.by.UserID && p.Role == "owner"
	}
	for _, p := range c.Participants {
		you := p.User.ID == v.by.UserID
		view.People = append(view.People, participant{Person: personOf(p.User), You: you,
			Owner: view.IsGroup && p.Role == "owner", CanRemove: view.CanManage && !you})
	}
	return view
}

// manage answers a form that changes a conversation. An error is shown with its details.
func (s *site) manage(v *visit, done string, change func(id string) error) error {
	id := v.id("id")
	act := func() (string, error) { return "/chat/" + id + "/people?done=" + done, change(id) }
	return s.submit(v, []string{"title"}, act, func(f Form) error { return s.showPeople(v, f, "") })
}

func chatAdd(s *site, v *visit) error {
	return s.manage(v, "added", func(id string) error {
		_, err := s.Chat.AddParticipant.Call(v.ctx(), v.by, chat.AddParticipantIn{ConversationID: id, UserID: v.form("userId")})
		return err
	})
}

func chatRemove(s *site, v *visit) error {
	return s.manage(v, "removed", func(id string) error {
		_, err := s.Chat.RemoveParticipant.Call(v.ctx(), v.by, chat.RemoveParticipantIn{ConversationID: id, UserID: v.r.PathValue("user")})
		return err
	})
}

func chatOwner(s *site, v *visit) error {
	return s.manage(v, "saved", func(id string) error {
		_, err := s.Chat.UpdateParticipant.Call(v.ctx(), v.by, chat.UpdateParticipantIn{ConversationID: id, UserID: v.r.PathValue("user"),
			Role: "owner"})
		return err
	})
}

func storedTitle(c chat.Conversation) Form { return newForm("title", core.OrZero(c.Title)) }

func chatRename(s *site, v *visit) error {
	return s.manage(v, "saved", func(id string) error {
		c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, core.ByID{ID: id})
		if err != nil {
			return err
		}
		e, err := v.edits(storedTitle(c))
		if err != nil || !e.has("title") {
			return err
		}
		_, err = s.Chat.UpdateConversation.Call(v.ctx(), v.by, chat.UpdateConversationIn{ID: id, Title: e.text("title")})
		return err
	})
}

func chatLeave(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/chat/" + id + "/people")
	}
	leave := func() (string, error) {
		_, err := s.Chat.RemoveParticipant.Call(v.ctx(), v.by, chat.RemoveParticipantIn{ConversationID: id, UserID: v.by.UserID})
		return "/chat?done=left", err
	}
	return s.submit(v, nil, leave, func(f Form) error { return s.showPeople(v, f, "") })
}
