package page

import (
	"time"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func (s *site) inboxRoutes() []route {
	return []route{
		{"GET /inbox", person, s.showInbox, "inbox"},
		{"GET /inbox/count", person, s.inboxCount, "inbox_count"},
		{"POST /inbox/requests/{request}", person, s.posted(s.requestAnswer), "inbox"},
		{"GET /settings/matching", person, s.matching, "settings_matching"},
		{"POST /settings/matching", person, s.posted(s.matchingSend), ""},
	}
}

type requestView struct {
	social.Request
	publicationView
	backView
	Until ending
	Draft bool // it publishes a draft
}

// Line is the beginning of the text, which distinguishes the labels of buttons.
func (v requestView) Line() string {
	switch {
	case v.Reply != nil:
		return oneLine(v.Reply.Message, 60)
	case v.Story != nil:
		return oneLine(v.Story.Text, 60)
	case v.Match != nil:
		return oneLine(v.Match.Terms, 60)
	}
	return ""
}

type expiringView struct {
	backView
	Text    string
	Until   ending
	Kind    string
	StoryID string // the Story that it ends with, or ""
	AskID   string
}

// backView makes the forms of an item return to the inbox.
type backView struct {
	Back string // "inbox" in the inbox
	Next string // row id of the next item
}

// waitingView is the number of open decisions, and the seconds until it changes by itself. 0 seconds is no
// such limit.
type waitingView struct{ Inbox, InboxSeconds int }

func (s *site) inboxCountOf(w social.WaitingOut) waitingView {
	out := waitingView{Inbox: w.Count}
	if w.Until != 0 {
		out.InboxSeconds = max(0, int(w.Until.Sub(store.TimeOf(s.Now()))/time.Second)) + 1
	}
	return out
}

type inboxItem struct {
	ID       string // of its row on the page
	Request  *requestView
	Match    *matchView
	Draft    *draftView
	Expiring *expiringView
	back     *backView // of the shown one
}

type inboxView struct {
	Frame
	Items []inboxItem
	More  bool
	Error string
}

func (s *site) showInbox(v *visit) error {
	view := inboxView{Error: v.filled(Form{}).Error}
	requests := get(v, s.Social.ListRequests, core.None{})
	for _, r := range requests.Requests {
		shown := s.requestOf(v, r)
		view.Items = append(view.Items, inboxItem{ID: "r-" + r.ID[:16], Request: &shown, back: &shown.backView})
	}
	p := get(v, s.Social.GetPreferences, core.None{})
	queue := get(v, s.Social.GetReview, core.None{})
	for _, i := range queue.Items {
		view.Items = append(view.Items, s.inboxItemOf(i, p.NetworkPaused))
	}
	view.More = queue.HasMore || requests.HasMore
	lead(view.Items)
	return s.page(v, "Inbox", "inbox/inbox", "", &view)
}

// lead makes the forms of an item return to the next one, or the last one to the item before.
func lead(items []inboxItem) {
	for n, item := range items {
		next := "inbox"
		if n+1 < len(items) {
			next = items[n+1].ID
		} else if n > 0 {
			next = items[n-1].ID
		}
		*item.back = backView{"inbox", next}
	}
}

func (s *site) inboxItemOf(i social.ReviewItem, paused bool) inboxItem {
	item := inboxItem{ID: "i-" + i.Kind + "-" + core.OrZero(i.StoryID) + core.OrZero(i.IntentID)}
	switch {
	case i.Draft != nil:
		d := draftOf(*i.Draft)
		item.Draft, item.back, item.ID = &d, &d.backView, "i-draft-"+d.ID
	case i.Match != nil:
		m := s.matchViewOf(*i.Match, paused)
		item.Match, item.back, item.ID = &m, &m.backView, "i-match-"+m.ID
	default:
		item.Expiring = &expiringView{Text: i.Title, Until: s.ending(core.OrZero(i.DueAt)), Kind: "Story", StoryID: core.OrZero(i.StoryID),
			AskID: core.OrZero(i.IntentID)}
		item.back = &item.Expiring.backView
		if i.Kind == "expiring_search" {
			item.Expiring.Kind = i.IntentKind
			if i.HumanVisible {
				item.Expiring.StoryID = "" // the Story has its own end
			}
		}
	}
	return item
}

func (s *site) requestOf(v *visit, r social.Request) (view requestView) {
	view = requestView{Request: r, Until: s.ending(r.ExpiresAt)}
	if r.Response == nil {
		view.Draft = r.Publication.DraftID != ""
		view.publicationView = s.publication(v, r.Payload)
		return view
	}
	view.Reply = &replyPart{Message: r.Response.Message}
	view.JSON = indented(r.Payload)
	st, err := s.Social.GetFeedStory.Call(v.ctx(), v.by, core.ByID{ID: r.Response.StoryID})
	if core.As(err).Kind == core.NotFound {
		return view
	}
	v.failed(err)
	view.Reply.To, view.Reply.StoryText = s.feedOf(st).Author, st.Text
	return view
}

func (s *site) requestAnswer(v *visit) (string, error) {
	id := v.r.PathValue("request")
	out, err := once(v, v.repeat(id), s.Social.AnswerRequest, social.AnswerRequestIn{ID: id, Decision: v.form("decision")})
	switch {
	case v.form("decision") == "refuse":
		return v.backTo("/inbox", "refused", ""), err
	case out.ConversationID != "":
		return v.backTo("/inbox", "request-sent", out.ConversationID), err
	}
	return v.backTo("/inbox", "request-done", ""), err
}

func (s *site) inboxCount(v *visit) error {
	return s.show(v, s.inboxCountOf(get(v, s.Social.GetWaiting, core.None{})))
}

type matchingView struct {
	Frame
	Paused   bool
	ModeForm Form
}

func (s *site) matching(v *visit) error {
	p := get(v, s.Social.GetPreferences, core.None{})
	return s.page(v, "Matching", "settings/matching", "", &matchingView{Paused: p.NetworkPaused,
		ModeForm: newForm("mode", p.ExperienceMode)})
}

func (s *site) matchingSend(v *visit) (string, error) {
	in := social.UpdatePreferencesIn{ExperienceMode: v.form("mode")}
	if v.form(versionField) == newForm("mode", in.ExperienceMode).Version() {
		in.ExperienceMode = "" // the person left it unchanged
	}
	if paused := v.form("paused"); paused != "" {
		in.NetworkPaused = new(paused == "yes")
	}
	_, err := s.Social.UpdatePreferences.Call(v.ctx(), v.by, in)
	return "/settings/matching?done=saved", err
}
