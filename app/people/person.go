package people

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// Person is an account as the caller sees it, with their relation.
type Person struct {
	User   core.PublicUser `json:"user"`
	Friend *FriendStatus   `json:"friend" doc:"Null for those who cannot be friends: the caller, and bots"`
}

// Readable returns the people that the caller sees, in the order of ids.
func (s *Service) Readable(ctx context.Context, by store.Viewer, ids []string) (out []core.PublicUser, err error) {
	byID := map[string]core.PublicUser{}
	err = s.db.Read(ctx, func(r *store.Reader) error {
		readable, err := r.Readable(by, ids)
		if err != nil {
			return err
		}
		found, err := r.Profiles(by, readable)
		for _, u := range found {
			byID[u.ID] = core.UserFor(u, by.UserID)
		}
		return err
	})
	for _, id := range ids {
		if u, ok := byID[id]; ok {
			out = append(out, u)
		}
	}
	return out, err
}

func (s *Service) getPerson(ctx context.Context, by store.Viewer, in UserIn) (out Person, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		visible, err := r.MayRead(by, in.UserID)
		if err != nil {
			return err
		}
		if !visible {
			return core.ErrNotFound
		}
		found, err := r.Profiles(by, []string{in.UserID})
		if err != nil || len(found) == 0 {
			return core.Found(err)
		}
		out.User = core.UserFor(found[0], by.UserID)
		f, err := friendWith(r, by, in.UserID)
		if err == nil {
			status := statusOf(f)
			out.Friend = &status
		} else if core.IsKind(err, core.NotFound) || core.IsKind(err, core.Invalid) {
			err = nil
		}
		return err
	})
	return out, err
}
