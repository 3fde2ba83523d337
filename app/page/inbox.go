package page

import (
	"cmp"
	"strings"
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

// waitingView is how much the inbox has, how much of it is for administrators, and the seconds until it changes by itself.
// 0 seconds is no such limit.
type waitingView struct{ Inbox, InboxSeconds, AdminCount int }

func (s *site) inboxCountOf(w social.WaitingOut) waitingView {
	out := waitingView{Inbox: w.Count, AdminCount: w.Admin}
	if w.Until != 0 {
		// A timer of a browser has at most 24 days.
		out.InboxSeconds = min(max(0, int(w.Until.Sub(store.TimeOf(s.Now()))/time.Second))+1, 24*60*60)
	}
	return out
}

type inboxItem struct {
	ID       string // of its row on the page
	Request  *requestView
	Match    *matchView
	Draft    *draftView
	Expiring *expiringView
	Waiting  *waitingItemView
	back     *backView // of the shown one
}

// waitingItemView is an entry with nothing but a text.
type waitingItemView struct {
	backView
	store.Waiting
	Author Person // who asks or wrote it, or whom a report is about
	Until  ending
	Reason string // of a report
}

// Brief is the beginning of the text, which distinguishes the labels of buttons.
func (v waitingItemView) Brief() string { return oneLine(cmp.Or(v.Text, v.Author.Name), 60) }

type inboxView struct {
	Frame
	Items []inboxItem
	More  bool
	Error string
}

func (s *site) showInbox(v *visit) error {
	view := inboxView{Error: v.filled(Form{}).Error}
	p := get(v, s.Social.GetPreferences, core.None{})
	queue := get(v, s.Social.GetInbox, core.None{})
	for _, i := range queue.Items {
		view.Items = append(view.Items, s.inboxItemOf(v, i, p.NetworkPaused))
	}
	view.More = queue.Count > len(queue.Items)
	lead(view.Items)
	return s.page(v, "Inbox", "inbox", "", &view)
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

func (s *site) inboxItemOf(v *visit, i social.InboxItem, paused bool) inboxItem {
	item := inboxItem{ID: "i-" + strings.Replace(i.ID, ":", "-", 1)}
	switch {
	case i.Request != nil:
		r := s.requestOf(v, *i.Request)
		item.Request, item.back = &r, &r.backView
	case i.Waiting != nil:
		w := i.Waiting
		item.Waiting = &waitingItemView{Waiting: *w, Author: face(w.From.ID, w.From.Name, w.From.AvatarURL), Until: s.ending(w.DueAt),
			Reason: reasonText(w.Note)}
		item.back = &item.Waiting.backView
	case i.Draft != nil:
		d := draftOf(*i.Draft)
		item.Draft, item.back = &d, &d.backView
	case i.Match != nil:
		m := s.matchViewOf(*i.Match, paused)
		item.Match, item.back = &m, &m.backView
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

// fromInbox returns the handler of a form that the inbox has as well: there it leads to the next item.
func (s *site) fromInbox(handle func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if v.form("back") != "inbox" {
			return handle(v)
		}
		v.template = "inbox"
		err := handle(v)
		if core.IsKind(err, core.NotFound) {
			err = s.refuse(v, core.New(core.Conflict, "gone", "This no longer waits for you."))
		}
		return err
	}
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
