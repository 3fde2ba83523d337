package page

import (
	"net/http"
	"net/url"
	"strings"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/people"
)

func peopleRoutes() []route {
	return []route{
		{"GET /people", person, peopleShow, "people"},
		{"GET /people/{id}", person, fresh((*site).showPerson), "person"},
		{"POST /people/{id}/message", person, personMessage, "person"},
		{"POST /people/{id}/friend", person, personFriend, "person"},
		{"POST /people/{id}/block", person, personBlock, "person"},
		{"GET /report", person, reportShow, "report"},
		{"POST /report", person, reportSend, "report"},
		{"GET /c/{token}", anyone, fresh((*site).showCard), "card"},
		{"POST /c/{token}", person, cardRequest, "card"},
		{"GET /c/{token}/qr.svg", anyone, cardCode, ""},
		{"GET /settings/card", person, fresh((*site).showCardSettings), "settings_card"},
		{"POST /settings/card", person, cardUpdate, "settings_card"},
		{"POST /settings/card/rotate", person, cardRotate, ""},
		{"GET /settings/blocks", person, blocksShow, "settings_blocks"},
		{"POST /settings/blocks/{id}/end", person, blockEnd, ""},
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

func peopleShow(s *site, v *visit) error {
	f := s.frame(v, "People", "people", "")
	all := get(v, s.People.ListFriends, core.None{})
	view := peopleView{Frame: f, MayInvite: s.mayInvite(v), Query: strings.TrimSpace(v.query("q")),
		Friends: friendViews(all.Friends), Incoming: friendViews(all.Incoming), Outgoing: friendViews(all.Outgoing)}
	found := s.findPeople(v, view.Query, nil)
	view.Found = core.Map(found, func(p Person) friendView { return friendView{Person: p} })
	if view.Query == "" {
		s.fillDirectory(v, &view)
	}
	return s.show(v, http.StatusOK, view)
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

func (s *site) showPerson(v *visit, form Form) error {
	id := v.id("id")
	p := get(v, s.People.GetPerson, people.UserIn{UserID: id})
	view := personView{friendView: friendView{Person: personOf(p.User)}, Form: form, You: id == v.by.UserID}
	if p.Friend != nil {
		view.State, view.CanAsk = p.Friend.State, true
	}
	view.Frame = s.frame(v, p.User.Name, "people", "narrow")
	return s.show(v, form.status(), view)
}

// aboutPerson answers a form about a person. An error is shown on their page.
func (s *site) aboutPerson(v *visit, act func(id string) (string, error)) error {
	id := v.id("id")
	return s.submit(v, nil, func() (string, error) { return act(id) }, func(f Form) error { return s.showPerson(v, f) })
}

func personMessage(s *site, v *visit) error {
	return s.aboutPerson(v, func(id string) (string, error) {
		out, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, chat.CreateConversationIn{ParticipantIDs: []string{id}, Type: "direct"})
		return "/chat/" + out.ID, err
	})
}

func personFriend(s *site, v *visit) error {
	return s.aboutPerson(v, func(id string) (string, error) {
		in, act := people.UserIn{UserID: id}, s.People.RequestFriend
		done := "asked"
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
		out, err := act.Call(v.ctx(), v.by, in)
		if out.State == "friends" {
			done = "friends"
		}
		if v.form("back") == "people" {
			return "/people?done=" + done, err
		}
		return "/people/" + id + "?done=" + done, err
	})
}

func personBlock(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/people/" + id)
	}
	return s.aboutPerson(v, func(id string) (string, error) {
		_, err := s.People.BlockUser.Call(v.ctx(), v.by, people.UserIn{UserID: id})
		return "/settings/blocks?done=blocked", err
	})
}

type blocksView struct {
	Frame
	Tab    string
	Blocks []people.Block
}

func blocksShow(s *site, v *visit) error {
	view := blocksView{Tab: "blocks"}
	view.Frame = s.frame(v, "Blocked people", "settings", "")
	view.Blocks = get(v, s.People.ListBlocks, core.None{})
	return s.show(v, http.StatusOK, view)
}

func blockEnd(s *site, v *visit) error {
	_, err := s.People.UnblockUser.Call(v.ctx(), v.by, people.UserIn{UserID: v.id("id")})
	return v.next("/settings/blocks?done=unblocked", err)
}
