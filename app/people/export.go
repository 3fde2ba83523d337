package people

import (
	"cmp"
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns the package's part of an account's export.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{"blockedUsers": s.exportBlocks, "friendConnections": s.exportFriends}
}

func (s *Service) exportBlocks(ctx context.Context, e *core.Export) error {
	var rows []store.Block
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		rows, err = r.Blocks(e.By, maxBlocks)
		return err
	})
	if err != nil {
		return err
	}
	ids := core.Map(rows, func(b store.Block) string { return b.UserID })
	return core.ExportParts(ctx, e, ids, core.ExportPeople, func(part []string) (page []Block, err error) {
		err = s.db.Read(ctx, func(r *store.Reader) error {
			left, err := r.BlocksByID(e.By, part...) // some may have ended meanwhile
			if err != nil {
				return err
			}
			slices.SortFunc(left, func(a, b store.Block) int {
				return cmp.Compare(slices.Index(part, a.UserID), slices.Index(part, b.UserID))
			})
			page, err = blocks(r, e.By, left)
			return err
		})
		return page, err
	})
}

// exportFriends writes one list: friends, received requests and sent requests.
func (s *Service) exportFriends(ctx context.Context, e *core.Export) error {
	var rows []store.Friend
	err := s.db.Read(ctx, func(r *store.Reader) (err error) {
		rows, err = r.Friends(e.By, maxFriends)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b store.Friend) int { return cmp.Compare(a.State, b.State) })
	ids := core.Map(rows, func(f store.Friend) string { return f.UserID })
	return core.ExportParts(ctx, e, ids, core.ExportPeople, func(part []string) (page []Friend, err error) {
		err = s.db.Read(ctx, func(r *store.Reader) error {
			left, err := r.FriendsByID(e.By, part...) // some may have ended meanwhile
			if err != nil {
				return err
			}
			slices.SortFunc(left, func(a, b store.Friend) int {
				return cmp.Compare(slices.Index(part, a.UserID), slices.Index(part, b.UserID))
			})
			users, err := profiles(r, e.By, part)
			page = core.Map(left, func(f store.Friend) Friend { return Friend{statusOf(f), users[f.UserID]} })
			return err
		})
		return page, err
	})
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
