package page

import (
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
)

func (s *site) conversation(v *visit) (chat.Conversation, error) {
	return send(v, s.Chat.GetConversation)
}

func (s *site) showPeople(v *visit) error { return s.showPeopleWith(v, "") }

// showPeopleWith shows the people of a conversation, with a new invite link.
func (s *site) showPeopleWith(v *visit, invite string) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := s.peopleView(v, c)
	view.Form, view.Invite = v.filled(Form{}).with("title", core.OrZero(c.Title)), invite
	view.OpenForm = s.storedOpen(v)(c)
	if view.CanManage {
		in := core.Map(view.People, func(p participant) Person { return p.Person })
		view.Found = s.findPeople(v, view.Query, in)
		view.Invites = get(v, s.Chat.ListInvites, core.ByID{ID: id}).Invites
	}
	view.columnView = s.column(v, id)
	return s.page(v, view.Head.Title, "chat", "chat", &view)
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

func storedTitle(c chat.Conversation) Form { return newForm("title", core.OrZero(c.Title)) }

func (s *site) inviteShow(v *visit) error {
	view := inviteView{Invite: read(v, s.Chat.GetInvite), Token: v.r.PathValue("token")}
	return s.page(v, core.OrZero(view.Invite.Title), "chat", "narrow", &view)
}

func (s *site) inviteAccept(v *visit) error {
	c, err := send(v, s.Chat.AcceptInvite)
	return v.next("/chat/"+c.ID, err)
}

// inviteCreate shows the new link without a redirect. Only its hash is stored, and no address may contain it.
func (s *site) inviteCreate(v *visit) error {
	out, err := send(v, s.Chat.CreateInvite)
	if err != nil {
		return s.refuse(v, err)
	}
	return s.showPeopleWith(v, out.URL)
}
