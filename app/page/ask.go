package page

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func askRoutes() []route {
	return []route{
		{"GET /asks", person, fresh((*site).showAsks), "asks"},
		{"GET /asks/new", person, askNew, "ask_new"},
		{"POST /asks/new", person, askPublish, "ask_new"},
		{"POST /asks/preview", person, askPreview, "preview"},
		{"POST /asks/{id}/withdraw", person, askWithdraw, ""},
		{"POST /matches/{id}", person, matchAnswer, "asks"},
	}
}

type askView struct {
	ID, Kind, Terms, Details string
	State                    string // open, expired, paused, withdrawn, connected
	Until                    ending
	CreatedAt                store.Time
	Restricted               bool        // only for chosen people
	Chosen                   *chosenView // nil for an ended intent
	ResumeID                 string
}

type matchView struct {
	ID, Status            string
	OwnID                 string
	OwnKind, OwnTerms     string
	OtherKind, OtherTerms string
	Type                  string
	Paused                bool // the person has paused matching: an approval would close the match
	OwnEnded, OwnPaused   bool
	ConversationURL       string
	UpdatedAt             store.Time
	backView
}

type asksView struct {
	Frame
	Tab         string
	Error       string
	Paused      bool // the network is paused
	Open, Ended []askView
	Matches     []matchView // open ones first
	Connected   []matchView
	Closed      []matchView
}

func (s *site) showAsks(v *visit, form Form) error {
	v.template = "asks"
	view := asksView{Tab: "asks", Error: form.Error}
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
	view.Frame = s.frame(v, "Asks & offers", "asks", "")
	return s.show(v, form.status(), view)
}

func (s *site) askOf(i social.AgentIntent) askView {
	a := askView{ID: i.ID, Kind: i.Kind, Terms: i.Terms, Details: core.OrZero(i.Details), State: i.Status,
		Until: s.ending(core.OrZero(i.ExpiresAt)), CreatedAt: i.CreatedAt, Restricted: i.Restricted}
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
	row := matchView{ID: m.ID, Status: m.Status, OwnID: m.OwnIntent.ID, OwnKind: m.OwnIntent.Kind, OwnTerms: m.OwnIntent.Terms,
		OtherKind: m.OtherKind, OtherTerms: m.OtherTerms,
		Type: m.MatchType, UpdatedAt: m.UpdatedAt, Paused: paused, OwnPaused: m.OwnIntent.Status == "paused"}
	row.OwnEnded = m.OwnIntent.ExpiresAt != 0 && m.OwnIntent.ExpiresAt <= store.TimeOf(s.Now())
	if m.ConversationID != nil {
		row.ConversationURL = "/chat/" + *m.ConversationID
	}
	return row
}

type askNewView struct {
	Frame
	Form     Form
	SendID   string // makes a repeated draft harmless
	Audience audienceView
	InPlace  bool // the intent is open
	Stays    bool // the matches stay if only the expiry changes
}

func askNew(s *site, v *visit) error {
	form := newForm("kind", "ask", "until", "30d", "who", "everybody", "back", v.query("back"))
	if kind := v.query("kind"); kind == "offer" {
		form.Values.Set("kind", kind)
	}
	if again := v.query("again"); again != "" {
		return s.askAgain(v, again, form)
	}
	return s.showAskNew(v, form, "")
}

func (s *site) ownIntent(v *visit, id string) (i social.AgentIntent, ok bool, err error) {
	out, err := s.Social.GetIntent.Call(v.ctx(), v.by, social.IntentIn{ID: id})
	if err != nil && core.As(err).Kind == core.NotFound {
		return i, false, nil
	}
	return out.Intent, err == nil, err
}

// askAgain fills the form from the person's intent with that id. For any other id it shows form.
func (s *site) askAgain(v *visit, id string, form Form) error {
	i, ok, err := s.ownIntent(v, id)
	if err != nil {
		return err
	}
	note := ""
	if !ok {
		return s.showAskNew(v, form, note)
	}
	form = newForm("again", i.ID, "kind", i.Kind, "terms", i.Terms, "details", core.OrZero(i.Details), "until", "30d", "who", "everybody",
		"back", v.query("back"))
	if i.Restricted {
		form.Values.Set("who", "chosen")
		note = s.tickAgain(v, form, id)
	}
	if !i.CloseOnConnect {
		form.Values.Set("keep", "yes")
	}
	return s.showAskNew(v, form, note)
}

// showAskNew shows the form. note is a remark about the audience.
func (s *site) showAskNew(v *visit, form Form, note string) error {
	v.template = "ask_new"
	view := askNewView{Form: form, SendID: store.NewID()}
	view.Audience = s.audience(v, form, "/asks/new")
	view.Audience.Note = note
	if again := form.Get("again"); again != "" {
		view.InPlace, view.Stays = s.inPlace(v, again)
	}
	view.Frame = s.frame(v, "New ask or offer", "asks", "")
	return s.show(v, form.status(), view)
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

func askPreview(s *site, v *visit) error {
	in, err := s.askIn(v)
	var out social.IntentOut
	if err == nil {
		out, err = s.Social.PreviewIntent.Call(v.ctx(), v.by, in)
	}
	if err != nil {
		return s.refuse(v, askFields, err, func(f Form) error { return s.showAskNew(v, f, "") })
	}
	me, err := s.me(v)
	if err != nil {
		return err
	}
	i := out.Intent
	hidden := []string{"id", store.NewID()} // makes a repeated publication harmless
	if i.ExpiresAt != nil {
		hidden = append(hidden, "expiresAt", i.ExpiresAt.String())
	}
	view := previewView{Heading: "Preview of your " + i.Kind, Lede: "This is all that others see of it. Nothing is published yet.",
		Action: "/asks/new", Confirm: "Publish this " + i.Kind, Step: "publish", Back: "/asks", BackLabel: "Asks & offers",
		Hidden: hiddenOf(v.r.PostForm, hidden...), publicationView: publicationView{Details: core.OrZero(i.Details)}, Follows: followsMatch}
	view.Match = &matchPart{SentTo: s.Vectors, Kind: i.Kind, Terms: i.Terms, KeepOpen: !i.CloseOnConnect,
		Until: s.ending(core.OrZero(i.ExpiresAt)), Everybody: in.Audience == nil, Warnings: tellsWho(i.Terms, me.Name),
		Goal: other(core.OrZero(i.Goal), i.Terms), Seeks: otherThan(i.Seeks, i.Terms), Brings: otherThan(i.Brings, i.Terms),
		Mode: modeText(i.MatchingMode, i.OpenToCollaborators, core.OrZero(i.Goal), i.Seeks, i.Brings)}
	if in.Audience != nil {
		view.Match.Reach = s.reach(v, *in.Audience)
	}
	return s.showPreview(v, "asks", view)
}

func askPublish(s *site, v *visit) error {
	if step := v.form("step"); step != "publish" && step != "draft" {
		return s.showAskNew(v, Form{Values: v.r.PostForm}, "")
	}
	publish := func() (string, error) {
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
	}
	return s.submit(v, askFields, publish, func(f Form) error { return s.showAskNew(v, f, "") })
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

func askWithdraw(s *site, v *visit) error {
	id := v.id("id")
	stories, err := s.Social.ListStories.Call(v.ctx(), v.by, social.ListStoriesIn{Brief: true})
	if err != nil {
		return err
	}
	for _, st := range stories.Stories {
		if st.IntentID == id && !st.HumanVisible && st.Status != "withdrawn" {
			if _, err := s.Social.UpdateStory.Call(v.ctx(), v.by, social.UpdateStoryIn{ID: st.ID, Status: "withdrawn"}); err != nil {
				return err
			}
		}
	}
	if _, err := s.Social.UpdateIntent.Call(v.ctx(), v.by, social.WithdrawIntentIn{ID: id, Status: "withdrawn"}); err != nil {
		return err
	}
	return v.back("/asks", "withdrawn", id)
}

func matchAnswer(s *site, v *visit) error {
	show := s.showAsks
	if v.form("back") == "review" {
		show = s.showReview
	}
	answer := func() (string, error) {
		out, err := s.Social.RespondMatch.Call(v.ctx(), v.by, social.RespondMatchIn{ID: v.id("id"), Decision: v.form("decision"), KeepOpen: true})
		if err != nil && core.As(err).Kind == core.NotFound {
			err = core.New(core.Conflict, "match_gone", "This match is gone.")
		}
		return v.answered(out.Match), err
	}
	return s.submit(v, nil, answer, func(f Form) error { return show(v, f) })
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
	notNumbers = regexp.MustCompile(`^(?:\d{1,2}[./-] ?\d{1,2}[./-] ?\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|(?:19|20)\d\d ?[-/.,] ?(?:19|20)\d\d|[1-9]\d{0,2}(?:[ .,]000)+(?:[.,]\d\d)?)$`)
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
