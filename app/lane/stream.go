package lane

import (
	"cmp"

	"hearth/app/core"
	"hearth/store"
)

// ConversationStreamEntry is a thought in the Stream of a conversation.
type ConversationStreamEntry struct {
	ID                   string      `json:"id"`
	Text                 string      `json:"text" read:"others"`
	CreatedAt            store.Time  `json:"createdAt"`
	UpdatedAt            store.Time  `json:"updatedAt"`
	Kind                 string      `json:"kind" enum:"fact|decision|commitment|reminder|observation"`
	Status               string      `json:"status" enum:"none|open|closed"`
	AuthorID             string      `json:"authorId"`
	AuthorName           string      `json:"authorName" read:"others"`
	Tags                 []string    `json:"tags" read:"others"`
	Pinned               bool        `json:"pinned"`
	PinnedBy             *string     `json:"pinnedBy" doc:"The id of the account that pinned it; null if it is not pinned"`
	PinnedAt             *store.Time `json:"pinnedAt,omitzero"`
	HasSourceMessage     bool        `json:"hasSourceMessage" doc:"Whether it was captured from a message"`
	SourceMessageID      *string     `json:"sourceMessageId" doc:"Null without one, once deleted, and outside its conversation"`
	SourceConversationID *string     `json:"sourceConversationId" doc:"Null without one, and while the caller is not in it"`
	Collapsed            bool        `json:"collapsed" doc:"The caller's own preference"`
}

// StreamEntry is an entry with why the caller sees it.
type StreamEntry struct {
	ConversationStreamEntry
	Visibility string `json:"visibility" enum:"conversation|private" doc:"private: for the caller alone; never for keys and embedded sessions"`
	Provenance string `json:"provenance" enum:"pinned|message_capture|private_note"`
}

func entryOf(e store.Entry) StreamEntry {
	out := StreamEntry{ConversationStreamEntry: ConversationStreamEntry{
		ID: e.ID, Text: e.Text, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Kind: e.Kind, Status: e.Status,
		AuthorID: e.UserID, AuthorName: e.AuthorName, Tags: e.Tags, Pinned: e.PinnedBy != "", PinnedBy: core.OrNil(e.PinnedBy),
		PinnedAt: e.PinnedAt.Ptr(), HasSourceMessage: e.FromMessage, SourceMessageID: core.OrNil(e.SourceMessageID),
		SourceConversationID: core.OrNil(e.SourceConversationID), Collapsed: e.Collapsed,
	}, Visibility: "conversation"}
	switch {
	case out.Pinned:
		out.Provenance = "pinned"
	case e.Captured:
		out.Provenance = "message_capture"
	default:
		out.Visibility, out.Provenance = "private", "private_note"
	}
	return out
}

// ListStreamIn selects entries of the Stream of a conversation.
type ListStreamIn struct {
	ConversationID string      `path:"id" json:"-"`
	Before         *store.Time `query:"before" json:"-" doc:"Only entries before this moment, such as the createdAt of a page's last"`
	Limit          int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
	Tag            string      `query:"tag" json:"-" max:"51" doc:"With or without the number sign"`
}

// ListStreamOut is a page of entries, the newest first.
type ListStreamOut struct {
	Entries []StreamEntry `json:"entries"`
	HasMore bool          `json:"hasMore"`
}

// listStream returns what is pinned to a conversation, its messages captured by tags and, in a direct session, the
// caller's private notes for it.
func (s *Service) listStream(r *store.Reader, by store.Viewer, in ListStreamIn) (out ListStreamOut, err error) {
	rows, err := r.Entries(by, in.ConversationID, foldTag(in.Tag), core.Before(in.Before), in.Limit+1)
	rows, out.HasMore = core.Cut(rows, in.Limit)
	out.Entries = core.Map(rows, entryOf)
	return out, err
}

const (
	maxPins   = 200 // in a conversation
	maxPinned = 50  // conversations that a thought is pinned to
)

// PinThoughtIn is the input of PinThought.
type PinThoughtIn struct {
	ID             string `path:"id" json:"-"`
	ConversationID string `json:"conversationId" required:"true" format:"uuid"`
}

// PinThoughtOut is the entry.
type PinThoughtOut struct {
	StreamEntry
	made bool
}

// Created implements op.Created: it is false for a thought that was pinned there.
func (o *PinThoughtOut) Created() bool { return o.made }

// A thought of another can be pinned again if it is in the Stream of the conversation.
func (s *Service) pinThought(tx *store.Tx, by store.Viewer, in PinThoughtIn) (out PinThoughtOut, err error) {
	t, err := tx.Thought(by, in.ID)
	if err == nil {
		_, err = tx.Member(by, in.ConversationID, by.UserID)
	}
	if err == nil && t.UserID != by.UserID {
		if _, err := tx.Entry(by, in.ConversationID, t.ID); err != nil {
			return out, errNotYours()
		}
	}
	if err == nil {
		out.made, err = pin(tx, by, in.ConversationID, t.ID)
	}
	if err != nil {
		return out, err
	}
	e, err := tx.Entry(by, in.ConversationID, t.ID)
	out.StreamEntry = entryOf(e)
	return out, err
}

func pin(tx *store.Tx, by store.Viewer, conversationID, id string) (bool, error) {
	made, err := tx.PinThought(by, conversationID, id)
	if err != nil || !made {
		return false, err
	}
	inConversation, ofThought, err := tx.PinCounts(conversationID, id)
	switch {
	case err != nil:
		return false, err
	case inConversation > maxPins:
		return false, core.New(core.Conflict, "too_many_pins", "A conversation has at most %d pinned thoughts. Unpin another first.", maxPins)
	case ofThought > maxPinned:
		return false, core.New(core.Conflict, "too_many_pins", "A thought is pinned to at most %d conversations. Unpin it elsewhere first.",
			maxPinned)
	}
	return true, changed(tx, by, id, []string{conversationID})
}

// UnpinThoughtIn is the input of UnpinThought.
type UnpinThoughtIn struct {
	ID             string `path:"id" json:"-"`
	ConversationID string `path:"conversationId" json:"-"`
}

// The account that pinned a thought may unpin it, its author, and the owners of a group.
func (s *Service) unpinThought(tx *store.Tx, by store.Viewer, in UnpinThoughtIn) (none core.None, err error) {
	e, err := tx.Entry(by, in.ConversationID, in.ID)
	if err == nil && e.PinnedBy == "" {
		err = store.ErrNoRow
	}
	if err == nil && e.PinnedBy != by.UserID && e.UserID != by.UserID {
		err = ownsGroup(tx, by, in.ConversationID, "not_your_pin",
			"Only those who wrote or pinned this, and owners of the group, can unpin it.")
	}
	if err == nil {
		err = cmp.Or(tx.UnpinThought(in.ConversationID, in.ID), streamChanged(tx, by, in.ConversationID, in.ID))
	}
	return none, err
}

// CollapseEntryIn is the input of CollapseEntry.
type CollapseEntryIn struct {
	ConversationID string `path:"id" json:"-"`
	EntryID        string `path:"entryId" json:"-"`
	Collapsed      *bool  `json:"collapsed" required:"true"`
}

// CollapseEntryOut is the preference that was stored.
type CollapseEntryOut struct {
	Collapsed bool `json:"collapsed"`
}

func (s *Service) collapseEntry(tx *store.Tx, by store.Viewer, in CollapseEntryIn) (out CollapseEntryOut, err error) {
	if _, err := tx.Entry(by, in.ConversationID, in.EntryID); err != nil {
		return out, err
	}
	return CollapseEntryOut{*in.Collapsed}, tx.SetCollapsed(by, in.ConversationID, in.EntryID, *in.Collapsed)
}
