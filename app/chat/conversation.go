package chat

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"sort"
	"strconv"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// Conversation is a conversation as shown to a member, with the member's lastReadAt, unreadCount, mutedUntil and notify.
type Conversation struct {
	ID                 string        `json:"id"`
	Type               string        `json:"type" enum:"direct|group"`
	Title              *string       `json:"title" read:"others"`
	AvatarURL          *string       `json:"avatarUrl" read:"others" doc:"Of a group's picture"`
	LastMessageAt      store.Time    `json:"lastMessageAt" doc:"Of the conversation itself while it has no messages"`
	LastMessagePreview string        `json:"lastMessagePreview" read:"others" doc:"Its first 100 characters; empty without one, or if deleted"`
	ContainsBot        bool          `json:"containsBot"`
	LastReadAt         *store.Time   `json:"lastReadAt"`
	UnreadCount        int           `json:"unreadCount" read:"others" doc:"Messages of others, not deleted, after lastReadAt"`
	Mentioned          bool          `json:"mentioned" read:"others" doc:"Whether one of the unread messages mentions the caller"`
	Participants       []Participant `json:"participants" doc:"In a list 8 at most: the caller, owners, and those who sent a message last"`
	ParticipantCount   int           `json:"participantCount" read:"others" doc:"How many there are in all"`
	CreatedAt          store.Time    `json:"createdAt"`
	UpdatedAt          store.Time    `json:"updatedAt"`
	MutedUntil         *store.Time   `json:"mutedUntil"`
	Notify             string        `json:"notify" enum:"all|mentions|none" doc:"Which messages the caller is notified of"`
	Open               bool          `json:"open" doc:"Whether every member of the community can join"`
	Default            bool          `json:"default" doc:"Whether everybody joins it with a new account"`
	LastMessage        *Message      `json:"lastMessage" read:"others"`
}

// Participant is a person in a conversation.
type Participant struct {
	User core.PublicUser `json:"user"`
	Role string          `json:"role" enum:"owner|member"`
}

// ListConversationsIn is the input of ListConversations.
type ListConversationsIn struct {
	Before *store.Time `query:"before" json:"-" doc:"Only those with a lastMessageAt before this moment"`
	Limit  int         `query:"limit" json:"-" default:"200" min:"1" max:"200" clamp:"true"`
}

func (s *Service) listConversations(r *store.Reader, by store.Viewer, in ListConversationsIn) (page core.Page[Conversation], err error) {
	rows, err := r.Conversations(by, core.Before(in.Before), in.Limit+1)
	if err != nil {
		return page, err
	}
	rows, more := core.Cut(rows, in.Limit)
	if more {
		page.Next = url.Values{"before": {rows[in.Limit-1].At().String()}, "limit": {strconv.Itoa(in.Limit)}}
	}
	page.Items, err = newView(r, by).shortConversations(rows)
	return page, err
}

func (s *Service) getConversation(r *store.Reader, by store.Viewer, in core.ByID) (Conversation, error) {
	return newView(r, by).conversation(in.ID)
}

// ConversationsByIDIn names conversations.
type ConversationsByIDIn struct {
	IDs []string `json:"ids" max:"50"`
}

// conversationsByID leaves out conversations that the caller may not see. It keeps the order of the input.
func (s *Service) conversationsByID(r *store.Reader, by store.Viewer, in ConversationsByIDIn) ([]Conversation, error) {
	rows, err := r.ConversationsByID(by, in.IDs...)
	if err != nil {
		return nil, err
	}
	sort.Slice(rows, func(i, j int) bool { return slices.Index(in.IDs, rows[i].ID) < slices.Index(in.IDs, rows[j].ID) })
	return newView(r, by).shortConversations(rows)
}

func shownAfter(tx *store.Tx, by store.Viewer, id string, err error) (Conversation, error) {
	if err != nil {
		return Conversation{}, err
	}
	return newView(&tx.Reader, by).conversation(id)
}

const maxMembers = 1000

// CreateConversationIn is the input of CreateConversation.
type CreateConversationIn struct {
	ParticipantIDs []string `json:"participantIds" required:"true" min:"1" max:"100" format:"uuid" doc:"The others, each once; the caller's own id alone for a conversation with oneself"`
	Title          string   `json:"title" max:"200" line:"true" plain:"true"`
	Type           string   `json:"type" enum:"direct|group" doc:"By default direct for one other person, and group for several or with open"`
	Open           bool     `json:"open" doc:"Whether every member of the community can join the group, which needs a title"`
}

// CreateConversationOut is the conversation, new or existing.
type CreateConversationOut struct {
	Conversation
	made bool
}

// Created implements op.Created: it is false for an existing direct conversation.
func (o *CreateConversationOut) Created() bool { return o.made }

// createConversation returns the existing direct conversation of two people. For a person who cannot be reached it
// gives no reason.
func (s *Service) createConversation(tx *store.Tx, by store.Viewer, in CreateConversationIn) (out CreateConversationOut, err error) {
	others, err := in.others(by.UserID)
	direct := in.Type == "direct" || in.Type == "" && len(others) <= 1 && !in.Open
	if err == nil {
		err = in.checkOpen(direct)
	}
	if err == nil && direct && len(others) > 1 {
		err = core.InvalidField("type", "A direct conversation is with one other person. Send one id in participantIds, or create a group.")
	}
	if err != nil {
		return out, err
	}
	var id string
	if direct {
		id, out.made, err = in.startDirect(tx, by, append(others, by.UserID)[0])
	} else {
		id, err = s.startGroup(tx, by, in, others)
		out.made = true
	}
	if err == nil && out.made && !s.Limits.Lifted() {
		err = limit.Conversations.CallStored(tx, by)
	}
	if err == nil && out.made {
		err = changed(tx, by, id)
	}
	out.Conversation, err = shownAfter(tx, by, id, err)
	return out, err
}

// A visible conversation is returned whatever became of the other account: an error would reveal more than the
// conversation.
func (in *CreateConversationIn) startDirect(tx *store.Tx, by store.Viewer, other string) (id string, made bool, err error) {
	if id, err = tx.DirectWith(by, other); !errors.Is(err, store.ErrNoRow) {
		return id, false, err
	}
	if err := mustReach(tx, by, "participantIds", other); err != nil {
		return "", false, err
	}
	return tx.InsertDirect(by.UserID, other, in.Title)
}

func (s *Service) startGroup(tx *store.Tx, by store.Viewer, in CreateConversationIn, others []string) (id string, err error) {
	if err := s.mustAdd(tx, by, "participantIds", "", others...); err != nil {
		return "", err
	}
	id, err = tx.InsertGroup(by.UserID, others, in.Title)
	if err == nil && in.Open {
		err = tx.SetOpen(id, true)
	}
	return id, err
}

func (in *CreateConversationIn) checkOpen(direct bool) error {
	if direct && in.Open {
		return core.InvalidField("open", "A direct conversation is between two people. Create a group to open it to others.")
	}
	return checkOpen(in.Open, in.Title)
}

func mustReach(tx *store.Tx, by store.Viewer, field string, ids ...string) error {
	reachable, err := tx.Reachable(by, ids)
	if err == nil && len(reachable) < len(ids) {
		err = errUnreachable(field)
	}
	return err
}

func (in *CreateConversationIn) others(self string) ([]string, error) {
	var others []string
	for i, id := range in.ParticipantIDs {
		if slices.Contains(in.ParticipantIDs[:i], id) {
			return nil, core.InvalidField("participantIds", "participantIds must have each person once; %s is repeated.", id)
		}
		if id != self {
			others = append(others, id)
		}
	}
	return slices.Clip(others), nil
}

// errUnreachable is the same for unknown, hidden and suspended accounts.
func errUnreachable(field string) error {
	e := core.InvalidField(field, "A person here cannot be reached. Find them again, or leave them out.")
	e.Code = "unreachable"
	return e
}

// UpdateConversationIn is the input of UpdateConversation.
type UpdateConversationIn struct {
	ID    string           `path:"id" json:"-"`
	Title core.Opt[string] `json:"title,omitzero" max:"200" line:"true" plain:"true" doc:"Null or empty removes it"`
	Open  core.Opt[bool]   `json:"open,omitzero" notnull:"true" doc:"Whether every member of the community can join, which needs a title"`
}

func (s *Service) updateConversation(tx *store.Tx, by store.Viewer, in UpdateConversationIn) (out Conversation, err error) {
	if !in.Title.Set && !in.Open.Set {
		return out, core.InvalidField("title", "title is required: send text of at most 200 characters, or null to remove it.")
	}
	c, err := ownGroup(&tx.Reader, by, in.ID)
	if err == nil {
		err = change(tx, by, c, in)
	}
	return shownAfter(tx, by, in.ID, err)
}

func change(tx *store.Tx, by store.Viewer, c store.Conversation, in UpdateConversationIn) error {
	title, open := c.Title, c.Open
	in.Title.Into(&title)
	in.Open.Into(&open)
	if err := checkOpen(open, title); err != nil || title == c.Title && open == c.Open {
		return err
	}
	err := changed(tx, by, c.ID)
	if open != c.Open {
		err = cmp.Or(err, tx.SetOpen(c.ID, open))
	}
	if title != c.Title {
		err = cmp.Or(err, tx.SetTitle(c.ID, title),
			tx.LogChange(store.Change{ConversationID: c.ID, Kind: "renamed", UserID: by.UserID, Title: title}))
	}
	return err
}

func group(r *store.Reader, by store.Viewer, id string) (store.Conversation, error) {
	c, err := r.Conversation(by, id)
	if err == nil && c.Type == "direct" {
		err = core.New(core.Invalid, "direct_conversation", "A direct conversation is between two people. Create a group to add others.")
	}
	return c, err
}

func ownGroup(r *store.Reader, by store.Viewer, id string) (store.Conversation, error) {
	c, err := group(r, by, id)
	if err == nil && c.Role != "owner" {
		err = core.New(core.Forbidden, "owner_only", "Only an owner of this group can do this. Ask one of them.")
	}
	return c, err
}
