package page

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"rsc.io/qr"

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
		{"POST /people/{id}/message", person, s.posted(s.personMessage), "person"},
		{"POST /people/{id}/friend", person, s.fromInbox(s.posted(s.personFriend)), "person"},
		{"POST /people/{id}/block", person, sure("/people/{id}", act(s, s.People.BlockUser, "/settings/blocks?done=blocked")), "person"},
		{"GET /report", person, s.reportShow, "report"},
		{"POST /report", person, s.posted(s.reportSend, "reason", "freeform"), "report"},
		{"GET /c/{token}", anyone, s.showCard, "card"},
		{"POST /c/{token}", person, s.posted(s.cardRequest), "card"},
		{"GET /c/{token}/qr.svg", anyone, s.cardCode, ""},
		{"GET /settings/card", person, s.showCardSettings, "settings_card"},
		{"POST /settings/card", person,
			edit(s, via(s.People.GetCard), storedCard, s.People.UpdateCard, "/settings/card?done=saved"), "settings_card"},
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
		out := get(v, s.Account.FindPeople, account.FindPeopleIn{Cursor: v.query("cursor"), Limit: 50})
		view.Everybody = core.Map(out.People, func(u core.PublicUser) friendView { return friendView{Person: personOf(u)} })
		if out.NextCursor != "" {
			view.More = "/people?cursor=" + url.QueryEscape(out.NextCursor)
		}
	}
	return s.page(v, "People", "people", "", &view)
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

func (s *site) personMessage(v *visit) (string, error) {
	in := chat.CreateConversationIn{ParticipantIDs: []string{v.id("id")}, Type: "direct"}
	out, err := s.Chat.CreateConversation.Call(v.ctx(), v.by, in)
	return "/chat/" + out.ID, err
}

func (s *site) personFriend(v *visit) (string, error) {
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
}

func (s *site) blocksShow(v *visit) error {
	return s.page(v, "Blocked people", "settings/blocks", "", &rowsView[people.Block]{Rows: read(v, s.People.ListBlocks)})
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

func face(id, name, avatarURL string) Person {
	return Person{ID: id, Name: name, Picture: pictureOf(avatarURL)}
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
	SelfRead bool // nobody but the person reads it
}

func (s *site) reportShow(v *visit) (err error) {
	typ, id := cmp.Or(v.form("type"), "message"), cmp.Or(v.form("id"), v.query("message"))
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
		view.Person, view.Content = face(m.Sender.ID, m.Sender.Name, m.Sender.AvatarURL), m.Content
		view.Back = "/chat/" + m.ConversationID + "#m-" + m.ID
	} else {
		p := get(v, s.People.GetPerson, core.ByID{ID: id})
		view.Person, view.Back = personOf(p.User), "/people/"+id
	}
	view.SelfRead = slices.Contains(get(v, s.People.ListSelfReaders, core.None{}), view.Person.ID)
	if view.Reason, err = newField(view.Form, "reason", "Reason"); err != nil {
		return err
	}
	view.Reason.Options = reasons()
	return s.page(v, "Report", "people", "narrow", &view)
}

func (s *site) reportSend(v *visit) (string, error) {
	_, err := send(v, s.People.Report, func(in *people.ReportIn) { in.TargetType, in.TargetID = v.form("type"), v.form("id") })
	if err == nil && v.form("block") == "yes" {
		_, err = s.People.BlockUser.Call(v.ctx(), v.by, core.ByID{ID: v.form("person")})
		return "/settings/blocks?done=reported", err
	}
	return "/people?done=reported", err
}

type cardView struct {
	Frame
	Person   Person // without an id: a card does not reveal it
	Headline string
	Token    string
	State    string // relation of the viewer to the owner; "" for a guest
	Own      bool
	Form     Form
}

func (s *site) showCard(v *visit) error {
	in := core.ByToken{Token: v.r.PathValue("token")}
	c := get(v, s.People.OpenCard, in)
	view := cardView{Person: personOf(core.PublicUser{Name: c.Name, AvatarURL: c.AvatarURL, ProfileStatus: c.Status}), Headline: c.Headline,
		Token: in.Token, Form: v.filled(Form{})}
	if v.by.SignedIn() {
		status, err := s.People.CardFriend.Call(v.ctx(), v.by, in)
		view.State, view.Own = status.State, core.IsKind(err, core.Invalid)
		if err != nil && !view.Own {
			return err
		}
	}
	err := s.page(v, c.Name, "card", "narrow", &view)
	view.About = s.about(view.Frame, c.Name, c.Headline, "/c/"+in.Token, view.Person.Picture)
	return err
}

func (s *site) cardRequest(v *visit) (string, error) {
	out, err := send(v, s.People.RequestByCard)
	if out.State == "friends" {
		return v.address("/c/{token}?done=friends"), err
	}
	return v.address("/c/{token}?done=asked"), err
}

func (s *site) cardCode(v *visit) error {
	c, err := send(v, s.People.OpenCard)
	if err != nil {
		return err
	}
	code, err := qr.Encode(c.Link, qr.M)
	if err != nil {
		return err
	}
	v.write(http.StatusOK, "image/svg+xml", svgOf(code))
	return nil
}

// quietZone is the margin that scanners need, in modules.
const quietZone = 4

// svgOf draws black on white in every color scheme. Each run of modules is one path.
func svgOf(code *qr.Code) []byte {
	var b bytes.Buffer
	size := code.Size + 2*quietZone
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, size)
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			n := 0
			for code.Black(x+n, y) { // Black is false outside the code
				n++
			}
			if n > 0 {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, n, n)
				x += n
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.Bytes()
}

type cardSettingsView struct {
	Frame
	Card   people.OwnCard
	Hidden bool // the account is hidden: others cannot open the card
	Form   Form
}

func (s *site) showCardSettings(v *visit) error {
	me := loaded(v, s.me)
	c := read(v, s.People.GetCard)
	return s.page(v, "Add-me card", "settings/card", "",
		&cardSettingsView{Card: c, Hidden: me.DiscoveryMode == "hidden", Form: v.filled(storedCard(c))})
}

func storedCard(c people.OwnCard) Form {
	return newForm("headline", c.Headline, "enabled", yesIf(c.Enabled))
}
