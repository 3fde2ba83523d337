package page

import (
	"net/url"
	"slices"
	"strconv"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

type laneView struct {
	URL       string
	EventsURL string
	Filter    string // context, all, stream
	Search    string
	Items     []laneItem
	Older     string
	Form      Form
	SendID    string
	Reply     *laneParent
	ReplyID   string
	Page      bool // on its own page, not beside the messages
	Error     string
	Done      string
}

type laneItem struct {
	ID, Text  string
	Author    string
	AuthorURL string // "" for the viewer's own post
	AgentName string
	Kind      string // ask, offer
	CreatedAt store.Time
	Edited    bool
	Deleted   bool
	Parent    *laneParent
	Entry     *entryView // an entry of the Stream; then the other fields are empty

	State      string
	Changed    bool   // changed since it is tracked
	IntentID   string // of the viewer's own intent
	Intention  int
	Asked      *lane.Asked
	Own        bool
	CanDelete  bool
	CanTrack   bool
	Revision   int
	ActionURL  string
	EditURL    string
	ReplyURL   string
	DeleteURL  string
	Edit       *Form
	Now        string
	Conflict   bool // changed meanwhile: Now is the current state
	Deleting   bool
	Apart      bool // above the other posts, not among them
	RequestID  string
	ContextURL string
}

type laneParent struct{ ID, Author, Text string }

type chatContextView struct {
	Frame
	columnView
	Head headView
	Lane laneView
}

const (
	laneSize  = 30
	laneTerms = 80 // characters of a quoted parent
)

type laneForm struct {
	Form
	post string // the edited post; "" for a new one
	now  *lane.ContextPostProjection

	named string // named by the address
}

func (s *site) laneOf(v *visit, c chat.Conversation, form laneForm) (view laneView) {
	page := "/chat/" + c.ID + "/context"
	view = laneView{URL: page, EventsURL: "/api/chat/conversations/" + c.ID + "/context/events", Search: oneLine(v.query("q"), 200),
		SendID: store.NewID()}
	if view.Filter = v.query("show"); view.Filter != "all" && view.Filter != "stream" {
		view.Filter = "context"
	}
	in := lane.ListContentIn{ConversationID: c.ID, Filter: view.Filter, Search: view.Search, Limit: laneSize, Cursor: v.query("cursor")}
	out, err := s.Lane.ListContent.Call(v.ctx(), v.by, in)
	if core.IsKind(err, core.Invalid) { // a truncated address
		in.Cursor = ""
		out, err = s.Lane.ListContent.Call(v.ctx(), v.by, in)
	}
	v.failed(err)
	listed := len(out.Items)
	out.Items = s.withPost(v, out.Items, c.ID, form.named)
	asked := s.askedOf(v, out.Items)
	owner := c.Type == "group" && isOwner(c, v.by.UserID)
	for _, item := range out.Items {
		view.Items = append(view.Items, laneItemOf(v, item, page, owner, asked, form))
	}
	if len(out.Items) > listed {
		view.Items[0].Apart = true
	}
	if out.NextCursor != "" {
		view.Older = withQuery(page, view.query(), "cursor="+url.QueryEscape(out.NextCursor))
	}
	if form.post == "" {
		view.Form, view.Error = form.Form, form.Error
	}
	view.ReplyID = firstOf(v.form("replyToId"), v.query("reply"))
	view.Reply = s.laneReply(v, c.ID, view.ReplyID)
	if view.Reply == nil {
		view.ReplyID = ""
	}
	return view
}

func (s *site) withPost(v *visit, items []lane.ConversationContentItem, conversationID, id string) []lane.ConversationContentItem {
	if !store.ValidID(id) || slices.ContainsFunc(items, func(i lane.ConversationContentItem) bool { return i.ID == id }) {
		return items
	}
	p, err := s.Lane.GetContextPost.Call(v.ctx(), v.by, lane.ContextPostIn{ConversationID: conversationID, PostID: id})
	if core.IsKind(err, core.NotFound) {
		return items
	}
	v.failed(err)
	return append([]lane.ConversationContentItem{{ID: p.ID, CreatedAt: p.CreatedAt, Context: &p}}, items...)
}

func (l *laneView) query() string {
	q := url.Values{}
	if l.Filter != "context" {
		q.Set("show", l.Filter)
	}
	if l.Search != "" {
		q.Set("q", l.Search)
	}
	return q.Encode()
}

func (s *site) laneReply(v *visit, conversationID, id string) *laneParent {
	if !store.ValidID(id) {
		return nil
	}
	p, err := s.Lane.GetContextPost.Call(v.ctx(), v.by, lane.ContextPostIn{ConversationID: conversationID, PostID: id})
	if core.IsKind(err, core.NotFound) || err == nil && p.IsDeleted {
		return nil
	}
	v.failed(err)
	return &laneParent{p.ID, p.Author.Name, oneLine(p.Text, laneTerms)}
}

// askedOf returns, by post, the number of agents that the person asked.
func (s *site) askedOf(v *visit, items []lane.ConversationContentItem) map[string]*lane.Asked {
	var in lane.ListAskedIn
	for _, item := range items {
		if item.Context != nil {
			in.PostIDs = append(in.PostIDs, item.ID)
		}
	}
	asked := get(v, s.Lane.ListAsked, in)
	out := map[string]*lane.Asked{}
	for i := range asked {
		out[asked[i].PostID] = &asked[i]
	}
	return out
}

func laneItemOf(v *visit, item lane.ConversationContentItem, page string, owner bool, asked map[string]*lane.Asked,
	form laneForm) laneItem {
	if item.Thought != nil {
		e := entryOf(lane.StreamEntry{ConversationStreamEntry: *item.Thought, Visibility: item.Visibility, Provenance: item.Provenance}, page,
			v.by.UserID, owner)
		return laneItem{ID: item.ID, Entry: &e}
	}
	p := item.Context
	out := laneItem{
		ID: p.ID, Text: p.Text, Author: p.Author.Name, CreatedAt: p.CreatedAt, Deleted: p.IsDeleted, Edited: p.Revision > 1 && !p.IsDeleted,
		Revision: p.Revision,
		Own:      p.AuthorID == v.by.UserID, Asked: asked[p.ID], ActionURL: page + "/" + p.ID,
		EditURL: page + "?edit=" + p.ID + "#c-" + p.ID, ReplyURL: page + "?reply=" + p.ID, DeleteURL: page + "?delete=" + p.ID + "#c-" + p.ID,
		ContextURL: page,
	}
	if out.Own {
		out.Author = "You"
	} else {
		out.AuthorURL = v.profile(p.AuthorID)
	}
	out.CanDelete = !p.IsDeleted && (out.Own || owner)
	if p.Agent != nil {
		out.AgentName = p.Agent.Name
	}
	if p.Kind != "note" {
		out.Kind = p.Kind
	}
	if q := p.ReplyTo; q != nil {
		out.Parent = &laneParent{q.ID, q.Author.Name, oneLine(q.Text, laneTerms)}
	}
	out.CanTrack = out.Own && out.Kind != "" && !p.IsDeleted && p.Intention == nil
	if n := p.Intention; n != nil {
		out.State, out.Changed = n.LifecycleState, n.SourceChanged
		if out.Own {
			out.IntentID, out.Intention = n.IntentID, n.Revision
		}
	}
	out.Deleting = out.CanDelete && v.query("delete") == p.ID
	out.RequestID = "t" + p.ID
	out.editing(v, form)
	return out
}

// editing adds the edit form of a post, if it is being edited.
func (i *laneItem) editing(v *visit, form laneForm) {
	switch {
	case !i.Own || i.Deleted:
	case form.post == i.ID:
		f := form.Form
		i.Edit = &f
		if form.now != nil {
			i.Conflict, i.Now, i.Revision = true, form.now.Text, form.now.Revision
		}
	case v.query("edit") == i.ID:
		i.Edit = new(newForm("text", i.Text))
	}
	if i.Edit != nil {
		i.Edit.Prefix = "edit-" + i.ID + "-"
	}
}

// showLane shows the Context lane on its own page.
func (s *site) showLane(v *visit, form laneForm) error {
	v.template = "chat_context"
	id := v.id("id")
	if err := s.Lane.Enabled(); err != nil {
		return err
	}
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := chatContextView{Head: s.headIn(c, v.by.UserID, "context")}
	view.Head.Back, view.Head.BackLabel = "/chat/"+id, "Back to the conversation"
	form.named = firstOf(v.r.PathValue("post"), v.query("edit"), v.query("delete"), v.query("at"))
	view.Lane = s.laneOf(v, c, form)
	view.Lane.Page = true
	view.Frame = s.frame(v, "Context of "+view.Head.Title, "chat", "chat")
	view.Lane.Done = view.Frame.Done
	view.columnView = s.column(v, id)
	return s.show(v, form.status(), view)
}

var errPostedBefore = core.New(core.Conflict, "posted_before",
	"A post was made with this form already. Post again what is here now if it is another one.")

var errLaneChanged = core.New(core.Conflict, "revision_mismatch",
	"Nothing was done: this was changed meanwhile. Look at it as it is now, and try again.")

// laneAct runs a form of the lane and returns to the post that it was about.
func (s *site) laneAct(v *visit, fields []string, post string, act func(conversationID string) (at, done string, err error)) error {
	id := v.id("id")
	run := func() (string, error) {
		at, done, err := act(id)
		next := "/chat/" + id + "/context"
		if done != "" {
			done = "&done=" + done
		}
		if at != "" {
			next += "?at=" + at + done + "#c-" + at
		}
		return next, err
	}
	next, err := run()
	if err == nil {
		return v.seeOther(next)
	}
	form := laneForm{post: post}
	switch core.As(err).Code {
	case "request_id_in_use":
		err = errPostedBefore
	case "revision_mismatch":
		if form.now = currentPost(core.As(err)); post != "" && form.now != nil && form.now.IsDeleted {
			return core.ErrNotFound
		}
		err = errLaneChanged
	}
	return s.refuse(v, fields, err, func(f Form) error {
		form.Form = f
		return s.showLane(v, form)
	})
}

func contextPost(s *site, v *visit) error {
	return s.laneAct(v, []string{"text"}, "", func(id string) (string, string, error) {
		p, err := s.Lane.CreateContextPost.Call(v.ctx(), v.by, lane.CreateContextPostIn{
			ConversationID: id, Text: v.form("text"), Kind: v.form("kind"), ReplyToID: v.form("replyToId"), ClientRequestID: v.form("id"),
		})
		return p.ID, "", err
	})
}

func (s *site) postAct(v *visit, fields []string, edits bool, act func(in lane.ContextPostIn) (done string, err error)) error {
	post := v.id("post")
	edited := ""
	if edits {
		edited = post
	}
	return s.laneAct(v, fields, edited, func(id string) (string, string, error) {
		done, err := act(lane.ContextPostIn{ConversationID: id, PostID: post})
		return post, done, err
	})
}

func contextEdit(s *site, v *visit) error {
	return s.postAct(v, []string{"text"}, true, func(in lane.ContextPostIn) (string, error) {
		revision, _ := strconv.Atoi(v.form("revision"))
		_, err := s.Lane.UpdateContextPost.Call(v.ctx(), v.by, lane.UpdateContextPostIn{
			ConversationID: in.ConversationID, PostID: in.PostID, Text: v.form("text"), ExpectedRevision: new(max(revision, 1)),
		})
		return "", err
	})
}

func contextDelete(s *site, v *visit) error {
	return s.postAct(v, nil, false, func(in lane.ContextPostIn) (string, error) {
		_, err := s.Lane.DeleteContextPost.Call(v.ctx(), v.by, in)
		return "", err
	})
}

func contextAsk(s *site, v *visit) error {
	return s.postAct(v, nil, false, func(in lane.ContextPostIn) (string, error) {
		_, err := s.Lane.AskAgents.Call(v.ctx(), v.by, in)
		return "agents-asked", err
	})
}

func contextReport(s *site, v *visit) error {
	return s.postAct(v, nil, false, func(in lane.ContextPostIn) (string, error) {
		_, err := s.Lane.ReportContextPost.Call(v.ctx(), v.by, lane.ReportContextPostIn{ConversationID: in.ConversationID, PostID: in.PostID,
			Reason: v.form("reason")})
		return "reported", err
	})
}

func contextTrack(s *site, v *visit) error {
	return s.postAct(v, nil, false, func(in lane.ContextPostIn) (string, error) {
		revision, _ := strconv.Atoi(v.form("revision"))
		expected := max(revision, 1)
		if intent := v.form("intent"); intent != "" {
			_, err := s.Lane.UpdateIntention.Call(v.ctx(), v.by, lane.UpdateIntentionIn{ID: intent, ExpectedRevision: &expected,
				LifecycleState: v.form("state")})
			return "", err
		}
		_, err := s.Lane.TrackIntention.Call(v.ctx(), v.by, lane.TrackIntentionIn{
			ConversationID: in.ConversationID, PostID: in.PostID, SourceRevision: &expected, ClientRequestID: v.form("id"),
		})
		return "", err
	})
}
