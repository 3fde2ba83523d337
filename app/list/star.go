package list

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

func (s *Service) star(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, func(tx *store.Tx, i store.Item) error {
		changed, err := tx.Star(i, by.UserID)
		if err != nil || !changed {
			return err
		}
		return tx.Emit(store.Event{Topic: i.ListID, Kind: starAdded, ObjectID: i.ID, ActorID: by.UserID})
	})
}

func (s *Service) unstar(ctx context.Context, by store.Viewer, in GetItemIn) (ItemOut, error) {
	return s.setStar(ctx, by, in, func(tx *store.Tx, i store.Item) error {
		changed, err := tx.Unstar(i, by.UserID)
		if err != nil || !changed {
			return err
		}
		return tx.Emit(store.Event{Topic: i.ListID, Kind: starRemoved, ObjectID: i.ID, ActorID: by.UserID})
	})
}

func (s *Service) setStar(ctx context.Context, by store.Viewer, in GetItemIn, set func(*store.Tx, store.Item) error) (out ItemOut,
	err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Item(by, in.ListID, in.ItemID)
		if err != nil {
			return err
		}
		if err := set(tx, i); err != nil {
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
