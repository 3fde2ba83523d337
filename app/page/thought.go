package page

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/lane"
	"hearth/store"
)

func (s *site) thoughtRoutes() []route {
	return []route{
		{"GET /thoughts", person, s.showThoughts, "thoughts"},
		{"POST /thoughts", person, act(s, s.Lane.CreateThought, "/thoughts?done=saved", "text"), "thoughts"},
		{"GET /thoughts/{id}", person, s.showThought, "thought"},
		{"POST /thoughts/{id}", person, s.thoughtUpdate, "thought"},
		{"POST /thoughts/{id}/delete", person, sure("/thoughts/{id}", act(s, s.Lane.DeleteThought, "/thoughts?done=deleted")), ""},
		{"POST /thoughts/{id}/pin", person, s.thoughtPin, "thought"},
	}
}

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
	view.MessageURL = sourceOf(t.SourceConversationID, t.SourceMessageID)
	return view
}

func (s *site) showThoughts(v *visit) error {
	view := thoughtsView{Form: v.filled(Form{}), Tag: oneLine(v.query("tag"), 51), Kind: v.query("kind"), Status: v.query("status")}
	in := lane.ListThoughtsIn{Tag: view.Tag, Kind: view.Kind, Status: view.Status, Limit: 50, Before: v.moment("until")}
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
	return s.page(v, "Thoughts", "thoughts", "", &view)
}

func (s *site) thought(v *visit) (lane.Thought, error) { return send(v, s.Lane.GetThought) }

func (s *site) showThought(v *visit) error {
	t := read(v, s.Lane.GetThought)
	form := storedThought(t)
	form.Error = v.filledAt("/pin", form).Error
	view := thoughtPageView{Thought: thoughtOf(t), Form: v.filledAt("/thoughts/{id}", form)}
	view.Pins, view.Others = s.pinViews(v, t)
	return s.page(v, "Thought", "thoughts", "", &view)
}

func (s *site) pinViews(v *visit, t lane.Thought) (pins, others []pinView) {
	titles := s.titles(v, t.PinnedIn)
	for id, title := range titles {
		pins = append(pins, pinView{id, title})
	}
	slices.SortFunc(pins, func(a, b pinView) int { return cmp.Compare(a.Title, b.Title) })
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

func (s *site) thoughtUpdate(v *visit) error {
	return s.submit(v, func() (string, error) {
		if _, err := current(v, s.thought, storedThought); err != nil {
			return "", err
		}
		_, err := send(v, s.Lane.UpdateThought, func(in *lane.UpdateThoughtIn) { in.Tags.V = strings.Fields(v.form("tags")) })
		return "/thoughts?done=saved", err
	})
}

func (s *site) thoughtPin(v *visit) error {
	return s.submit(v, func() (string, error) {
		var err error
		if from := v.form("unpin"); from == "" {
			_, err = send(v, s.Lane.PinThought)
		} else if !store.ValidID(from) {
			err = core.ErrNotFound
		} else {
			_, err = send(v, s.Lane.UnpinThought, func(in *lane.UnpinThoughtIn) { in.ConversationID = from })
		}
		return v.address("/thoughts/{id}?done=saved"), err
	})
}
