package page

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func (s *site) askRoutes() []route {
	return []route{
		{"GET /asks", person, s.showAsks, "asks"},
		{"GET /asks/new", person, s.askNew, "ask_new"},
		{"POST /asks/new", person, s.askPublish, "ask_new"},
		{"POST /asks/preview", person, s.askPreview, "preview"},
		{"POST /asks/{id}/withdraw", person, s.posted(s.askWithdraw), ""},
		{"POST /matches/{id}", person, s.posted(s.matchAnswer), "asks"},
	}
}

type askView struct {
	social.AgentIntent
	State    string // open, expired, paused, withdrawn, connected
	Until    ending
	Chosen   *chosenView // nil for an ended intent, and for one for everybody
	ResumeID string
}

type matchView struct {
	social.AgentMatch
	Paused   bool // the person has paused matching: an approval would close the match
	OwnEnded bool
	backView
}

// OwnPaused reports whether the person's own intent is paused.
func (m matchView) OwnPaused() bool { return m.OwnIntent.Status == "paused" }

type asksView struct {
	Frame
	Error       string
	Paused      bool // the network is paused
	Open, Ended []askView
	Matches     []matchView // open ones first
	Connected   []matchView
	Closed      []matchView
}

func (s *site) showAsks(v *visit) error {
	view := asksView{Error: v.filled(Form{}).Error}
	own := get(v, s.Social.ListIntents, social.ListIntentsIn{Brief: true})
	stories := get(v, s.Social.ListStories, social.ListStoriesIn{Brief: true})
	told := map[string]bool{} // intents that belong to a Story
	resume := map[string]string{}
	for _, st := range stories.Stories {
		if st.Status == "paused" && !st.HumanVisible && st.SearchExpiresAt > store.TimeOf(s.Now()) {
			resume[st.IntentID] = st.ID
		}
		told[st.IntentID] = st.HumanVisible && !st.ExplicitQuietSearch
	}
	for _, i := range own.Intents {
		if told[i.ID] {
			continue
		}
		a := s.askOf(i)
		a.ResumeID = resume[i.ID]
		if a.State == "open" || a.State == "paused" {
			if a.Restricted {
				a.Chosen = s.chosenFor(v, a.ID)
			}
			view.Open = append(view.Open, a)
		} else {
			view.Ended = append(view.Ended, a)
		}
	}
	p := get(v, s.Social.GetPreferences, core.None{})
	view.Paused = p.NetworkPaused
	s.addMatches(v, &view)
	return s.page(v, "Asks & offers", "asks/asks", "", &view)
}

func (s *site) askOf(i social.AgentIntent) askView {
	a := askView{AgentIntent: i, State: i.Status, Until: s.ending(core.OrZero(i.ExpiresAt))}
	if a.State == "active" {
		a.State = "open"
	}
	if (a.State == "open" || a.State == "paused") && a.Until.At != 0 && a.Until.At <= store.TimeOf(s.Now()) {
		a.State = "expired"
	}
	return a
}

func (s *site) addMatches(v *visit, view *asksView) {
	all := get(v, s.Social.ListMatches, core.None{})
	var waiting []matchView
	for _, m := range all.Matches {
		row := s.matchViewOf(m, view.Paused)
		switch m.Status {
		case "pending":
			view.Matches = append(view.Matches, row)
		case "awaiting_other":
			waiting = append(waiting, row)
		case "connected":
			view.Connected = append(view.Connected, row)
		default:
			view.Closed = append(view.Closed, row)
		}
	}
	view.Matches = append(view.Matches, waiting...)
}

func (s *site) matchViewOf(m social.AgentMatch, paused bool) matchView {
	ends := m.OwnIntent.ExpiresAt
	return matchView{AgentMatch: m, Paused: paused, OwnEnded: ends != 0 && ends <= store.TimeOf(s.Now())}
}

type askNewView struct {
	Frame
	Form     Form
	SendID   string // makes a repeated draft harmless
	Audience audienceView
	InPlace  bool // the intent is open
	Stays    bool // the matches stay if only the expiry changes
}

// askNew shows the form as it was sent, or for the person's intent that is to be published again.
func (s *site) askNew(v *visit) error {
	form := newForm("kind", "ask", "until", "30d", "who", "everybody", "back", v.query("back"))
	if kind := v.query("kind"); kind == "offer" {
		form.Values.Set("kind", kind)
	}
	view := askNewView{SendID: store.NewID()}
	note := ""
	if again := v.query("again"); again != "" && v.again == nil {
		i, ok, err := s.ownIntent(v, again)
		if err != nil {
			return err
		}
		if ok {
			note = s.askAgain(v, form, i)
		}
	}
	view.Form = v.filled(form)
	view.Audience = s.audience(v, view.Form, "/asks/new")
	view.Audience.Note = note
	if again := view.Form.Get("again"); again != "" {
		view.InPlace, view.Stays = s.inPlace(v, again)
	}
	return s.page(v, "New ask or offer", "asks", "", &view)
}

func (s *site) ownIntent(v *visit, id string) (i social.AgentIntent, ok bool, err error) {
	out, err := s.Social.GetIntent.Call(v.ctx(), v.by, core.ByID{ID: id})
	if core.IsKind(err, core.NotFound) {
		return i, false, nil
	}
	return out.Intent, err == nil, err
}

// askAgain sets the form of an intent, and returns a remark about its audience.
func (s *site) askAgain(v *visit, form Form, i social.AgentIntent) (note string) {
	maps.Copy(form.Values, newForm("again", i.ID, "kind", i.Kind, "terms", i.Terms, "details", core.OrZero(i.Details)).Values)
	if i.Restricted {
		form.Values.Set("who", "chosen")
		note = s.tickAgain(v, form, i.ID)
	}
	if !i.CloseOnConnect {
		form.Values.Set("keep", "yes")
	}
	return note
}

// inPlace reports whether a new publication replaces the intent, and whether its matches stay. They stay if
// only the expiry changes and the whole audience can be chosen again.
func (s *site) inPlace(v *visit, id string) (open, stays bool) {
	i, ok, err := s.ownIntent(v, id)
	v.failed(err)
	if !ok || s.askOf(i).State != "open" {
		return false, false
	}
	if !i.Restricted {
		return true, true
	}
	c := s.chosenFor(v, id)
	return true, !c.Lost
}

var askFields = []string{"kind", "terms", "details", "audience"}

func (s *site) askIn(v *visit) (in social.CreateIntentIn, err error) {
	in = social.CreateIntentIn{Kind: v.form("kind"), Terms: v.form("terms"), Confirm: new(true), Details: v.form("details"),
		ExpiresAt: s.until(v), Replaces: v.form("again")}
	in.CloseOnConnect = new(v.form("keep") != "yes")
	if v.form("who") == "chosen" {
		in.Audience = new(audienceOf(v.r.PostForm))
		err = needAudience(*in.Audience)
	}
	return in, err
}

func (s *site) askPreview(v *visit) error {
	v.template = "ask_new"
	in, err := s.askIn(v)
	var out social.IntentOut
	if err == nil {
		out, err = s.Social.PreviewIntent.Call(v.ctx(), v.by, in)
	}
	if err != nil {
		return s.refuse(v, err, askFields...)
	}
	i := out.Intent
	hidden := []string{"id", store.NewID()} // makes a repeated publication harmless
	if i.ExpiresAt != nil {
		hidden = append(hidden, "expiresAt", i.ExpiresAt.String())
	}
	view := previewView{Heading: "Preview of your " + i.Kind, Lede: "This is all that others see of it. Nothing is published yet.",
		Action: "/asks/new", Confirm: "Publish this " + i.Kind, Step: "publish", Back: "/asks", BackLabel: "Asks & offers",
		Hidden: hiddenOf(v.r.PostForm, hidden...), publicationView: publicationView{Details: core.OrZero(i.Details)}, Follows: followsMatch}
	view.Match = s.matchPart(v, social.Publication{Kind: i.Kind, Terms: i.Terms, Goal: core.OrZero(i.Goal), Seeks: i.Seeks, Brings: i.Brings,
		MatchingMode: i.MatchingMode, OpenToCollaborators: i.OpenToCollaborators, CloseOnConnect: i.CloseOnConnect},
		in.Audience, core.OrZero(i.ExpiresAt))
	return s.showPreview(v, "asks", view)
}

func (s *site) askPublish(v *visit) error {
	if step := v.form("step"); step != "publish" && step != "draft" {
		return s.showAgain(v)
	}
	return s.submit(v, func() (string, error) {
		if v.form("step") == "draft" {
			return v.backTo("/drafts", "kept", ""), s.keepAsDraft(v)
		}
		in, err := s.askIn(v)
		if err == nil {
			_, err = once(v, v.repeat(v.form("id")), s.Social.CreateIntent, in)
		}
		if err != nil {
			return "", err
		}
		return s.published(v)
	}, askFields...)
}

func (s *site) published(v *visit) (string, error) {
	p, err := s.Social.GetPreferences.Call(v.ctx(), v.by, core.None{})
	if p.NetworkPaused {
		return v.backTo("/asks", "published-wait", ""), err
	}
	return v.backTo("/asks", "published-ask", ""), err
}

func (s *site) keepAsDraft(v *visit) error {
	terms := strings.TrimSpace(v.form("terms"))
	if terms == "" {
		return core.InvalidField("terms", "Write a sentence first.")
	}
	in := social.CreateDraftIn{Details: v.form("details")}
	if v.form("kind") == "offer" {
		in.Brings = []string{terms}
	} else {
		in.Seeks = []string{terms}
	}
	_, err := once(v, v.repeat(v.form("id")), s.Social.CreateDraft, in)
	return err
}

func (s *site) askWithdraw(v *visit) (string, error) {
	id := v.id("id")
	stories, err := s.Social.ListStories.Call(v.ctx(), v.by, social.ListStoriesIn{Brief: true})
	for _, st := range stories.Stories {
		if st.IntentID == id && !st.HumanVisible && st.Status != "withdrawn" {
			_, e := s.Social.UpdateStory.Call(v.ctx(), v.by, social.UpdateStoryIn{ID: st.ID, Status: "withdrawn"})
			err = cmp.Or(err, e)
		}
	}
	if err == nil {
		_, err = s.Social.UpdateIntent.Call(v.ctx(), v.by, social.WithdrawIntentIn{ID: id, Status: "withdrawn"})
	}
	return v.backTo("/asks", "withdrawn", id), err
}

func (s *site) matchAnswer(v *visit) (string, error) {
	if v.form("back") == "inbox" {
		v.template = "inbox"
	}
	out, err := send(v, s.Social.RespondMatch, func(in *social.RespondMatchIn) { in.KeepOpen = true })
	if core.IsKind(err, core.NotFound) {
		err = core.New(core.Conflict, "match_gone", "This match is gone.")
	}
	return v.answered(out.Match), err
}

func (v *visit) answered(m social.AgentMatch) string {
	switch {
	case m.Status == "connected" && v.form("back") == "" && m.ConversationID != nil:
		return "/chat/" + *m.ConversationID
	case m.Status == "connected":
		return v.backTo("/asks", "connected", core.OrZero(m.ConversationID))
	case m.Status == "awaiting_other":
		return v.backTo("/asks", "approved", "")
	case v.form("decision") == "decline" && !m.AlreadyResolved:
		return v.backTo("/asks", "match-declined", "")
	}
	return v.backTo("/asks", "match-closed", "")
}

var (
	addressed = regexp.MustCompile(`@\w|https?://`)
	numbers   = regexp.MustCompile(`\+?\d[\d \-./(),]*\d`)
	// Dates, ranges of years, and amounts with separators.
	notNumbers = regexp.MustCompile(`^(?:\d{1,2}[./-] ?\d{1,2}[./-] ?\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|` +
		`(?:19|20)\d\d ?[-/.,] ?(?:19|20)\d\d|[1-9]\d{0,2}(?:[ .,]000)+(?:[.,]\d\d)?)$`)
)

// hasNumber reports whether text may contain a telephone number.
func hasNumber(text string) bool {
	for _, n := range numbers.FindAllString(text, -1) {
		digits := 0
		for _, r := range n {
			if '0' <= r && r <= '9' {
				digits++
			}
		}
		if digits >= 7 && !notNumbers.MatchString(n) {
			return true
		}
	}
	return false
}

func tellsWho(terms, name string) (warnings []string) {
	apart := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,;:!?()\"'’“”", r) })
	}
	words := apart(terms)
	if slices.ContainsFunc(apart(name), func(part string) bool { return utf8.RuneCountInString(part) > 2 && slices.Contains(words, part) }) {
		warnings = append(warnings, "Your name is in the text. A stranger would see it.")
	}
	if addressed.MatchString(terms) || hasNumber(terms) {
		warnings = append(warnings, "The text has an address or a number, which may tell who you are. A stranger would see it.")
	}
	return warnings
}
