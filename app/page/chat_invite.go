package page

import (
	"net/http"

	"hearth/app/chat"
	"hearth/app/core"
)

type inviteView struct {
	Frame
	Title, InvitedBy string
	MemberCount      int
	Token            string
	Member           bool
}

// chatPart serves what stands below a conversation, and the invitations,
// which stand beside it.
func chatPart(s *site, v *visit) error {
	switch {
	case v.r.PathValue("id") == "invite":
		return inviteShow(s, v)
	case v.r.PathValue("part") == "people":
		return chatPeople(s, v)
	}
	return core.ErrNotFound
}

func inviteShow(s *site, v *visit) error {
	token := v.r.PathValue("part")
	i, err := s.Chat.GetInvite.Call(v.ctx(), v.by, chat.InviteIn{Token: token})
	if err != nil {
		return err
	}
	f, err := s.frame(v, "Invitation", "chat", "narrow")
	if err != nil {
		return err
	}
	return s.show(v, http.StatusOK, "chat_invite", inviteView{Frame: f, Title: text(i.Title), InvitedBy: i.InvitedBy,
		MemberCount: i.MemberCount, Token: token, Member: i.Member})
}

func inviteAccept(s *site, v *visit) error {
	c, err := s.Chat.AcceptInvite.Call(v.ctx(), v.by, chat.InviteIn{Token: v.form("token")})
	if err != nil {
		return err
	}
	return v.seeOther("/chat/" + c.ID)
}

// inviteCreate shows the new link on the page it answers with: it is kept as
// a hash only, and stands in no other address.
func inviteCreate(s *site, v *visit) error {
	id, err := v.id("id")
	if err != nil {
		return err
	}
	out, err := s.Chat.CreateInvite.Call(v.ctx(), v.by, chat.CreateInviteIn{ConversationID: id})
	if err != nil && typed(err) {
		form := failed(v.r.PostForm, err)
		return s.showPeople(v, &form, "")
	}
	if err != nil {
		return err
	}
	return s.showPeople(v, nil, out.URL)
}
