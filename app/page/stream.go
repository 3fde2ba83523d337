package page

import (
	"net/url"
	"sort"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

type entryView struct {
	ID, Text, Line string // Line is shown for a collapsed entry
	Author         string
	AuthorURL      string // "" for the viewer's own entry
	Kind, Status   string
	Tags           []tagView
	CreatedAt      store.Time
	Private        bool // visible only to the viewer
	Shared         bool // one of the viewer's notes that others see
	Pinned         bool
	Collapsed      bool
	MessageURL     string // the captured message
	EditURL        string
	PinURL         string
	UnpinURL       string
	CollapseURL    string
	CanUnpin       bool
}

type tagView struct{ Tag, URL string }

type streamView struct {
	URL     string
	AddURL  string
	Tag     string
	Entries []entryView
	Older   string
	Form    Form
	Page    bool // on its own page, not beside the messages
	Alone   bool // the viewer is the only member
}

type chatStreamView struct {
	Frame
	columnView
	Head   headView
	Stream streamView
}

const streamSize = 30

func (s *site) streamOf(v *visit, c chat.Conversation) (view streamView) {
	if isSelf(c) {
		return s.notesOf(v)
	}
	in := lane.ListStreamIn{ConversationID: c.ID, Tag: oneLine(v.query("tag"), 51), Limit: streamSize, Before: v.moment("until")}
	out := get(v, s.Lane.ListStream, in)
	page := "/chat/" + c.ID + "/stream"
	view = streamView{URL: page, AddURL: page, Tag: in.Tag, Alone: c.ParticipantCount == 1}
	owner := c.Type == "group" && isOwner(c, v.by.UserID)
	view.Entries = core.Map(out.Entries, func(e lane.StreamEntry) entryView { return entryOf(e, page, v.by.UserID, owner) })
	if out.HasMore {
		view.Older = withQuery(page, "until="+url.QueryEscape(out.Entries[len(out.Entries)-1].CreatedAt.String()), tagQuery(in.Tag))
	}
	return view
}

// isSelf reports whether a conversation is that of the viewer with themselves, which is part of My notes.
func isSelf(c chat.Conversation) bool { return c.Type == "direct" && c.ParticipantCount == 1 }

func isOwner(c chat.Conversation, userID string) bool {
	for _, p := range c.Participants {
		if p.User.ID == userID {
			return p.Role == "owner"
		}
	}
	return false
}

func tagQuery(tag string) string {
	if tag == "" {
		return ""
	}
	return "tag=" + url.QueryEscape(tag)
}

func entryOf(e lane.StreamEntry, page, me string, owner bool) entryView {
	view := entryView{ID: e.ID, Text: e.Text, Kind: e.Kind, Status: e.Status, Line: oneLine(e.Text, 80), Author: e.AuthorName,
		CreatedAt: e.CreatedAt, Private: e.Visibility == "private", Pinned: e.Pinned, Collapsed: e.Collapsed}
	for _, tag := range e.Tags {
		view.Tags = append(view.Tags, tagView{tag, withQuery(page, tagQuery(tag))})
	}
	if own := e.AuthorID == me; own {
		view.Author, view.EditURL = "You", "/thoughts/"+e.ID
	} else {
		view.AuthorURL = Person{ID: e.AuthorID}.Profile()
	}
	view.MessageURL = sourceOf(e.SourceConversationID, e.SourceMessageID)
	action := page + "/" + e.ID
	view.PinURL, view.UnpinURL, view.CollapseURL = action+"/pin", action+"/unpin", action+"/collapsed"
	view.CanUnpin = e.Pinned && (owner || e.AuthorID == me || core.OrZero(e.PinnedBy) == me)
	return view
}

func messagePlace(conversationID, id string) string {
	return "/chat/" + conversationID + "?at=" + id + "#m-" + id
}

// sourceOf returns the message that a thought was captured from, or "".
func sourceOf(conversationID, id *string) string {
	if conversationID == nil || id == nil {
		return ""
	}
	return messagePlace(*conversationID, *id)
}

func (s *site) showStream(v *visit) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	if isSelf(c) {
		return v.seeOther("/thoughts")
	}
	view := chatStreamView{Head: s.headIn(c, v.by.UserID, "stream")}
	view.Head.Back, view.Head.BackLabel, view.Head.StreamURL = "/chat/"+id, "Back to the conversation", ""
	view.Stream = s.streamOf(v, c)
	view.Stream.Page, view.Stream.Form = true, v.filled(Form{})
	view.columnView = s.column(v, id)
	return s.page(v, "Notes of "+view.Head.Title, "chat", "chat", &view)
}

func (s *site) streamAdd(v *visit) (string, error) {
	id := v.id("id")
	t, err := s.Lane.CreateThought.Call(v.ctx(), v.by, lane.CreateThoughtIn{Text: v.form("text"), SourceConversationID: id})
	if err == nil && v.form("share") != "" {
		_, err = s.Lane.PinThought.Call(v.ctx(), v.by, lane.PinThoughtIn{ID: t.ID, ConversationID: id})
	}
	return "/chat/" + id + "/stream?done=saved", err
}

func (s *site) thoughtRoutes() []route {
	return []route{
		{"GET /thoughts", person, s.showThoughts, "thoughts"},
		{"POST /thoughts", person, act(s, s.Lane.CreateThought, "/thoughts?done=saved", "text"), "thoughts"},
		{"GET /thoughts/{id}", person, s.showThought, "thought"},
		{"POST /thoughts/{id}", person, edit(s, via(s.Lane.GetThought), storedThought, s.Lane.UpdateThought, "/thoughts?done=saved",
			func(v *visit, in *lane.UpdateThoughtIn) { in.Tags.V = strings.Fields(v.form("tags")) }), "thought"},
		{"POST /thoughts/{id}/delete", person, sure("/thoughts/{id}", act(s, s.Lane.DeleteThought, "/thoughts?done=deleted")), ""},
		{"POST /thoughts/{id}/pin", person, s.posted(s.thoughtPin), "thought"},
	}
}

type thoughtView struct {
	ID, Text   string
	MessageURL string // the captured message
	Captured   bool
}

type thoughtsView struct {
	Frame
	Form         Form
	Kind, Status string
	Stream       streamView
}

type thoughtPageView struct {
	Frame
	Thought thoughtView
	Form    Form
	Pins    []pinView
	Others  []pinView // conversations to pin it to
}

type pinView struct{ ID, Title string }

func thoughtOf(t lane.Thought) thoughtView {
	return thoughtView{ID: t.ID, Text: t.Text, Captured: t.Captured, MessageURL: sourceOf(t.SourceConversationID, t.SourceMessageID)}
}

func noteOf(t lane.Thought) entryView {
	view := entryView{ID: t.ID, Text: t.Text, Kind: t.Kind, Status: t.Status, CreatedAt: t.CreatedAt, EditURL: "/thoughts/" + t.ID,
		Shared: t.Captured || len(t.PinnedIn) > 0, MessageURL: sourceOf(t.SourceConversationID, t.SourceMessageID)}
	view.Private = !view.Shared
	for _, tag := range t.Tags {
		view.Tags = append(view.Tags, tagView{tag, "/thoughts?" + tagQuery(tag)})
	}
	return view
}

func (s *site) showThoughts(v *visit) error {
	view := thoughtsView{Form: v.filled(Form{}), Kind: v.query("kind"), Status: v.query("status"), Stream: s.notesOf(v)}
	return s.page(v, "My notes", "thoughts", "", &view)
}

// notesOf returns the notes of the viewer that a page asks for.
func (s *site) notesOf(v *visit) streamView {
	view := streamView{URL: "/thoughts", Tag: oneLine(v.query("tag"), 51)}
	in := lane.ListThoughtsIn{Tag: view.Tag, Kind: v.query("kind"), Status: v.query("status"), Limit: 50, Before: v.moment("until")}
	out := get(v, s.Lane.ListThoughts, in)
	view.Entries = core.Map(out.Thoughts, noteOf)
	if out.HasMore {
		q := url.Values{"until": {out.Thoughts[len(out.Thoughts)-1].CreatedAt.String()}}
		for name, value := range map[string]string{"tag": in.Tag, "kind": in.Kind, "status": in.Status} {
			if value != "" {
				q.Set(name, value)
			}
		}
		view.Older = "/thoughts?" + q.Encode()
	}
	return view
}

func (s *site) showThought(v *visit) error {
	t := read(v, s.Lane.GetThought)
	form := storedThought(t)
	form.Error = v.filledAt("/pin", form).Error
	view := thoughtPageView{Thought: thoughtOf(t), Form: v.filledAt("/thoughts/{id}", form)}
	view.Pins, view.Others = s.pinViews(v, t)
	return s.page(v, "Note", "thoughts", "", &view)
}

func (s *site) pinViews(v *visit, t lane.Thought) (pins, others []pinView) {
	titles := s.titles(v, t.PinnedIn)
	for id, title := range titles {
		pins = append(pins, pinView{id, title})
	}
	sort.Slice(pins, func(i, j int) bool { return pins[i].Title < pins[j].Title })
	all := get(v, s.Chat.ListConversations, chat.ListConversationsIn{Limit: rowsShown})
	for _, c := range all.Items {
		if title, _ := nameOf(c, v.by.UserID); titles[c.ID] == "" {
			others = append(others, pinView{c.ID, title})
		}
	}
	return pins, others
}

// storedThought returns the form of a thought. A captured message has no text of its own.
func storedThought(t lane.Thought) Form {
	f := newForm("kind", t.Kind, "status", t.Status, "tags", strings.Join(t.Tags, " "))
	if !t.Captured {
		f.Values.Set("text", t.Text)
	}
	return f
}

func (s *site) thoughtPin(v *visit) (string, error) {
	var err error
	if from := v.form("unpin"); from == "" {
		_, err = send(v, s.Lane.PinThought)
	} else if !store.ValidID(from) {
		err = core.ErrNotFound
	} else {
		_, err = send(v, s.Lane.UnpinThought, func(in *lane.UnpinThoughtIn) { in.ConversationID = from })
	}
	return v.address("/thoughts/{id}?done=saved"), err
}
