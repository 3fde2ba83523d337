package chat

import (
	"context"
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

func (s *Service) listChanges(ctx context.Context, by store.Viewer, in ListChangesIn) (out ListChangesOut, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		if _, err := r.Member(by, in.ConversationID, by.UserID); err != nil {
			return err
		}
		rows, err := r.Changes(by, in.ConversationID, core.OrZero(in.After), core.OrZero(in.Before), in.Limit)
		if err != nil {
			return err
		}
		slices.Reverse(rows)
		var ids []string
		for _, c := range rows {
			ids = append(ids, c.UserID)
			if c.ActorID != "" {
				ids = append(ids, c.ActorID)
			}
		}
		people, err := r.Senders(ids...)
		names := make(map[string]string, len(people))
		for _, p := range people {
			names[p.ID] = p.Name
		}
		for _, c := range rows {
			change := Change{At: c.At, Kind: c.Kind, User: Named{c.UserID, names[c.UserID]}, Title: core.OrNil(c.Title)}
			if c.ActorID != "" {
				change.Actor = &Named{c.ActorID, names[c.ActorID]}
			}
			out.Changes = append(out.Changes, change)
		}
		return err
	})
	return out, core.Found(err)
}
