package page

import (
	"net/http"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func reviewRoutes() []route {
	return []route{
		{"GET /review", person, review, "review"},
		{"GET /review/count", person, reviewCount, "review_count"},
		{"POST /review/requests/{id}", person, requestAnswer, "review"},
		{"GET /settings/matching", person, matching, "settings_matching"},
		{"POST /settings/matching", person, matchingSend, "settings_matching"},
	}
}

// requestView is what a key asks its owner to approve.
type requestView struct {
	publicationView
	ID, Action         string
	AgentName          string
	KeyName, KeyPrefix string
	CreatedAt          store.Time
	ExpiresAt          store.Time
	Draft              bool // it publishes a draft
}

// expiringView is a Story or a search that ends soon.
type expiringView struct {
	Text    string
	Until   store.Time
	StoryID string // "" for a search that belongs to no Story
	AskID   string
	Search  bool
}

// reviewItem is one of the things that wait for a decision.
type reviewItem struct {
	ID       string // of its row on the page
	Request  *requestView
	Match    *matchView
	Draft    *draftView
	Expiring *expiringView
}

type reviewView struct {
	Frame
	Tab   string
	Items []reviewItem
	More  bool
	Error string
}

func review(s *site, v *visit) error { return s.showReview(v, Form{}) }

func (s *site) showReview(v *visit, form Form) error {
	view := reviewView{Tab: "review", Error: form.Error}
	requests, err := s.Social.ListRequests.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	for _, r := range requests.Requests {
		shown, err := s.requestOf(v, r)
		if err != nil {
			return err
		}
		view.Items = append(view.Items, reviewItem{ID: "r-" + r.ID[:16], Request: &shown})
	}
	queue, err := s.Social.GetReview.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view.Items, view.More = append(view.Items, core.Map(queue.Items, reviewItemOf)...), queue.HasMore
	if view.Frame, err = s.frame(v, "Review", "review", ""); err != nil {
		return err
	}
	return s.show(v, form.status(), view)
}

func reviewItemOf(i social.ReviewItem) reviewItem {
	item := reviewItem{ID: "i-" + i.Kind + "-" + core.OrZero(i.StoryID) + core.OrZero(i.IntentID)}
	switch {
	case i.Draft != nil:
		d := draftOf(*i.Draft)
		d.Back = "review"
		item.Draft, item.ID = &d, "i-draft-"+d.ID
	case i.Match != nil:
		m := matchViewOf(*i.Match)
		m.Back = "review"
		item.Match, item.ID = &m, "i-match-"+m.ID
	default:
		item.Expiring = &expiringView{Text: i.Title, Until: core.OrZero(i.DueAt), StoryID: core.OrZero(i.StoryID), AskID: core.OrZero(i.IntentID), Search: i.Kind == "expiring_search"}
	}
	return item
}

func (s *site) requestOf(v *visit, r social.Request) (view requestView, err error) {
	view = requestView{ID: r.ID, Action: r.Action, AgentName: r.AgentName, KeyName: r.KeyName, KeyPrefix: r.KeyPrefix, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
	if r.Response == nil {
		view.Draft = r.Publication.DraftID != ""
		view.publicationView, err = s.publication(v, r.Payload)
		if aboutInput(err) { // somebody in the audience can no longer be named
			return view, nil
		}
		return view, err
	}
	view.Reply = &replyPart{Message: r.Response.Message}
	view.JSON = indented(r.Payload)
	st, err := s.Social.GetFeedStory.Call(v.ctx(), v.by, social.FeedStoryIn{ID: r.Response.StoryID})
	if core.As(err).Kind == core.NotFound {
		return view, nil
	}
	view.Reply.To, view.Reply.StoryText = feedOf(st).Author, st.Text
	return view, err
}

// requestAnswer approves or refuses what an agent asks for.
func requestAnswer(s *site, v *visit) error {
	answer := func() (string, error) {
		_, err := s.Social.AnswerRequest.Call(v.ctx(), v.by, social.AnswerRequestIn{ID: v.r.PathValue("id"), Decision: v.form("decision")})
		if v.form("decision") == "refuse" {
			return "/review?done=refused", err
		}
		return "/review?done=request-done", err
	}
	return s.submit(v, nil, answer, func(f Form) error { return s.showReview(v, f) })
}

// countView is the count beside the review inbox, for the script.
type countView struct{ Review int }

func reviewCount(s *site, v *visit) error {
	out, err := s.Social.GetWaiting.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	return s.show(v, http.StatusOK, countView{out.Count})
}

type matchingView struct {
	Frame
	Tab    string
	Paused bool
	Simple bool
}

func matching(s *site, v *visit) error {
	p, err := s.Social.GetPreferences.Call(v.ctx(), v.by, core.None{})
	if err != nil {
		return err
	}
	view := matchingView{Tab: "matching", Paused: p.NetworkPaused, Simple: p.ExperienceMode == "simple"}
	if view.Frame, err = s.frame(v, "Matching", "settings", ""); err != nil {
		return err
	}
	return s.show(v, http.StatusOK, view)
}

func matchingSend(s *site, v *visit) error {
	in := social.UpdatePreferencesIn{ExperienceMode: v.form("mode")}
	if paused := v.form("paused"); paused != "" {
		in.NetworkPaused = new(paused == "yes")
	}
	if _, err := s.Social.UpdatePreferences.Call(v.ctx(), v.by, in); err != nil {
		return err
	}
	return v.seeOther("/settings/matching?done=saved")
}
