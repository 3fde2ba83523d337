package lane

import (
	"cmp"
	"strings"

	"hearth/app/core"
	"hearth/store"
)

// Thought is a thought as shown to its account. Keys and embedded sessions see only those shared with a conversation.
type Thought struct {
	ID                   string     `json:"id"`
	Text                 string     `json:"text" read:"others"`
	Kind                 string     `json:"kind" enum:"fact|decision|commitment|reminder|observation"`
	Status               string     `json:"status" enum:"none|open|closed"`
	Tags                 []string   `json:"tags" read:"others" doc:"Folded, without the number sign"`
	Captured             bool       `json:"captured" doc:"By a #tag in the message, so that it is shared with its conversation"`
	SourceMessageID      *string    `json:"sourceMessageId" doc:"Null without one, once deleted, and outside its conversation"`
	SourceConversationID *string    `json:"sourceConversationId" doc:"Null without one, and while the caller is not in it"`
	PinnedIn             []string   `json:"pinnedIn" doc:"The conversations of the caller that it is pinned to"`
	CreatedAt            store.Time `json:"createdAt"`
	UpdatedAt            store.Time `json:"updatedAt"`
}

func thoughtOf(t store.Thought) Thought {
	return Thought{
		ID: t.ID, Text: t.Text, Kind: t.Kind, Status: t.Status, Tags: t.Tags, Captured: t.Captured,
		SourceMessageID: core.OrNil(t.SourceMessageID), SourceConversationID: core.OrNil(t.SourceConversationID),
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

func thoughts(r *store.Reader, by store.Viewer, rows []store.Thought) ([]Thought, error) {
	out := core.Map(rows, thoughtOf)
	ids, at := make([]string, len(out)), make(map[string]int, len(out))
	for i := range out {
		ids[i], at[out[i].ID] = out[i].ID, i
	}
	pins, err := r.Pins(by, ids...)
	for _, p := range pins {
		t := &out[at[p.ThoughtID]]
		t.PinnedIn = append(t.PinnedIn, p.ConversationID)
	}
	return out, err
}

// ListThoughtsIn selects thoughts.
type ListThoughtsIn struct {
	Before *store.Time `query:"before" json:"-" doc:"Only thoughts before this moment, such as the createdAt of a page's last"`
	Limit  int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Tag    string      `query:"tag" json:"-" max:"51" doc:"With or without the number sign"`
	Kind   string      `query:"kind" json:"-" enum:"fact|decision|commitment|reminder|observation"`
	Status string      `query:"status" json:"-" enum:"none|open|closed"`
}

// ListThoughtsOut is a page of thoughts, the newest first.
type ListThoughtsOut struct {
	Thoughts []Thought `json:"thoughts"`
	HasMore  bool      `json:"hasMore"`
}

// A key or an embedded session sees thoughts that are shared: captured by a tag in a message, or pinned.
func (s *Service) listThoughts(r *store.Reader, by store.Viewer, in ListThoughtsIn) (out ListThoughtsOut, err error) {
	f := store.ThoughtFilter{Tag: foldTag(in.Tag), Kind: in.Kind, Status: in.Status, Before: core.Before(in.Before)}
	rows, err := r.Thoughts(by, f, in.Limit+1)
	if err != nil {
		return out, err
	}
	rows, out.HasMore = core.Cut(rows, in.Limit)
	out.Thoughts, err = thoughts(r, by, rows)
	return out, err
}

func foldTag(tag string) string { return store.Fold(strings.TrimPrefix(tag, "#")) }

// CreateThoughtIn is a new thought.
type CreateThoughtIn struct {
	Text                 string   `json:"text" max:"4000" doc:"Required without sourceMessageId; else the text of the message if left out"`
	Kind                 string   `json:"kind" enum:"fact|decision|commitment|reminder|observation" doc:"By default from tags, or observation"`
	Status               string   `json:"status" enum:"none|open|closed" doc:"By default what the tags of the text say, or none"`
	Tags                 []string `json:"tags" max:"20" itemMax:"200" doc:"Each of at most 50 characters; by default the tags of the text"`
	SourceMessageID      string   `json:"sourceMessageId" format:"uuid" doc:"The message that it is captured from"`
	SourceConversationID string   `json:"sourceConversationId" format:"uuid" doc:"Conversation of a private note; by default the message's"`
}

// A key receives what it wrote in this response alone.
func (s *Service) createThought(tx *store.Tx, by store.Viewer, in CreateThoughtIn) (out Thought, err error) {
	tags, err := core.FoldTags(in.Tags)
	if err == nil && in.Text == "" && in.SourceMessageID == "" {
		err = core.InvalidField("text", "text is required: send text of 1 to 4000 characters, or the id of a message as sourceMessageId.")
	}
	if err != nil {
		return out, err
	}
	t, err := in.source(tx, by)
	if err != nil {
		return out, err
	}
	c := core.CaptureOf(t.Text)
	if c == nil {
		c = &store.Capture{Kind: "observation", Status: "none"}
	}
	if t.Tags = tags; in.Tags == nil {
		t.Tags = c.Tags
	}
	t.UserID, t.Kind, t.Status = by.UserID, cmp.Or(in.Kind, c.Kind), cmp.Or(in.Status, c.Status)
	err = tx.InsertThought(&t)
	return thoughtOf(t), cmp.Or(err, changed(tx, by, t.ID, nil))
}

// source returns the thought with its text and what it is captured from.
func (in CreateThoughtIn) source(tx *store.Tx, by store.Viewer) (store.Thought, error) {
	t := store.Thought{Text: in.Text, SourceConversationID: in.SourceConversationID}
	if in.SourceMessageID != "" {
		m, err := tx.Message(by, in.SourceMessageID)
		if err != nil {
			return t, err
		}
		if m.DeletedAt != 0 || in.SourceConversationID != "" && in.SourceConversationID != m.ConversationID {
			return t, core.ErrNotFound
		}
		t.SourceMessageID, t.SourceConversationID, t.FromMessage = m.ID, m.ConversationID, true
		if t.Text == "" {
			t.Text = core.FirstRunes(m.Content, maxText)
		}
		if t.Text == "" {
			return t, core.InvalidField("text", "text is required: this message has none.")
		}
		return t, nil
	}
	if in.SourceConversationID != "" {
		_, err := tx.Member(by, in.SourceConversationID, by.UserID)
		return t, err
	}
	return t, nil
}

// maxText is how many code points a thought has at most.
const maxText = 4000

// UpdateThoughtIn has the members to change. Omitted ones keep their value.
type UpdateThoughtIn struct {
	ID     string             `path:"id" json:"-"`
	Text   core.Opt[string]   `json:"text,omitzero" notnull:"true" min:"1" max:"4000" doc:"Not of a captured one: it follows its message"`
	Kind   core.Opt[string]   `json:"kind,omitzero" notnull:"true" enum:"fact|decision|commitment|reminder|observation"`
	Status core.Opt[string]   `json:"status,omitzero" notnull:"true" enum:"none|open|closed"`
	Tags   core.Opt[[]string] `json:"tags,omitzero" notnull:"true" max:"20" itemMax:"200"`
}

func (s *Service) updateThought(tx *store.Tx, by store.Viewer, in UpdateThoughtIn) (out Thought, err error) {
	t, err := ownThought(&tx.Reader, by, in.ID)
	if err == nil {
		err = in.apply(&t)
	}
	if err != nil {
		return out, err
	}
	err = tx.UpdateThought(&t)
	shared, e := tx.SharedIn(t.ID)
	if err = cmp.Or(err, e, changed(tx, by, t.ID, shared)); err != nil {
		return out, err
	}
	return shownThought(&tx.Reader, by, t)
}

func (in UpdateThoughtIn) apply(t *store.Thought) (err error) {
	if in.Text.Set && in.Text.V != t.Text {
		if t.Captured {
			return core.InvalidField("text", "This thought was captured from a message by a tag and follows it. Edit the message.")
		}
		t.Text = in.Text.V
	}
	in.Kind.Into(&t.Kind)
	in.Status.Into(&t.Status)
	if in.Tags.Set {
		t.Tags, err = core.FoldTags(in.Tags.V)
	}
	return err
}

func (s *Service) getThought(r *store.Reader, by store.Viewer, in core.ByID) (out Thought, err error) {
	t, err := ownThought(r, by, in.ID)
	if err != nil {
		return out, err
	}
	return shownThought(r, by, t)
}

func shownThought(r *store.Reader, by store.Viewer, t store.Thought) (Thought, error) {
	out, err := thoughts(r, by, []store.Thought{t})
	return out[0], err
}

// The thought is deleted in all Streams as well.
func (s *Service) deleteThought(tx *store.Tx, by store.Viewer, in core.ByID) (none core.None, err error) {
	t, err := ownThought(&tx.Reader, by, in.ID)
	if err != nil {
		return none, err
	}
	shared, err := tx.SharedIn(t.ID)
	return none, cmp.Or(err, tx.DeleteThought(t.ID), changed(tx, by, t.ID, shared))
}

func ownThought(r *store.Reader, by store.Viewer, id string) (store.Thought, error) {
	t, err := r.Thought(by, id)
	if err == nil && t.UserID != by.UserID {
		err = errNotYours()
	}
	return t, err
}

func errNotYours() error {
	return core.New(core.Forbidden, "not_your_thought", "This thought belongs to somebody else. Only they can do this.")
}
