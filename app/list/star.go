package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// star stars an item for the caller, who sees its list; again, it changes
// nothing.
func (s *Service) star(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, (*store.Tx).Star, starAdded)
}

// unstar takes the caller's star from an item; without one, it changes nothing.
func (s *Service) unstar(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, (*store.Tx).Unstar, starRemoved)
}

func (s *Service) setStar(ctx context.Context, by store.Viewer, in GetItemIn, set func(*store.Tx, store.Item, string) (bool, error), kind store.EventKind) (out ItemOut, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Item(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		changed, err := set(tx, i, by.UserID)
		if err == nil && changed {
			err = tx.Emit(store.Event{Topic: i.ListID, Kind: kind, ObjectID: i.ID, ActorID: by.UserID})
		}
		if err != nil {
			return err
		}
		i, err = tx.Item(by, in.ListID, in.ItemID)
		out.Item = itemOf(i, 0)
		return err
	})
	if err != nil {
		return out, core.Found(err)
	}
	// Counted outside the write, because it reads the index up to the item.
	out.Item.Position, err = s.position(ctx, by, in)
	return out, err
}
