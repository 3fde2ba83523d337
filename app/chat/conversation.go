package chat

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Conversation is a conversation as one of its members sees it: lastReadAt,
// unreadCount and mutedUntil are their own.
type Conversation struct {
	ID                 string        `json:"id"`
	Type               string        `json:"type" enum:"direct|group"`
	Title              *string       `json:"title"`
	LastMessageAt      store.Time    `json:"lastMessageAt" doc:"When it was made, while nothing is said"`
	LastMessagePreview string        `json:"lastMessagePreview" doc:"The first 100 characters; empty when there is none or it is deleted"`
	ContainsBot        bool          `json:"containsBot"`
	LastReadAt         *store.Time   `json:"lastReadAt"`
	UnreadCount        int           `json:"unreadCount" doc:"Messages of others, not deleted, after lastReadAt"`
	Participants       []Participant `json:"participants"`
	CreatedAt          store.Time    `json:"createdAt"`
	UpdatedAt          store.Time    `json:"updatedAt"`
	MutedUntil         *store.Time   `json:"mutedUntil"`
	LastMessage        *Message      `json:"lastMessage"`
}

// Participant is a person in a conversation.
type Participant struct {
	User core.PublicUser `json:"user"`
	Role string          `json:"role" enum:"owner|member"`
}

// ListConversationsIn asks for a part of the list; without members for all.
type ListConversationsIn struct {
	Before *store.Time `query:"before" json:"-" doc:"Only those with a lastMessageAt before this moment"`
	Limit  *int        `query:"limit" json:"-" min:"1" max:"1000" clamp:"true" doc:"At most so many; all without it"`
}

// listConversations returns the conversations of the caller, the one with the
// latest news first.
func (s *Service) listConversations(ctx context.Context, by store.Viewer, in ListConversationsIn) ([]Conversation, error) {
	var before store.Time
	if in.Before != nil {
		before = max(*in.Before, 1)
	}
	limit := 0
	if in.Limit != nil {
		limit = *in.Limit
	}
	var out []Conversation
	err := s.db.Snapshot(ctx, func(r *store.Reader) error {
		rows, err := r.Conversations(by.UserID, before, limit)
		if err != nil {
			return err
		}
		out, err = newView(r, by.UserID).conversations(rows)
		return err
	})
	return out, err
}

// GetConversationIn names a conversation.
type GetConversationIn struct {
	ID string `path:"id" json:"-"`
}

// getConversation returns a conversation that the caller is in.
func (s *Service) getConversation(ctx context.Context, by store.Viewer, in GetConversationIn) (out Conversation, err error) {
	err = s.db.Snapshot(ctx, func(r *store.Reader) error {
		out, err = newView(r, by.UserID).conversation(in.ID)
		return err
	})
	return out, core.Found(err)
}

// maxMembers bounds what one group can cost its members to read.
const maxMembers = 1000

// CreateConversationIn says who shall talk.
type CreateConversationIn struct {
	ParticipantIDs []string `json:"participantIds" required:"true" min:"1" max:"100" format:"uuid" doc:"The others, each once; the caller's own id alone makes a conversation with oneself"`
	Title          string   `json:"title" max:"200" line:"true"`
	Type           string   `json:"type" enum:"direct|group" doc:"direct for one other person and group for several, if not given"`
}

// CreateConversationOut is the conversation, made now or found.
type CreateConversationOut struct {
	Conversation
	made bool
}

// Created implements op.Created: it is false for the direct conversation that
// exists.
func (o *CreateConversationOut) Created() bool { return o.made }

// createConversation begins a conversation. There is one direct conversation
// of two people: asking for it again gives the one there is. Whoever cannot be
// reached (unknown, hidden or suspended) makes it 400, without telling why.
// More than 200 new ones in an hour: TooMany.
func (s *Service) createConversation(ctx context.Context, by store.Viewer, in CreateConversationIn) (out CreateConversationOut, err error) {
	others, err := in.others(by.UserID)
	if err != nil {
		return out, err
	}
	direct := in.Type == "direct" || in.Type == "" && len(others) <= 1
	if direct && len(others) > 1 {
		return out, core.InvalidField("type", "A direct conversation is with one other person. Send one id in participantIds, or make it a group.")
	}
	var id string
	err = s.db.Read(ctx, func(r *store.Reader) error {
		reachable, err := r.Reachable(by.UserID, others)
		if err == nil && len(reachable) < len(others) {
			err = errUnreachable("participantIds")
		}
		return err
	})
	if err != nil {
		return out, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if !direct {
			id, err = tx.InsertGroup(by.UserID, others, in.Title)
			out.made = true
		} else {
			id, out.made, err = tx.InsertDirect(by.UserID, append(others, by.UserID)[0], in.Title)
		}
		if err == nil && out.made {
			err = newConversations().Use(tx, by.UserID)
		}
		if err == nil && out.made {
			err = changed(tx, by, id)
		}
		return err
	})
	if err != nil {
		return out, err
	}
	out.Conversation, err = s.getConversation(ctx, by, GetConversationIn{ID: id})
	return out, err
}

// others returns the participants without the caller.
func (in *CreateConversationIn) others(self string) ([]string, error) {
	var others []string
	seen := make(map[string]bool, len(in.ParticipantIDs))
	for _, id := range in.ParticipantIDs {
		if seen[id] {
			return nil, core.InvalidField("participantIds", "participantIds must name everybody once; %s is there twice.", id)
		}
		seen[id] = true
		if id != self {
			others = append(others, id)
		}
	}
	return slices.Clip(others), nil
}

// errUnreachable says the same of people who are unknown, hidden or suspended.
func errUnreachable(field string) error {
	e := core.InvalidField(field, "Somebody here cannot be reached. Look the person up again, or leave them out.")
	e.Code = "unreachable"
	return e
}

// UpdateConversationIn is a new title.
type UpdateConversationIn struct {
	ID    string           `path:"id" json:"-"`
	Title core.Opt[string] `json:"title,omitzero" max:"200" line:"true" doc:"Null or empty takes the title away"`
}

// updateConversation gives a group another title; its owners may.
func (s *Service) updateConversation(ctx context.Context, by store.Viewer, in UpdateConversationIn) (out Conversation, err error) {
	if !in.Title.Set {
		return out, core.InvalidField("title", "title is required: send text of at most 200 characters, or null to take it away.")
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		c, err := ownGroup(tx, by, in.ID)
		if err == nil && c.Title != in.Title.V {
			if err = tx.SetTitle(in.ID, in.Title.V); err == nil {
				err = changed(tx, by, in.ID)
			}
		}
		if err == nil {
			out, err = newView(&tx.Reader, by.UserID).conversation(in.ID)
		}
		return err
	})
	return out, core.Found(err)
}

// group returns a group that the caller is in; a direct conversation is 400.
func group(r *store.Reader, by store.Viewer, id string) (store.Conversation, error) {
	c, err := r.Conversation(by.UserID, id)
	if err == nil && c.Type == "direct" {
		err = core.New(core.Invalid, "direct_conversation", "A direct conversation stays between its two people. Make a group to talk with others.")
	}
	return c, err
}

// ownGroup is group for what its owners alone may do.
func ownGroup(tx *store.Tx, by store.Viewer, id string) (store.Conversation, error) {
	c, err := group(&tx.Reader, by, id)
	if err == nil && c.Role != "owner" {
		err = core.New(core.Forbidden, "owner_only", "Only an owner of this group can do this. Ask one of them.")
	}
	return c, err
}
