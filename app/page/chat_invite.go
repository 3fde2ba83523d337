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

func inviteShow(s *site, v *visit) error {
	token := v.r.PathValue("token")
	i := get(v, s.Chat.GetInvite, chat.InviteIn{Token: token})
	f := s.frame(v, "Invitation", "chat", "narrow")
	return s.show(v, http.StatusOK, inviteView{Frame: f, Title: core.OrZero(i.Title), InvitedBy: i.InvitedBy,
		MemberCount: i.MemberCount, Token: token, Member: i.Member})
}

func inviteAccept(s *site, v *visit) error {
	c, err := s.Chat.AcceptInvite.Call(v.ctx(), v.by, chat.InviteIn{Token: v.form("token")})
	return v.next("/chat/"+c.ID, err)
}

// inviteCreate shows the new link without a redirect. Only its hash is stored, and no address may contain it.
func inviteCreate(s *site, v *visit) error {
	out, err := s.Chat.CreateInvite.Call(v.ctx(), v.by, chat.CreateInviteIn{ConversationID: v.id("id")})
	if err != nil {
		return s.refuse(v, nil, err, func(f Form) error { return s.showPeople(v, f, "") })
	}
	return s.showPeople(v, Form{}, out.URL)
}

func inviteRevoke(s *site, v *visit) error {
	return s.manage(v, "revoked-link", func(id string) error {
		_, err := s.Chat.RevokeInvite.Call(v.ctx(), v.by, chat.RevokeInviteIn{ConversationID: id, InviteID: v.id("invite")})
		return err
	})
}
