package chat

import (
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Change is an entry in the log of a group. It is not a message.
type Change struct {
	At    store.Time `json:"at"`
	Kind  string     `json:"kind" enum:"joined|added|left|removed|renamed"`
	User  Named      `json:"user" doc:"Who joined or left, or renamed the group"`
	Actor *Named     `json:"actor" doc:"Who added or removed them; null for the other kinds, and if that account was deleted"`
	Title *string    `json:"title" doc:"The new name of a group that was renamed; null without one"`
}

// Named is an account with its name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ListChangesIn is the input of ListChanges.
type ListChangesIn struct {
	ConversationID string      `path:"id" json:"-"`
	After          *store.Time `query:"after" json:"-" doc:"Only changes after this moment"`
	Before         *store.Time `query:"before" json:"-" doc:"Only changes before this moment"`
	Limit          int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
}

// ListChangesOut has the latest changes within the bounds, oldest first.
type ListChangesOut struct {
	Changes []Change `json:"changes"`
}

func (s *Service) listChanges(r *store.Reader, by store.Viewer, in ListChangesIn) (out ListChangesOut, err error) {
	if _, err := r.Member(by, in.ConversationID, by.UserID); err != nil {
		return out, err
	}
	rows, err := r.Changes(by, in.ConversationID, core.OrZero(in.After), core.OrZero(in.Before), in.Limit)
	if err != nil {
		return out, err
	}
	slices.Reverse(rows)
	var ids []string
	for _, c := range rows {
		ids = append(ids, c.UserID, c.ActorID)
	}
	names, err := r.Names(ids...)
	out.Changes = core.Map(rows, func(c store.Change) Change {
		change := Change{At: c.At, Kind: c.Kind, User: Named{c.UserID, names[c.UserID]}, Title: core.OrNil(c.Title)}
		if c.ActorID != "" {
			change.Actor = &Named{c.ActorID, names[c.ActorID]}
		}
		return change
	})
	return out, err
}
