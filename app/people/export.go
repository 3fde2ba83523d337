package people

import (
	"context"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

// Exports returns what the package writes into the export of an account.
func (s *Service) Exports() map[string]core.ExportFunc {
	return map[string]core.ExportFunc{"blockedUsers": s.exportBlocks, "friendConnections": s.exportFriends}
}

func (s *Service) exportBlocks(ctx context.Context, e *core.Export) error {
	out, err := s.listBlocks(ctx, e.By, core.None{})
	if err != nil {
		return err
	}
	return e.Value(out)
}

// exportFriends writes friends and requests as one list.
func (s *Service) exportFriends(ctx context.Context, e *core.Export) error {
	out, err := s.listFriends(ctx, e.By, core.None{})
	if err != nil {
		return err
	}
	return e.Value(slices.Concat(out.Friends, out.Incoming, out.Outgoing))
}

// Redacted tells those who were friends of a deleted account, or asked it or
// were asked by it, that they are not any more.
func Redacted(tx *store.Tx, what store.Redaction) error {
	for _, id := range what.People {
		if err := tx.Emit(store.Event{Topic: id, Kind: friendUpdated, ObjectID: what.UserID, ActorID: store.DeletedUserID}); err != nil {
			return err
		}
	}
	return nil
}

// Proven tells both sides of friendships and requests that they ended, because the
// address of one was proven for the first time.
func Proven(tx *store.Tx, what store.Unproven) error {
	for _, f := range what.Friends {
		if err := friendsChanged(tx, f.ID, f.OtherID); err != nil {
			return err
		}
	}
	return nil
}
