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

func getPerson(r *store.Reader, by store.Viewer, in core.ByID) (out Person, err error) {
	visible, err := r.MayRead(by, in.ID)
	if err == nil && !visible {
		err = core.ErrNotFound
	}
	if err != nil {
		return out, err
	}
	found, err := r.Profiles(by, []string{in.ID})
	if err == nil && len(found) == 0 {
		err = core.ErrNotFound
	}
	if err != nil {
		return out, err
	}
	out.User = core.UserFor(found[0], by.UserID)
	f, err := friendWith(r, by, in.ID)
	if core.IsKind(err, core.NotFound) || core.IsKind(err, core.Invalid) {
		return out, nil
	}
	status := statusOf(f)
	out.Friend = &status
	return out, err
}
