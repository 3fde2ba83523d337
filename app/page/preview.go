package page

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/people"
	"hearth/app/social"
	"hearth/store"
)

type publicationView struct {
	Story   *storyPart
	Match   *matchPart
	Reply   *replyPart
	Details string // visible only to the owner
	JSON    string
}

type storyPart struct {
	Author Person
	Text   string
	Reach  reachView
	Until  ending
}

type matchPart struct {
	Kind, Terms         string
	Goal                string
	Seeks, Brings       []string // empty if Terms says the same
	Mode                string
	Everybody, KeepOpen bool
	Reach               reachView // unless it is for everybody
	Until               ending
	Warnings            []string
	SentTo              string // host of the vector service; "" for none
}

type replyPart struct {
	To        Person
	StoryText string
	Message   string
}

type previewView struct {
	Frame
	publicationView
	Heading, Lede string
	Action        string
	Confirm, Step string // label and value of the button
	Hidden        url.Values
	Back          string // target of the breadcrumbs
	BackLabel     string
	Follows       []string // consequences, as sentences
}

// hiddenOf returns the fields of a form without its buttons. others replace fields of the same name.
func hiddenOf(form url.Values, others ...string) url.Values {
	fields := maps.Clone(form)
	delete(fields, "step")
	delete(fields, "q")
	maps.Copy(fields, newForm(others...).Values)
	return fields
}

// Consequences of the forms of previews.
var (
	followsMatch = []string{
		"It is compared with what others ask and offer, now and as long as it is open.",
		"When something fits, you and the other person both get a match, without names. Nobody else sees it.",
		"When both of you say hello, a conversation with the two of you opens. If it is not for one of you, nothing more happens.",
		"You can withdraw it at any time.",
	}
	followsStory = []string{
		"The people above see it under Stories, with your name.",
		"Those who answer do so in your direct conversation.",
		"You can pause or end it at any time.",
	}
	followsReply = []string{"The message goes to your direct conversation. Only the two of you see it."}
)

func followsOf(p publicationView) (out []string) {
	if p.Story != nil {
		out = append(out, followsStory...)
	}
	if p.Match != nil {
		out = append(out, followsMatch...)
	}
	return out
}

func (s *site) showPreview(v *visit, here string, view previewView) error {
	if view.Match != nil {
		p := get(v, s.Social.GetPreferences, core.None{})
		if p.NetworkPaused {
			view.Follows = append([]string{"You have paused matching, so it is compared with nothing until you resume it under Settings."},
				view.Follows...)
		}
	}
	v.template = "preview"
	return s.page(v, view.Heading, here, "", &view)
}

// showPublication shows the preview p of a form that publishes until at. The next form has the grant of p.
func (s *site) showPublication(v *visit, here string, p social.Preview, at *store.Time, view previewView) error {
	view.Step, view.Hidden = "publish", hiddenOf(v.r.PostForm, "expiresAt", at.String(), "grant", p.ApprovalGrant)
	view.publicationView = s.publication(v, p.Payload)
	view.Follows = followsOf(view.publicationView)
	return s.showPreview(v, here, view)
}

func (s *site) publication(v *visit, payload jsontext.Value) (view publicationView) {
	var p social.Publication
	v.failed(json.Unmarshal(payload, &p))
	view = publicationView{Details: p.Details, JSON: indented(payload)}
	me := loaded(v, s.me)
	if p.Story != nil {
		view.Story = &storyPart{Author: face(me.ID, me.Name, core.OrZero(me.AvatarURL)), Text: p.Story.Text,
			Until: s.ending(p.Story.ExpiresAt), Reach: s.reachKnown(v, p.Story.Audience)}
	}
	if p.QuietSearch != nil {
		view.Match = s.matchPart(v, p, p.QuietSearch.Audience, p.QuietSearch.ExpiresAt)
	}
	return view
}

// matchPart returns what others see of an ask or an offer, which is for everybody if there is no audience.
func (s *site) matchPart(v *visit, p social.Publication, audience *social.Audience, until store.Time) *matchPart {
	sameAsTerms := func(text string) bool { return text == p.Terms }
	server, _ := url.Parse(s.EmbedURL) // checked at the start
	part := &matchPart{SentTo: server.Hostname(), Kind: p.Kind, Terms: p.Terms, Goal: p.Goal, Seeks: p.Seeks, Brings: p.Brings,
		Mode: modeText(p.MatchingMode, p.OpenToCollaborators, p.Goal, p.Seeks, p.Brings), KeepOpen: !p.CloseOnConnect,
		Until: s.ending(until), Warnings: tellsWho(p.Terms, loaded(v, s.me).Name), Everybody: audience == nil}
	if sameAsTerms(p.Goal) {
		part.Goal = ""
	}
	for _, texts := range []*[]string{&part.Seeks, &part.Brings} {
		if len(*texts) == 1 && sameAsTerms((*texts)[0]) {
			*texts = nil
		}
	}
	if audience != nil {
		part.Reach = s.reachKnown(v, *audience)
	}
	return part
}

func indented(payload jsontext.Value) string {
	p := payload.Clone()
	if err := p.Indent(); err != nil {
		return string(payload)
	}
	return string(p)
}

// modeText describes the experience mode of an intent; "" for the default.
func modeText(mode string, together bool, goal string, seeks, brings []string) string {
	var lacks []string
	lack := func(missing bool, act string) {
		if missing {
			lacks = append(lacks, act)
		}
	}
	text, otherwise := "", ""
	switch mode {
	case "reciprocal":
		text, otherwise = "Only with someone who also looks for what you bring.", "Nobody can match it yet: "
		lack(len(seeks) == 0, "say what you look for")
		lack(len(brings) == 0, "say what you bring")
	case "shared_goal":
		text, otherwise = "With someone who wants to do the same.", "Nobody who wants to do the same can match it yet: "
		lack(goal == "", "say what it is about")
		lack(!together, "tick “I would also do it together with others”")
	}
	if len(lacks) == 0 {
		return text
	}
	return otherwise + strings.Join(lacks, ", and ") + "."
}

var lasts = map[string]time.Duration{"1d": 24 * time.Hour, "3d": 72 * time.Hour, "7d": 168 * time.Hour, "30d": 720 * time.Hour,
	"90d": 2160 * time.Hour}

// until returns the expiry of a form: the moment in its preview, or the menu's choice from now. It is nil for
// never.
func (s *site) until(v *visit) *store.Time {
	if at, err := store.ParseTime(v.form("expiresAt")); err == nil {
		return &at
	}
	if d := lasts[v.form("until")]; d != 0 {
		return new(store.TimeOf(s.Now().Add(d)))
	}
	return nil
}

// stale describes to people an error about a grant.
func stale(err error) error {
	if e := core.As(err); err != nil && e.Code == "approval_required" {
		return core.New(core.Conflict, e.Code, "The preview can no longer be used: it is older than 10 minutes, was used already, or "+
			"something has changed since. Look at it again, then confirm.")
	}
	return err
}

type groupChoice struct {
	ID, Title, Line string
	Checked         bool
}

type audienceView struct {
	Query  string
	People []choiceView
	Groups []groupChoice
	Error  string
	Note   string // about the choices of an earlier form
	FindTo string
	Reach  *reachView // nil if nothing is ticked
}

func audienceOf(form url.Values) social.Audience {
	return social.Audience{UserIDs: chosenIDs(form), ConversationIDs: append([]string{}, form["in"]...)}
}

func needAudience(a social.Audience) error {
	if len(a.UserIDs)+len(a.ConversationIDs) == 0 {
		return core.InvalidField("audience", "Tick at least one person or group.")
	}
	return nil
}

// audience returns the choices of a form: ticked people, friends, people of direct conversations, search
// results and groups.
func (s *site) audience(v *visit, form Form, findTo string) (view audienceView) {
	view = audienceView{Query: strings.TrimSpace(form.Get("q")), Error: form.At("audience"), FindTo: findTo}
	add := func(people []Person, checked bool) {
		for _, p := range people {
			known := slices.ContainsFunc(view.People, func(c choiceView) bool { return c.ID == p.ID })
			if !known && p.ID != v.by.UserID && !p.IsBot {
				view.People = append(view.People, choiceView{p, checked})
			}
		}
	}
	add(chosenIn(form.Values), true)
	add(s.findPeople(v, view.Query, nil), false)
	friends := get(v, s.People.ListFriends, core.None{}).Friends
	add(core.Map(friends, func(f people.Friend) Person { return personOf(f.User) }), false)
	all := get(v, s.Chat.ListConversations, chat.ListConversationsIn{Limit: 200})
	for _, c := range all.Items {
		title, _ := nameOf(c, v.by.UserID)
		if c.Type == "group" {
			line := strings.Join(namesOf(others(c, v.by.UserID)), ", ")
			if more := c.ParticipantCount - len(c.Participants); more > 0 {
				line += " and more"
			}
			view.Groups = append(view.Groups, groupChoice{ID: c.ID, Title: title, Line: line, Checked: form.Has("in", c.ID)})
		} else {
			add(others(c, v.by.UserID), false)
		}
	}
	view.Reach = s.ticked(v, form.Values)
	return view
}

// ticked returns the reach of the ticked choices, with a few names. It is nil if nothing is ticked.
func (s *site) ticked(v *visit, form url.Values) *reachView {
	a := audienceOf(form)
	if len(a.UserIDs)+len(a.ConversationIDs) == 0 {
		return nil
	}
	r := s.reachKnown(v, a)
	r.People = r.People[:min(len(r.People), 12)]
	return &r
}

func (s *site) audienceReach(v *visit) error {
	return s.show(v, pickedView{s.ticked(v, v.r.PostForm)})
}

type pickedView struct{ Reach *reachView }

type reachView struct {
	Total  int
	People []Person
	Groups int // later members of them are included
}

func reachOf(r social.ReachOut) reachView {
	return reachView{r.Total, core.Map(r.People, func(p social.Person) Person {
		return Person{ID: p.ID, Name: p.Name, Picture: pictureOf(core.OrZero(p.AvatarURL)), IsBot: p.IsBot}
	}), r.Groups}
}

type chosenView struct {
	Reach reachView
	Lost  bool // some can no longer be named, and are not counted
}

func (s *site) chosenFor(v *visit, id string) *chosenView {
	return chosenOf(get(v, s.Social.GetAudience, core.ByID{ID: id}), 6)
}

func chosenOf(out social.AudienceOut, limit int) *chosenView {
	c := &chosenView{reachOf(out.Reach), out.Unreachable > 0}
	c.Reach.People = c.Reach.People[:min(len(c.Reach.People), limit)]
	return c
}

// tickAgain ticks the audience of an earlier intent, and returns a remark about it.
func (s *site) tickAgain(v *visit, form Form, id string) (note string) {
	out := get(v, s.Social.GetAudience, core.ByID{ID: id})
	for _, p := range out.People {
		form.Values.Add("to", p.ID+" "+p.Name)
	}
	for _, id := range out.Audience.ConversationIDs {
		form.Values.Add("in", id)
	}
	switch {
	case len(out.People)+len(out.Audience.ConversationIDs) == 0:
		note = "The people and groups you chose before can no longer be chosen. Choose again."
	case out.Unreachable > 0:
		note = "Some people or groups you chose before can no longer be chosen. The others are ticked."
	}
	return note
}

// More returns the number of people who are reached but not named.
func (r reachView) More() int { return r.Total - len(r.People) }
