package page

import (
	"net/url"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/people"
)

func (s *site) peopleRoutes() []route {
	return []route{
		{"GET /people", person, s.peopleShow, "people"},
		{"GET /people/{id}", person, s.showPerson, "person"},
		{"POST /people/{id}/message", person, s.personMessage, "person"},
		{"POST /people/{id}/friend", person, s.personFriend, "person"},
		{"POST /people/{id}/block", person, sure("/people/{id}", act(s, s.People.BlockUser, "/settings/blocks?done=blocked")), "person"},
		{"GET /report", person, s.reportShow, "report"},
		{"POST /report", person, s.reportSend, "report"},
		{"GET /c/{token}", anyone, s.showCard, "card"},
		{"POST /c/{token}", person, s.cardRequest, "card"},
		{"GET /c/{token}/qr.svg", anyone, s.cardCode, ""},
		{"GET /settings/card", person, s.showCardSettings, "settings_card"},
		{"POST /settings/card", person, edit(s, s.card, storedCard, s.People.UpdateCard, "/settings/card?done=saved"), "settings_card"},
		{"POST /settings/card/rotate", person, act(s, s.People.RotateCard, "/settings/card?done=rotated"), ""},
		{"GET /settings/blocks", person, s.blocksShow, "settings_blocks"},
		{"POST /settings/blocks/{id}/end", person, act(s, s.People.UnblockUser, "/settings/blocks?done=unblocked"), ""},
	}
}

type peopleView struct {
	Frame
	MayInvite                   bool
	Query                       string
	Found                       []friendView
	Everybody                   []friendView // one page of the directory
	More                        string       // next page; "" after the last
	Friends, Incoming, Outgoing []friendView
}

type friendView struct {
	Person
	State string
	Back  string // "people" if its forms return to the list
}

func (s *site) peopleShow(v *visit) error {
	all := get(v, s.People.ListFriends, core.None{})
	view := peopleView{MayInvite: s.mayInvite(v), Query: strings.TrimSpace(v.query("q")),
		Friends: friendViews(all.Friends), Incoming: friendViews(all.Incoming), Outgoing: friendViews(all.Outgoing)}
	found := s.findPeople(v, view.Query, nil)
	view.Found = core.Map(found, func(p Person) friendView { return friendView{Person: p} })
	if view.Query == "" {
		s.fillDirectory(v, &view)
	}
	return s.page(v, "People", "people", "", &view)
}

func (s *site) fillDirectory(v *visit, view *peopleView) {
	out := get(v, s.Account.FindPeople, account.FindPeopleIn{Cursor: v.query("cursor"), Limit: 50})
	view.Everybody = core.Map(out.People, func(u core.PublicUser) friendView { return friendView{Person: personOf(u)} })
	if out.NextCursor != "" {
		view.More = "/people?cursor=" + url.QueryEscape(out.NextCursor)
	}
}

func friendViews(rows []people.Friend) []friendView {
	return core.Map(rows, func(f people.Friend) friendView {
		return friendView{Person: personOf(f.User), State: f.State, Back: "people"}
	})
}

type personView struct {
	Frame
	friendView
	Form   Form
	CanAsk bool // they can become friends
	You    bool
}

func (s *site) showPerson(v *visit) error {
	id := v.id("id")
	p := get(v, s.People.GetPerson, people.UserIn{UserID: id})
	view := personView{friendView: friendView{Person: personOf(p.User)}, Form: v.filled(Form{}), You: id == v.by.UserID}
	if p.Friend != nil {
		view.State, view.CanAsk = p.Friend.State, true
	}
	return s.page(v, p.User.Name, "people", "narrow", &view)
}

func (s *site) personMessage(v *visit) error {
	return s.submit(v, func() (string, error) {
		in := chat.CreateConversationIn{ParticipantIDs: []string{v.id("id")}, Type: "direct"}
		out, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, in)
		return "/chat/" + out.ID, err
	})
}

func (s *site) personFriend(v *visit) error {
	return s.submit(v, func() (string, error) {
		act, done := s.People.RequestFriend, "asked"
		switch v.form("act") {
		case "accept":
			act, done = s.People.AcceptFriend, "friends"
		case "decline":
			act, done = s.People.DeclineFriend, "declined"
		case "cancel":
			act, done = s.People.CancelFriend, "cancelled"
		case "remove":
			act, done = s.People.RemoveFriend, "unfriended"
		}
		out, err := send(v, act)
		if out.State == "friends" {
			done = "friends"
		}
		if v.form("back") == "people" {
			return "/people?done=" + done, err
		}
		return v.address("/people/{id}?done=" + done), err
	})
}

type blocksView struct {
	Frame
	Blocks []people.Block
}

func (s *site) blocksShow(v *visit) error {
	return s.page(v, "Blocked people", "settings/blocks", "", &blocksView{Blocks: get(v, s.People.ListBlocks, core.None{})})
}
