package people

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"hearth/app/core"
	"hearth/store"
)

const maxBlocks = 1000

// Block is a person that the caller blocks.
type Block struct {
	User      core.PublicUser `json:"user"`
	BlockedAt store.Time      `json:"blockedAt"`
}

func listBlocks(r *store.Reader, by store.Viewer, _ core.None) ([]Block, error) {
	rows, err := r.Blocks(by, maxBlocks)
	if err != nil {
		return nil, err
	}
	return blocks(r, by, rows)
}

func blocks(r *store.Reader, by store.Viewer, rows []store.Block) ([]Block, error) {
	users, err := profiles(r, by, core.Map(rows, func(b store.Block) string { return b.UserID }))
	return core.Map(rows, func(b store.Block) Block {
		return Block{User: users[b.UserID], BlockedAt: b.CreatedAt}
	}), err
}

func profiles(r *store.Reader, by store.Viewer, ids []string) (map[string]core.PublicUser, error) {
	found, err := r.Profiles(by, ids)
	out := make(map[string]core.PublicUser, len(found))
	for _, u := range found {
		out[u.ID] = core.PublicUserOf(u)
	}
	return out, err
}

// blockUser hides two people from each other, and ends their friendship or request. A cooldown stays. It is
// Conflict for more than 1,000 people, and NotFound for a person who is hidden and shares no conversation.
func (s *Service) blockUser(ctx context.Context, by store.Viewer, in core.ByID) (out Block, err error) {
	if in.ID == by.UserID {
		return out, core.New(core.Invalid, "own_account", "You cannot block yourself. Send the id of another person.")
	}
	var changed bool
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.Block(by, in.ID)
		if changed = errors.Is(err, store.ErrNoRow); changed {
			if err = s.insertBlock(tx, by, in.ID); err == nil {
				row, err = tx.Block(by, in.ID)
			}
		}
		if err != nil {
			return err
		}
		out, err = store.First(blocks(&tx.Reader, by, []store.Block{row}))
		return err
	})
	if err == nil && changed {
		s.cfg.Reshow(ctx, by.UserID, in.ID)
	}
	return out, core.Found(err)
}

func (s *Service) insertBlock(tx *store.Tx, by store.Viewer, userID string) error {
	ok, err := tx.MayBlock(by, userID)
	if err == nil && !ok {
		err = core.ErrNotFound
	}
	if err != nil {
		return err
	}
	requestsChanged, err := s.cfg.WatchInbox(tx, by.UserID, userID)
	if err != nil {
		return err
	}
	count, err := tx.InsertBlock(by.UserID, userID)
	if err == nil && count > maxBlocks {
		err = core.New(core.Conflict, "too_many_blocks", "You block %d people already. Unblock some of them first.", maxBlocks)
	}
	if err != nil {
		return err
	}
	were, err := tx.DeleteFriends(by.UserID, userID)
	if err == nil && were {
		err = friendsChanged(tx, by.UserID, userID)
	}
	return cmp.Or(err, s.blocksChanged(tx, by.UserID, userID), requestsChanged())
}

// unblockUser ends the caller's block. A block by the other person still hides both.
func (s *Service) unblockUser(ctx context.Context, by store.Viewer, in core.ByID) (core.None, error) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		requestsChanged, err := s.cfg.WatchInbox(tx, by.UserID, in.ID)
		if err != nil {
			return err
		}
		return cmp.Or(tx.DeleteBlock(by.UserID, in.ID), s.blocksChanged(tx, by.UserID, in.ID), requestsChanged())
	})
	if err == nil {
		s.cfg.Reshow(ctx, by.UserID, in.ID)
	}
	return core.None{}, core.Found(err)
}

// blocksChanged hides or shows the direct conversations of two accounts and their bots. The events do not
// reveal who blocks.
func (s *Service) blocksChanged(tx *store.Tx, a, b string) error {
	changed, err := tx.HideDirects(a, b)
	for _, d := range changed {
		err = cmp.Or(err, s.cfg.Hidden(tx, d.ID, []string{d.UserID, d.OtherID}, d.Hidden))
	}
	botsOfA, errA := tx.BotIDs(a)
	botsOfB, errB := tx.BotIDs(b)
	err = cmp.Or(err, errA, errB)
	for _, topic := range slices.Concat([]string{a, b}, botsOfA, botsOfB) {
		err = cmp.Or(err, tx.Emit(store.Event{Topic: topic, Kind: blockChanged, ObjectID: topic}))
	}
	return err
}
