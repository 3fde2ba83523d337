package page

import (
	"net/http"
	"slices"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

func chatSend(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if strings.TrimSpace(v.form("content")) == "" {
		return s.showChat(v, failed(v.r.PostForm, core.InvalidField("content", "Write something first."), "content"), "")
	}
	_, err = s.Chat.SendMessage.Call(v.ctx(), v.by, chat.SendMessageIn{ConversationID: id, ID: v.form("id"),
		Content: v.form("content"), ReplyToID: v.form("replyToId")})
	if err != nil && typed(err) {
		return s.showChat(v, failed(v.r.PostForm, err, "content"), "")
	}
	if err != nil {
		return err
	}
	return v.seeOther("/chat/" + id)
}

func chatEdit(s *site, v *visit) error {
	id, err := v.id("message")
	if err != nil {
		return err
	}
	m, err := s.Chat.EditMessage.Call(v.ctx(), v.by, chat.EditMessageIn{ID: id, Content: v.form("content")})
	if err != nil && typed(err) {
		return s.showChat(v, failed(v.r.PostForm, err, "content"), id)
	}
	if err != nil {
		return err
	}
	return v.seeOther(withQuery("/chat/"+m.ConversationID, v.r.URL.RawQuery) + "#m-" + id)
}

func chatDelete(s *site, v *visit) error {
	id, err := v.id("message")
	if err != nil {
		return err
	}
	m, err := s.Chat.DeleteMessage.Call(v.ctx(), v.by, chat.DeleteMessageIn{ID: id})
	if err != nil {
		return err
	}
	return v.seeOther(withQuery("/chat/"+m.ConversationID, v.r.URL.RawQuery) + "#m-" + id)
}

func chatNew(s *site, v *visit) error { return s.showChatNew(v, Form{Values: v.r.URL.Query()}) }

// showChatNew answers with the form for a conversation. Who was picked stays
// in the form as "id name", so that a search does not forget them.
func (s *site) showChatNew(v *visit, form Form) error {
	view := chatNewView{Form: form, Query: strings.TrimSpace(form.Get("q"))}
	for _, to := range form.Values["to"] {
		if p, ok := picked(to); ok && p.ID != v.by.UserID {
			view.Chosen = append(view.Chosen, p)
		}
	}
	var err error
	if view.Found, err = s.findPeople(v, view.Query, view.Chosen); err != nil {
		return err
	}
	if view.Frame, err = s.frame(v, "New conversation", "chat", "chat"); err != nil {
		return err
	}
	if view.sideView, err = s.side(v, ""); err != nil {
		return err
	}
	code := http.StatusOK
	if form.Failed() {
		code = http.StatusUnprocessableEntity
	}
	return s.show(v, code, "chat_new", view)
}

// picked reads a person out of a ticked box.
func picked(value string) (Person, bool) {
	id, name, _ := strings.Cut(value, " ")
	return Person{ID: id, Name: name}, store.ValidID(id)
}

// findPeople looks for people by name or address, without those in except.
func (s *site) findPeople(v *visit, q string, except []Person) ([]Person, error) {
	if q == "" {
		return nil, nil
	}
	out, err := s.Account.FindPeople.Call(v.ctx(), v.by, account.FindPeopleIn{Q: q})
	if err != nil && typed(err) {
		return nil, nil // a question nobody can be the answer to
	}
	if err != nil {
		return nil, err
	}
	found := core.Map(out.People, personOf)
	return slices.DeleteFunc(found, func(p Person) bool {
		return p.ID == v.by.UserID || slices.ContainsFunc(except, func(e Person) bool { return e.ID == p.ID })
	}), nil
}

func chatCreate(s *site, v *visit) error {
	in := chat.CreateConversationIn{Title: v.form("title")}
	for _, to := range v.r.PostForm["to"] {
		if p, ok := picked(to); ok {
			in.ParticipantIDs = append(in.ParticipantIDs, p.ID)
		}
	}
	if len(in.ParticipantIDs) == 0 {
		err := core.InvalidField("participantIds", "Find somebody first, and tick the box before their name.")
		return s.showChatNew(v, failed(v.r.PostForm, err, "participantIds"))
	}
	out, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, in)
	if err != nil && typed(err) {
		return s.showChatNew(v, failed(v.r.PostForm, err, "participantIds", "title"))
	}
	if err != nil {
		return err
	}
	return v.seeOther("/chat/" + out.ID)
}

func chatPeople(s *site, v *visit) error { return s.showPeople(v, nil, "") }

// showPeople answers with who is in a conversation and what can be changed.
func (s *site) showPeople(v *visit, failed *Form, invite string) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	c, err := s.Chat.GetConversation.Call(v.ctx(), v.by, chat.GetConversationIn{ID: id})
	if err != nil {
		return err
	}
	view := chatPeopleView{Room: s.roomOf(c, v.by.UserID), IsGroup: c.Type == "group", Query: strings.TrimSpace(v.query("q")),
		Form: newForm("title", text(c.Title)), Invite: invite}
	view.Room.Back, view.Room.BackLabel, view.Room.PeopleURL = "/chat/"+id, "Back to the conversation", ""
	view.Muted = s.mutedUntil(c)
	view.ForGood = view.Muted >= forGood()
	for _, p := range c.Participants {
		view.IsOwner = view.IsOwner || p.User.ID == v.by.UserID && p.Role == "owner"
	}
	var in []Person
	for _, p := range c.Participants {
		you := p.User.ID == v.by.UserID
		in = append(in, personOf(p.User))
		view.People = append(view.People, participant{Person: personOf(p.User), Owner: view.IsGroup && p.Role == "owner", You: you,
			CanRemove: view.IsGroup && view.IsOwner && !you})
	}
	if view.IsGroup && view.IsOwner {
		if view.Found, err = s.findPeople(v, view.Query, in); err != nil {
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
	if failed != nil {
		view.Form, code = *failed, http.StatusUnprocessableEntity
		if !view.Form.Values.Has("title") {
			view.Form.Values = newForm("title", text(c.Title)).Values
		}
	}
	return s.show(v, code, "chat_people", view)
}

// manage answers a change of a conversation's people or name: back to its
// page, or the page with what was wrong.
func (s *site) manage(v *visit, done string, change func(id string) error) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if err := change(id); err != nil {
		if !typed(err) {
			return err
		}
		form := failed(v.r.PostForm, err, "title")
		return s.showPeople(v, &form, "")
	}
	return v.seeOther("/chat/" + id + "/people?done=" + done)
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
		_, err := s.Chat.UpdateParticipant.Call(v.ctx(), v.by, chat.UpdateParticipantIn{ConversationID: id, UserID: v.r.PathValue("user"), Role: "owner"})
		return err
	})
}

func chatRename(s *site, v *visit) error {
	return s.manage(v, "saved", func(id string) error {
		_, err := s.Chat.UpdateConversation.Call(v.ctx(), v.by, chat.UpdateConversationIn{ID: id, Title: core.Some(v.form("title"))})
		return err
	})
}

func chatLeave(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	if v.form("sure") != "yes" {
		return v.seeOther("/chat/" + id + "/people")
	}
	_, err = s.Chat.RemoveParticipant.Call(v.ctx(), v.by, chat.RemoveParticipantIn{ConversationID: id, UserID: v.by.UserID})
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err)
		return s.showPeople(v, &form, "")
	}
	if err != nil {
		return err
	}
	return v.seeOther("/chat?done=left")
}
