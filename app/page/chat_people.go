package page

import (
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/list"
)

// showPeople shows the people of a conversation, with a new invite link.
func (s *site) showPeople(v *visit, invite *chat.CreateInviteOut) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := s.peopleView(v, c)
	view.Form, view.Invite = v.filled(Form{}).with("title", core.OrZero(c.Title)), core.OrZero(invite).URL
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
		Query: strings.TrimSpace(v.query("q")), Muted: s.mutedUntil(c), Notify: v.filledAt("/notify", storedNotify(c))}
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

func storedNotify(c chat.Conversation) Form { return newForm("notify", c.Notify) }

func (s *site) inviteShow(v *visit) error {
	view := inviteView{Invite: read(v, s.Chat.GetInvite), Token: v.r.PathValue("token")}
	return s.page(v, core.OrZero(view.Invite.Title), "chat", "narrow", &view)
}

func (s *site) inviteAccept(v *visit) (string, error) {
	c, err := send(v, s.Chat.AcceptInvite)
	return "/chat/" + c.ID, err
}

func (s *site) createInvite(v *visit) (*chat.CreateInviteOut, error) {
	out, err := send(v, s.Chat.CreateInvite)
	return &out, err
}

type openView struct {
	chat.OpenConversation
	Face Person
}

type chatOpenView struct {
	Frame
	columnView
	Groups []openView
}

func (s *site) chatOpen(v *visit) error {
	view := chatOpenView{columnView: s.column(v, "")}
	for _, c := range get(v, s.Chat.ListOpen, core.None{}).Conversations {
		view.Groups = append(view.Groups, openView{c, face(c.ID, c.Title, core.OrZero(c.AvatarURL))})
	}
	return s.page(v, "Rooms", "chat", "chat", &view)
}

// storedOpen returns the form of who can join. Only administrators choose the group that everybody is in.
func (s *site) storedOpen(v *visit) func(chat.Conversation) Form {
	return func(c chat.Conversation) Form {
		f := newForm("open", yesIf(c.Open))
		if v.by.Admin {
			f.Values.Set("everybody", yesIf(c.Default))
		}
		return f
	}
}

func (s *site) chatSetOpen(v *visit) (string, error) {
	next := v.address("/chat/{id}/people?done=saved")
	c, err := current(v, via(s.Chat.GetConversation), s.storedOpen(v))
	if err == nil && v.differs("open") {
		c, err = send(v, s.Chat.UpdateConversation)
	}
	if err != nil || !v.by.Admin || !c.Open || !v.differs("everybody") {
		return next, err
	}
	in := chat.SetDefaultIn{ConversationID: core.Opt[string]{Set: true, Null: true}}
	if v.form("everybody") == "yes" {
		in.ConversationID = core.Some(c.ID)
	}
	_, err = s.Chat.SetDefault.Call(v.ctx(), v.by, in)
	return next, err
}

// home leads newcomers to the group that everybody is in, or to the chat.
func (s *site) home(v *visit) error {
	out, err := s.Chat.ListOpen.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	done := ""
	if v.query("done") == "mailed" {
		done = "&done=mailed"
	}
	for _, c := range out.Conversations {
		if c.Default && c.Member {
			return v.seeOther("/chat/" + c.ID + "?welcome=1" + done)
		}
	}
	return v.seeOther("/chat" + strings.Replace(done, "&", "?", 1))
}

type newcomerView struct {
	Text   string
	People []Person
	Lists  []list.List
}

func (s *site) newcomer(v *visit, c chat.Conversation) *newcomerView {
	if v.query("welcome") == "" || !c.Default {
		return nil
	}
	view := &newcomerView{Text: s.community(v).Welcome, Lists: get(v, s.List.Browse, list.ListsIn{Limit: 5}).Lists}
	for _, p := range others(c, v.by.UserID) {
		if len(view.People) < 8 && !p.IsBot {
			view.People = append(view.People, p)
		}
	}
	return view
}
