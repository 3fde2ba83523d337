package page

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"hearth/app/core"
	"hearth/app/social"
	"hearth/store"
)

func (s *site) storyRoutes() []route {
	return []route{
		{"GET /stories", person, s.showStories, "stories"},
		{"POST /audience", person, s.audienceReach, "audience"},
		{"GET /stories/new", person, s.storyNew, "story_new"},
		{"POST /stories/new", person, s.storyPublish, "story_new"},
		{"POST /stories/preview", person, s.storyPreview, "preview"},
		{"POST /stories/{id}", person, s.posted(s.storyChange), ""},
		{"POST /stories/{id}/seen", person, s.fromInbox(s.posted(s.storySeen)), ""},
		{"GET /stories/{id}/reply", person, s.showStoryReply, "story_reply"},
		{"POST /stories/{id}/reply", person, s.storyReplySend, "story_reply"},
		{"POST /stories/{id}/reply/preview", person, s.storyReplyPreview, "preview"},
	}
}

type feedView struct {
	social.FeedStory
	Author Person
	Until  ending
}

type ownStoryView struct {
	social.OwnedStory
	State   string
	Chosen  *chosenView // nil for an ended Story
	Until   ending
	Matched bool // it has an open search
}

// Line is the beginning of the text, which distinguishes the labels of buttons.
func (v ownStoryView) Line() string { return oneLine(core.OrZero(v.Text), 60) }

type storiesView struct {
	Frame
	Error string
	Feed  []feedView
	Own   []ownStoryView
	Ended []ownStoryView
}

func (s *site) showStories(v *visit) error {
	feed := get(v, s.Social.ListFeed, core.None{})
	view := storiesView{Error: v.filled(Form{}).Error}
	for _, st := range feed.Stories {
		if st.Author.ID != v.by.UserID {
			view.Feed = append(view.Feed, s.feedOf(st))
		}
	}
	s.see(v, view.Feed...)
	own := get(v, s.Social.ListStories, social.ListStoriesIn{Brief: true})
	for _, st := range own.Stories {
		if !st.HumanVisible {
			continue // it belongs to an ask or an offer
		}
		row := s.ownStoryOf(st)
		if row.State == "withdrawn" || row.State == "expired" {
			view.Ended = append(view.Ended, row)
			continue
		}
		audience := get(v, s.Social.GetStoryAudience, core.ByID{ID: st.ID})
		row.Chosen = chosenOf(audience, len(audience.Reach.People))
		view.Own = append(view.Own, row)
	}
	return s.page(v, "Stories", "stories/stories", "", &view)
}

// see marks Stories that a page shows as seen, unless the browser only prepares for the visit.
func (s *site) see(v *visit, shown ...feedView) {
	var ids []string
	for _, st := range shown {
		if st.New {
			ids = append(ids, st.ID)
		}
	}
	if ids != nil && v.r.Header.Get("Sec-Purpose") == "" {
		v.then(func() error {
			_, err := s.Social.SeeStories.Call(v.ctx(), v.by, social.SeeStoriesIn{StoryIDs: ids})
			return err
		})
	}
}

func (s *site) storySeen(v *visit) (string, error) {
	_, err := s.Social.SeeStories.Call(v.ctx(), v.by, social.SeeStoriesIn{StoryIDs: []string{v.id("id")}})
	return "/stories?done=seen", err
}

// reachKnown is reach for an earlier audience: the person may no longer know some of it.
func (s *site) reachKnown(v *visit, a social.Audience) reachView {
	out, err := s.Social.GetReach.Call(v.ctx(), v.by, a)
	if err != nil && aboutInput(err) {
		return reachView{Total: -1}
	}
	v.failed(err)
	return reachOf(out)
}

func (s *site) feedOf(st social.FeedStory) feedView {
	author := face(st.Author.ID, core.OrZero(st.Author.Name), st.Author.AvatarURL)
	return feedView{st, author, s.ending(core.OrZero(st.StoryExpiresAt))}
}

func (s *site) ownStoryOf(st social.OwnedStory) ownStoryView {
	row := ownStoryView{OwnedStory: st, State: st.Status, Until: s.ending(core.OrZero(st.StoryExpiresAt)), Matched: s.searches(st)}
	if row.State == "active" {
		row.State = "shown"
	}
	if row.State != "withdrawn" && row.Until.At <= store.TimeOf(s.Now()) {
		row.State = "expired"
	}
	return row
}

type storyNewView struct {
	Frame
	Form     Form
	Audience audienceView
}

func (s *site) storyNew(v *visit) error {
	form := v.filled(newForm("until", "7d"))
	return s.page(v, "New Story", "stories", "", &storyNewView{Form: form, Audience: s.audience(v, form, "/stories/new")})
}

var storyFields = []string{"text", "audience", "terms"}

func (s *site) storyIn(v *visit) (in social.PublishStoryIn, err error) {
	a, at := audienceOf(v.r.PostForm), s.until(v)
	in = social.PublishStoryIn{Confirm: new(v.form("step") == "publish"), ApprovalGrant: v.form("grant"), Text: v.form("text"), Audience: &a,
		StoryExpiresAt: at}
	if kind := v.form("match"); kind != "" {
		in.Kind = kind
		in.QuietSearch = &social.QuietSearch{Enabled: new(true), ExpiresAt: at}
		terms := strings.Join(lines(v.form("terms")), " ")
		switch {
		case terms == "":
			return in, core.InvalidField("terms", "Write in one sentence what you look for or offer.")
		case utf8.RuneCountInString(terms) > 500:
			return in, core.InvalidField("terms", "terms must be at most 500 characters.")
		case kind == "ask":
			in.Seeks = []string{terms}
		default:
			in.Brings = []string{terms}
		}
	}
	return in, needAudience(a)
}

// storyText replaces the field's wire name in err.
func storyText(err error) error {
	e := core.As(err)
	if err == nil || e.Field != "text" && e.Field != "story.text" {
		return err
	}
	if rest, ok := strings.CutPrefix(e.Msg, e.Field+" "); ok {
		return core.InvalidField("text", "The Story %s", rest)
	}
	return err
}

func (s *site) storyPreview(v *visit) error {
	v.template = "story_new"
	in, err := s.storyIn(v)
	var out social.PublishOut
	if err == nil {
		out, err = s.Social.PublishStory.Call(v.ctx(), v.by, in)
	}
	if err != nil {
		return s.refuse(v, storyText(err), storyFields...)
	}
	view := previewView{Heading: "Preview of your Story", Lede: "This is what others will see. Nothing is published yet.",
		Action: "/stories/new", Confirm: "Publish this Story", Back: "/stories", BackLabel: "Stories"}
	return s.showPublication(v, "stories", core.OrZero(out.Preview), in.StoryExpiresAt, view)
}

func (s *site) storyPublish(v *visit) error {
	if v.form("step") != "publish" {
		return s.showAgain(v)
	}
	return s.submit(v, func() (string, error) {
		in, err := s.storyIn(v)
		if err == nil {
			_, err = once(v, v.repeat(in.ApprovalGrant), s.Social.PublishStory, in)
		}
		return "/stories?done=story-shown", stale(storyText(err))
	}, storyFields...)
}

func (s *site) storyChange(v *visit) (string, error) {
	in := social.UpdateStoryIn{ID: v.id("id")}
	done, at := map[string]string{"pause": "paused", "resume": "resumed", "extend": "extended", "until": "undone",
		"withdraw": "ended-story"}[v.form("act")], in.ID
	switch done {
	case "paused":
		in.Status = "paused"
	case "ended-story":
		in.Status = "withdrawn"
	case "resumed":
		in.Status = "active"
	case "extended":
		if was := s.extend(v, &in); was != 0 {
			at += "&was=" + url.QueryEscape(was.String())
		}
	case "undone":
		if in.StoryExpiresAt = s.until(v); in.StoryExpiresAt != nil {
			in.Ends = in.StoryExpiresAt.Add(lasts["7d"]) // the link may show another end
		}
	default:
		return "", core.InvalidField("act", "Press one of the buttons of the Story.")
	}
	if v.template = v.form("back"); v.template != "asks" && v.template != "inbox" {
		v.template = "stories"
	}
	out, err := s.Social.UpdateStory.Call(v.ctx(), v.by, in)
	if err != nil {
		return "", overMeanwhile(v, err)
	}
	switch search := s.searches(out.Story); {
	case done == "extended" && out.Story.Status == "paused":
		done = "extended-wait"
	case done == "paused" && search:
		done = "paused-search"
	case done == "ended-story" && search:
		done = "ended-search"
	}
	if done == "resumed" && v.form("back") == "asks" {
		return v.backTo("/asks", "resumed-ask", ""), nil
	}
	return v.backTo("/stories", done, at), nil
}

// overMeanwhile describes that what the person resumes has ended.
func overMeanwhile(v *visit, err error) error {
	switch e := core.As(err); {
	case e.Field != "storyExpiresAt" || v.form("act") != "resume":
		return err
	case v.form("back") == "asks":
		return core.New(core.Conflict, "expired", "It has ended meanwhile, so it cannot be resumed. Publish it again instead.")
	}
	return core.New(core.Conflict, "expired",
		"It has ended meanwhile, so it cannot be shown again as it is. Show it for another week instead.")
}

// searches reports whether a visible Story also has a search. A search that was approved separately continues
// without the Story.
func (s *site) searches(st social.OwnedStory) bool {
	return st.HumanVisible && st.AgentSearchEnabled && st.SearchExpiresAt > store.TimeOf(s.Now())
}

// extend adds a week to the end that the form's page showed, or to now if that has passed. It never shortens.
// It returns the shown end, or 0 if it has passed.
func (s *site) extend(v *visit, in *social.UpdateStoryIn) (was store.Time) {
	now := store.TimeOf(s.Now())
	was, err := store.ParseTime(v.form("was"))
	if err != nil || was <= now {
		was = 0
	}
	until := max(was, now).Add(lasts["7d"])
	in.StoryExpiresAt, in.NotSooner = &until, true
	return was
}

type storyReplyView struct {
	Frame
	Story feedView
	Form  Form
}

func (s *site) feedStory(v *visit) (feedView, error) {
	out, err := s.Social.GetFeedStory.Call(v.ctx(), v.by, core.ByID{ID: v.id("id")})
	return s.feedOf(out), err
}

func (s *site) showStoryReply(v *visit) error {
	view := storyReplyView{Form: v.filled(Form{}), Story: loaded(v, s.feedStory)}
	s.see(v, view.Story)
	return s.page(v, "Reply to a Story", "stories", "", &view)
}

func replyIn(v *visit, id string) social.RespondStoryIn {
	return social.RespondStoryIn{ID: id, Message: v.form("message"), Confirm: new(v.form("step") == "send"), ApprovalGrant: v.form("grant")}
}

func (s *site) storyReplyPreview(v *visit) error {
	v.template = "story_reply"
	st, err := s.feedStory(v)
	if err != nil {
		return err
	}
	out, err := s.Social.RespondStory.Call(v.ctx(), v.by, replyIn(v, st.ID))
	if err != nil {
		return s.refuse(v, err, "message")
	}
	view := previewView{Heading: "Preview of your reply", Lede: "Nothing is sent yet.", Action: "/stories/" + st.ID + "/reply",
		Confirm: "Send to " + st.Author.Name, Step: "send", Back: "/stories", BackLabel: "Stories",
		Hidden: hiddenOf(v.r.PostForm, "grant", core.OrZero(out.Preview).ApprovalGrant)}
	view.Reply, view.Follows = &replyPart{To: st.Author, StoryText: st.Text, Message: v.form("message")}, followsReply
	return s.showPreview(v, "stories", view)
}

func (s *site) storyReplySend(v *visit) error {
	if v.form("step") != "send" {
		return s.showAgain(v)
	}
	return s.submit(v, func() (string, error) {
		in := replyIn(v, v.id("id"))
		out, err := once(v, v.repeat(in.ApprovalGrant), s.Social.RespondStory, in)
		return "/chat/" + out.ConversationID, stale(err)
	}, "message")
}
