package page

import (
	"hash/fnv"
	"net/url"
	"strings"
	"unicode"

	"hearth/app/account"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/people"
	"hearth/store"
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
	p := get(v, s.People.GetPerson, core.ByID{ID: id})
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

// Person is a person or a group on a page. A picture on another server is not shown: that server would learn
// who reads the page.
type Person struct {
	ID      string
	Name    string
	Picture string // its path; "" without one
	Status  string // emoji and text
	IsBot   bool

	Presence string // "away", "busy" or ""
}

// Profile returns the path of a person's page. It is "" for the account that replaces deleted ones.
func (p Person) Profile() string {
	if p.ID == "" || p.ID == store.DeletedUserID {
		return ""
	}
	return "/people/" + p.ID
}

// profile returns the path of an account's page, or "" for guests.
func (v *visit) profile(userID string) string {
	if !v.by.SignedIn() {
		return ""
	}
	return Person{ID: userID}.Profile()
}

func pictureOf(url string) string {
	if !strings.HasPrefix(url, core.PicturePath) {
		return ""
	}
	return url
}

// Initials returns the first letters of the first and the last word, in capitals.
func (p Person) Initials() string {
	var out []rune
	words := strings.FieldsFunc(p.Name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for i, w := range words {
		if i == 0 || i == len(words)-1 {
			out = append(out, unicode.ToUpper([]rune(w)[0]))
		}
	}
	if len(out) == 0 {
		return "·"
	}
	return string(out)
}

// Hue returns one of the twelve hues of the style sheet. It depends only on the id.
func (p Person) Hue() uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	sum := h.Sum32()
	return (sum ^ sum>>15) * 2654435761 >> 16 % 12
}

func reasons() []Choice {
	return []Choice{
		{"spam", "Spam"}, {"harassment", "Harassment"}, {"hate", "Hate"}, {"violence", "Violence"}, {"sexual", "Sexual content"},
		{"impersonation", "Impersonation"}, {"self_harm", "Self-harm"}, {"illegal", "Illegal content"}, {"other", "Something else"},
	}
}

func reasonText(reason string) string {
	for _, r := range reasons() {
		if r.Value == reason {
			return r.Label
		}
	}
	return reason
}

type reportFormView struct {
	Frame
	Form     Form
	Reason   Field
	Type, ID string
	In       string // conversation of a message
	Person   Person
	Content  string
	Back     string
}

func (s *site) reportShow(v *visit) (err error) {
	typ, id := firstOf(v.form("type"), "message"), firstOf(v.form("id"), v.query("message"))
	if id == "" {
		typ, id = "user", v.query("user")
	}
	view := reportFormView{Type: typ, ID: id, Form: v.filled(newForm("reason", "spam")), In: v.query("in") + v.form("in")}
	if typ == "message" {
		found := get(v, s.Chat.MessagesByID, chat.MessagesByIDIn{ConversationID: view.In, IDs: []string{id}})
		if len(found) == 0 {
			return core.ErrNotFound
		}
		m := found[0]
		view.Person, view.Content = Person{ID: m.Sender.ID, Name: m.Sender.Name, Picture: pictureOf(m.Sender.AvatarURL)}, m.Content
		view.Back = "/chat/" + m.ConversationID + "#m-" + m.ID
	} else {
		p := get(v, s.People.GetPerson, core.ByID{ID: id})
		view.Person, view.Back = personOf(p.User), "/people/"+id
	}
	if view.Reason, err = newField(view.Form, "reason", "Reason"); err != nil {
		return err
	}
	view.Reason.Options = reasons()
	return s.page(v, "Report", "people", "narrow", &view)
}

func (s *site) reportSend(v *visit) error {
	return s.submit(v, func() (string, error) {
		_, err := send(v, s.People.Report, func(in *people.ReportIn) { in.TargetType, in.TargetID = v.form("type"), v.form("id") })
		if err == nil && v.form("block") == "yes" {
			_, err = s.People.BlockUser.Call(v.ctx(), v.by, core.ByID{ID: v.form("person")})
			return "/settings/blocks?done=reported", err
		}
		return "/people?done=reported", err
	}, "reason", "freeform")
}
