package people

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns the package's part of an account's export.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{
		"blockedUsers": s.exported(func(r *store.Reader, by store.Viewer) (any, error) { return listBlocks(r, by, core.None{}) }),
		// One list: friends, received requests and sent requests.
		"friendConnections": s.exported(func(r *store.Reader, by store.Viewer) (any, error) {
			all, err := listFriends(r, by, core.None{})
			return slices.Concat(all.Friends, all.Incoming, all.Outgoing), err
		}),
	}
}

// exported writes what list returns, which is bounded, as one page.
func (s *Service) exported(list func(r *store.Reader, by store.Viewer) (any, error)) core.ExportFunc {
	return func(ctx context.Context, e *core.Export) error {
		return e.Turn(ctx, func() error {
			return s.db.Read(ctx, func(r *store.Reader) error {
				all, err := list(r, e.By)
				if err != nil {
					return err
				}
				return e.Value(all)
			})
		})
	}
}

// Redacted tells the friends of a deleted account, and both sides of its requests, that these ended.
func Redacted(tx *store.Tx, what store.Erasure) error {
	for _, id := range what.People {
		if err := tx.Emit(store.Event{Topic: id, Kind: friendUpdated, ObjectID: what.UserID, ActorID: store.DeletedUserID}); err != nil {
			return err
		}
	}
	return nil
}

// Proven tells both sides of friendships and requests that they ended because an address was first proven.
func Proven(tx *store.Tx, what store.Unproven) error {
	for _, f := range what.Friends {
		if err := friendsChanged(tx, f.ID, f.OtherID); err != nil {
			return err
		}
	}
	return nil
}
