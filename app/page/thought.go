package page

import (
	"net/url"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

type thoughtView struct {
	ID, Text     string
	Kind, Status string
	Tags         []tagView
	CreatedAt    store.Time
	MessageURL   string // the captured message
	Shared       bool   // others see it
	Captured     bool
}

type thoughtsView struct {
	Frame
	Form              Form
	Thoughts          []thoughtView
	Tag, Kind, Status string
	Older             string
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
	view := thoughtView{ID: t.ID, Text: t.Text, Kind: shownKind(t.Kind), Status: shownStatus(t.Status), CreatedAt: t.CreatedAt,
		Shared: t.Captured || len(t.PinnedIn) > 0, Captured: t.Captured}
	for _, tag := range t.Tags {
		view.Tags = append(view.Tags, tagView{tag, "/thoughts?" + tagQuery(tag)})
	}
	if t.SourceMessageID != nil && t.SourceConversationID != nil {
		view.MessageURL = messagePlace(*t.SourceConversationID, *t.SourceMessageID)
	}
	return view
}

// showThoughts shows the person's thoughts. form is a new thought that failed.
func (s *site) showThoughts(v *visit, form Form) error {
	view := thoughtsView{Form: form, Tag: oneLine(v.query("tag"), 51), Kind: v.query("kind"), Status: v.query("status")}
	in := lane.ListThoughtsIn{Tag: view.Tag, Kind: view.Kind, Status: view.Status, Limit: 50}
	if t, err := store.ParseTime(v.query("until")); err == nil {
		in.Before = &t
	}
	out := get(v, s.Lane.ListThoughts, in)
	view.Thoughts = core.Map(out.Thoughts, thoughtOf)
	if out.HasMore {
		q := url.Values{"until": {out.Thoughts[len(out.Thoughts)-1].CreatedAt.String()}}
		for name, value := range map[string]string{"tag": view.Tag, "kind": view.Kind, "status": view.Status} {
			if value != "" {
				q.Set(name, value)
			}
		}
		view.Older = "/thoughts?" + q.Encode()
	}
	view.Frame = s.frame(v, "Thoughts", "thoughts", "")
	return s.show(v, form.status(), view)
}

func thoughtCreate(s *site, v *visit) error {
	create := func() (string, error) {
		_, err := s.Lane.CreateThought.Call(v.ctx(), v.by, lane.CreateThoughtIn{Text: v.form("text")})
		return "/thoughts?done=saved", err
	}
	return s.submit(v, []string{"text"}, create, func(f Form) error { return s.showThoughts(v, f) })
}

func (s *site) showThought(v *visit, form Form) error {
	t := get(v, s.Lane.GetThought, core.ByID{ID: v.id("id")})
	stored := storedThought(t)
	if stored.Error = form.Error; form.Values == nil {
		form = stored
	}
	view := thoughtPageView{Thought: thoughtOf(t), Form: form}
	view.Pins, view.Others = s.pinViews(v, t)
	view.Frame = s.frame(v, "Thought", "thoughts", "")
	return s.show(v, form.status(), view)
}

func (s *site) pinViews(v *visit, t lane.Thought) (pins, others []pinView) {
	found := get(v, s.Chat.ConversationsByID, chat.ConversationsByIDIn{IDs: t.PinnedIn})
	pinned := map[string]bool{}
	for _, c := range found {
		title, _ := nameOf(c, v.by.UserID)
		pins, pinned[c.ID] = append(pins, pinView{c.ID, title}), true
	}
	all := get(v, s.Chat.ListConversations, chat.ListConversationsIn{Limit: rowsShown})
	for _, c := range all.Items {
		if !pinned[c.ID] {
			title, _ := nameOf(c, v.by.UserID)
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

func thoughtUpdate(s *site, v *visit) error {
	id := v.id("id")
	load := func() (lane.Thought, error) { return s.Lane.GetThought.Call(v.ctx(), v.by, core.ByID{ID: id}) }
	fields := []string{"text", "kind", "status", "tags"}
	return edit(s, v, fields, load, storedThought, func(t lane.Thought, e edits) (string, error) {
		in := lane.UpdateThoughtIn{ID: id, Text: e.text("text"), Kind: e.text("kind"), Status: e.text("status")}
		if tags := e.text("tags"); tags.Set {
			in.Tags = core.Some(strings.Fields(tags.V))
		}
		_, err := s.Lane.UpdateThought.Call(v.ctx(), v.by, in)
		return "/thoughts?done=saved", err
	}, func(f Form) error { return s.showThought(v, f) })
}

func thoughtDelete(s *site, v *visit) error {
	id := v.id("id")
	if !v.confirmed() {
		return v.seeOther("/thoughts/" + id)
	}
	_, err := s.Lane.DeleteThought.Call(v.ctx(), v.by, core.ByID{ID: id})
	return v.next("/thoughts?done=deleted", err)
}

func thoughtPin(s *site, v *visit) error {
	id := v.id("id")
	change := func() (string, error) {
		var err error
		if from := v.form("unpin"); from != "" {
			if !store.ValidID(from) {
				return "", core.ErrNotFound
			}
			_, err = s.Lane.UnpinThought.Call(v.ctx(), v.by, lane.UnpinThoughtIn{ID: id, ConversationID: from})
		} else {
			_, err = s.Lane.PinThought.Call(v.ctx(), v.by, lane.PinThoughtIn{ID: id, ConversationID: v.form("conversationId")})
		}
		return "/thoughts/" + id + "?done=saved", err
	}
	return s.submit(v, nil, change, func(f Form) error { return s.showThought(v, Form{Error: f.Error}) })
}
