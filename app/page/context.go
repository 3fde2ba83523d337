package page

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/app/op"
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
	SelfRead   bool // nobody but the author reads a report about the post
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

// laneOf returns a lane. named is a post that it shows in any case.
func (s *site) laneOf(v *visit, c chat.Conversation, named string) (view laneView) {
	page := "/chat/" + c.ID + "/context"
	view = laneView{URL: page, EventsURL: "/api/chat/conversations/" + c.ID + "/context/events", Search: oneLine(v.query("q"), 200),
		SendID: store.NewID()}
	if view.Filter = v.query("show"); view.Filter != "all" && view.Filter != "stream" {
		view.Filter = "context"
	}
	out := get(v, s.Lane.ListContent, lane.ListContentIn{ConversationID: c.ID, Filter: view.Filter, Search: view.Search, Limit: laneSize,
		Cursor: v.query("cursor")})
	listed := len(out.Items)
	out.Items = s.withPost(v, out.Items, c.ID, named)
	asked, self := s.askedOf(v, out.Items), get(v, s.People.ListSelfReaders, core.None{})
	owner := c.Type == "group" && isOwner(c, v.by.UserID)
	for _, item := range out.Items {
		shown := laneItemOf(v, item, page, owner, asked)
		shown.SelfRead = item.Context != nil && slices.Contains(self, item.Context.AuthorID)
		view.Items = append(view.Items, shown)
	}
	if len(out.Items) > listed {
		view.Items[0].Apart = true
	}
	if out.NextCursor != "" {
		view.Older = withQuery(page, view.query(), "cursor="+url.QueryEscape(out.NextCursor))
	}
	view.Reply = s.laneReply(v, c.ID, cmp.Or(v.form("replyToId"), v.query("reply")))
	return view
}

func (s *site) withPost(v *visit, items []lane.ConversationContentItem, conversationID, id string) []lane.ConversationContentItem {
	if slices.ContainsFunc(items, func(i lane.ConversationContentItem) bool { return i.ID == id }) {
		return items
	}
	p := s.postOf(v, conversationID, id)
	if p == nil {
		return items
	}
	return append([]lane.ConversationContentItem{{ID: p.ID, CreatedAt: p.CreatedAt, Context: p}}, items...)
}

// postOf returns a post, or nil if there is none with that id.
func (s *site) postOf(v *visit, conversationID, id string) *lane.ContextPostProjection {
	if !store.ValidID(id) {
		return nil
	}
	p, err := s.Lane.GetContextPost.Call(v.ctx(), v.by, lane.ContextPostIn{ConversationID: conversationID, PostID: id})
	if core.IsKind(err, core.NotFound) {
		return nil
	}
	v.failed(err)
	return &p
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
	p := s.postOf(v, conversationID, id)
	if p == nil || p.IsDeleted {
		return nil
	}
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

func laneItemOf(v *visit, item lane.ConversationContentItem, page string, owner bool, asked map[string]*lane.Asked) laneItem {
	if item.Thought != nil {
		e := entryOf(lane.StreamEntry{ConversationStreamEntry: *item.Thought, Visibility: item.Visibility, Provenance: item.Provenance}, page,
			v.by.UserID, owner)
		return laneItem{ID: item.ID, Entry: &e}
	}
	p := item.Context
	out := laneItem{
		ID: p.ID, Text: p.Text, Author: p.Author.Name, CreatedAt: p.CreatedAt, Deleted: p.IsDeleted, Edited: p.Revision > 1 && !p.IsDeleted,
		Revision: p.Revision, Own: p.AuthorID == v.by.UserID, Asked: asked[p.ID], ContextURL: page, ActionURL: page + "/" + p.ID,
		EditURL: page + "?edit=" + p.ID + "#c-" + p.ID, ReplyURL: page + "?reply=" + p.ID, DeleteURL: page + "?delete=" + p.ID + "#c-" + p.ID,
		RequestID: "t" + p.ID,
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
	out.editing(v)
	return out
}

// editsPost reports whether the visit's form edits a post.
func (v *visit) editsPost() bool { return strings.HasSuffix(v.r.Pattern, "/context/{postId}/edit") }

// editing adds the edit form of a post, if it is being edited.
func (i *laneItem) editing(v *visit) {
	switch {
	case !i.Own || i.Deleted:
	case v.editsPost() && v.id("postId") == i.ID:
		i.Edit = new(v.filled(Form{}))
		if i.Conflict = v.form("revision") != strconv.Itoa(i.Revision); i.Conflict {
			i.Now = i.Text
		}
	case v.query("edit") == i.ID:
		i.Edit = new(newForm("text", i.Text))
	}
	if i.Edit != nil {
		i.Edit.Prefix = "edit-" + i.ID + "-"
	}
}

// showLane shows the Context lane on its own page.
func (s *site) showLane(v *visit) error {
	id := v.id("id")
	if err := s.Lane.Enabled(); err != nil {
		return err
	}
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := chatContextView{Head: s.headIn(c, v.by.UserID, "context")}
	view.Head.Back, view.Head.BackLabel = "/chat/"+id, "Back to the conversation"
	view.Lane = s.laneOf(v, c, cmp.Or(v.id("postId"), v.query("edit"), v.query("delete"), v.query("at")))
	view.Lane.Page = true
	if !v.editsPost() {
		view.Lane.Form = v.filled(Form{})
		view.Lane.Error = view.Lane.Form.Error
	}
	view.columnView = s.column(v, id)
	err := s.page(v, "Context of "+view.Head.Title, "chat", "chat", &view)
	view.Lane.Done = view.Frame.Done
	return err
}

// onPost returns the handler of a form of the lane, which returns to the post that f names.
func (s *site) onPost(f func(*visit) (post, done string, err error), fields ...string) func(*visit) error {
	return s.posted(func(v *visit) (string, error) {
		post, done, err := f(v)
		switch e := core.As(err); e.Code {
		case "request_id_in_use":
			err = core.New(core.Conflict, "posted_before", "A post was made with this form already. If the text here is a new post, post it again.")
		case "revision_mismatch":
			err = core.New(core.Conflict, e.Code, "Nothing was done: this was changed meanwhile. Look at it as it is now, and try again.")
		}
		if done != "" {
			done = "&done=" + done
		}
		return v.address("/chat/{id}/context?at=") + post + done + "#c-" + post, err
	}, fields...)
}

// actOnPost is act for a post of the lane.
func actOnPost[In, Out any](s *site, f *op.Func[In, Out], done string) func(*visit) error {
	return s.onPost(func(v *visit) (string, string, error) {
		_, err := send(v, f)
		return v.id("postId"), done, err
	})
}

func (s *site) contextPost(v *visit) (post, done string, err error) {
	p, err := send(v, s.Lane.CreateContextPost, func(in *lane.CreateContextPostIn) { in.ClientRequestID = v.form("id") })
	return p.ID, "", err
}

func (s *site) contextEdit(v *visit) (post, done string, err error) {
	_, err = send(v, s.Lane.UpdateContextPost, func(in *lane.UpdateContextPostIn) { in.ExpectedRevision = v.revision() })
	if core.As(err).Code == "revision_mismatch" {
		if p, e := send(v, s.Lane.GetContextPost); e == nil && p.IsDeleted {
			err = core.ErrNotFound
		}
	}
	return v.id("postId"), "", err
}

func (v *visit) revision() *int {
	revision, _ := strconv.Atoi(v.form("revision"))
	return new(max(revision, 1))
}

func (s *site) contextTrack(v *visit) (post, done string, err error) {
	if intent := v.form("intent"); intent != "" {
		_, err = s.Lane.UpdateIntention.Call(v.ctx(), v.by, lane.UpdateIntentionIn{ID: intent, ExpectedRevision: v.revision(),
			LifecycleState: v.form("state")})
	} else {
		_, err = send(v, s.Lane.TrackIntention, func(in *lane.TrackIntentionIn) {
			in.SourceRevision, in.ClientRequestID = v.revision(), v.form("id")
		})
	}
	return v.id("postId"), "", err
}
