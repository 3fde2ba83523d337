package page

import (
	"net/url"

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
	view := entryView{ID: e.ID, Text: e.Text, Line: oneLine(e.Text, 80), Author: e.AuthorName, CreatedAt: e.CreatedAt,
		Private: e.Visibility == "private", Pinned: e.Pinned, Collapsed: e.Collapsed}
	view.Kind, view.Status = shownKind(e.Kind), shownStatus(e.Status)
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

// shownKind returns the label of a kind of thought, "" for the default.
func shownKind(kind string) string {
	if kind == "observation" {
		return ""
	}
	return kind
}

func shownStatus(status string) string {
	if status == "none" {
		return ""
	}
	return status
}

func (s *site) showStream(v *visit) error {
	id := v.id("id")
	c := get(v, s.Chat.GetConversation, core.ByID{ID: id})
	view := chatStreamView{Head: s.headIn(c, v.by.UserID, "stream")}
	view.Head.Back, view.Head.BackLabel, view.Head.StreamURL = "/chat/"+id, "Back to the conversation", ""
	view.Stream = s.streamOf(v, c)
	view.Stream.Page, view.Stream.Form = true, v.filled(Form{})
	view.columnView = s.column(v, id)
	return s.page(v, "Stream of "+view.Head.Title, "chat", "chat", &view)
}

func (s *site) streamAdd(v *visit) error {
	id := v.id("id")
	return s.submit(v, func() (string, error) {
		t, err := s.Lane.CreateThought.Call(v.ctx(), v.by, lane.CreateThoughtIn{Text: v.form("text"), SourceConversationID: id})
		if err == nil && v.form("share") != "" {
			_, err = s.Lane.PinThought.Call(v.ctx(), v.by, lane.PinThoughtIn{ID: t.ID, ConversationID: id})
		}
		return "/chat/" + id + "/stream?done=saved", err
	}, "text")
}
