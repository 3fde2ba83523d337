package people

import (
	"context"
	"slices"
	"sort"

	"hearth/app/core"
	"hearth/store"
)

// Person is an account as the caller sees it, with their relation.
type Person struct {
	User   core.PublicUser `json:"user"`
	Friend *FriendStatus   `json:"friend" doc:"Null for those who cannot be friends: the caller, and bots"`
}

// Readable returns the people that the caller sees, in the order of ids.
func (s *Service) Readable(ctx context.Context, by store.Viewer, ids []string) ([]core.PublicUser, error) {
	found, err := store.Get(ctx, s.db, func(r *store.Reader) ([]store.User, error) {
		readable, err := r.Readable(by, ids)
		if err != nil {
			return nil, err
		}
		return r.Profiles(by, readable)
	})
	sort.Slice(found, func(i, j int) bool { return slices.Index(ids, found[i].ID) < slices.Index(ids, found[j].ID) })
	return core.Map(found, func(u store.User) core.PublicUser { return core.UserFor(u, by.UserID) }), err
}

func getPerson(r *store.Reader, by store.Viewer, in core.ByID) (out Person, err error) {
	visible, err := r.MayRead(by, in.ID)
	if err == nil && !visible {
		err = core.ErrNotFound
	}
	if err != nil {
		return out, err
	}
	u, err := store.First(r.Profiles(by, []string{in.ID}))
	if err != nil {
		return out, err
	}
	out.User = core.UserFor(u, by.UserID)
	f, err := friendWith(r, by, in.ID)
	if core.IsKind(err, core.NotFound) || core.IsKind(err, core.Invalid) {
		return out, nil
	}
	out.Friend = new(statusOf(f))
	return out, err
}
