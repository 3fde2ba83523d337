package people

import (
	"cmp"
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// maxBlocks is how many people an account blocks at most.
const maxBlocks = 1000

// Block is a person whom the caller blocks.
type Block struct {
	User      core.PublicUser `json:"user"`
	BlockedAt store.Time      `json:"blockedAt"`
}

// listBlocks returns the people whom the caller blocks, the latest first.
func (s *Service) listBlocks(ctx context.Context, by store.Viewer, _ core.None) (out []Block, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		rows, err := r.Blocks(by, maxBlocks)
		if err == nil {
			out, err = blocks(r, by, rows)
		}
		return err
	})
	return out, err
}

// blocks returns the rows with the people in them, in their order.
func blocks(r *store.Reader, by store.Viewer, rows []store.Block) ([]Block, error) {
	users, err := profiles(r, by, core.Map(rows, func(b store.Block) string { return b.UserID }))
	return core.Map(rows, func(b store.Block) Block {
		return Block{User: users[b.UserID], BlockedAt: b.CreatedAt}
	}), err
}

// profiles returns accounts as the caller sees them, by id. The caller has read
// the ids from rows of their own.
func profiles(r *store.Reader, by store.Viewer, ids []string) (map[string]core.PublicUser, error) {
	found, err := r.Profiles(by, ids)
	out := make(map[string]core.PublicUser, len(found))
	for _, u := range found {
		out[u.ID] = core.PublicUserOf(u)
	}
	return out, err
}

// blockUser hides the caller and another person from each other, and ends their
// friendship or request; the end of a cooldown stays as it is. It changes nothing
// if the caller blocks the person already. It returns NotFound for a person whom
// the caller cannot see and with whom they share no conversation, Invalid for
// themselves, and Conflict if they block 1,000 people.
func (s *Service) blockUser(ctx context.Context, by store.Viewer, in UserIn) (out Block, err error) {
	if in.UserID == by.UserID {
		return out, core.New(core.Invalid, "own_account", "You cannot block yourself. Send the id of another person.")
	}
	var changed bool
	err = s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if _, err = tx.Block(by, in.UserID); errors.Is(err, store.ErrNoRow) {
			changed = true
			return s.insertBlock(tx, by, in.UserID)
		}
		changed = false
		return err
	})
	if err != nil {
		return out, core.Found(err)
	}
	if changed {
		s.reshow(ctx, by.UserID, in.UserID)
	}
	err = s.db.Read(ctx, func(r *store.Reader) error {
		row, err := r.Block(by, in.UserID)
		if err != nil {
			return err
		}
		found, err := blocks(r, by, []store.Block{row})
		if err == nil {
			out = found[0]
		}
		return err
	})
	return out, core.Found(err)
}

func (s *Service) insertBlock(tx *store.Tx, by store.Viewer, userID string) error {
	ok, err := tx.MayBlock(by, userID)
	if err != nil {
		return err
	}
	if !ok {
		return core.ErrNotFound
	}
	requestsChanged, err := s.watchRequests(tx, by.UserID, userID)
	if err != nil {
		return err
	}
	count, err := tx.InsertBlock(by.UserID, userID)
	if err != nil {
		return err
	}
	if count > maxBlocks {
		return core.New(core.Conflict, "too_many_blocks", "You block %d people already. Unblock some of them first.", maxBlocks)
	}
	if were, err := tx.DeleteFriends(by.UserID, userID); err != nil {
		return err
	} else if were {
		if err := friendsChanged(tx, by.UserID, userID); err != nil {
			return err
		}
	}
	return cmp.Or(s.blocksChanged(tx, by.UserID, userID), requestsChanged())
}

// unblockUser ends a block. It returns NotFound if the caller does not block the
// person. They stay hidden from each other while the other blocks the caller.
func (s *Service) unblockUser(ctx context.Context, by store.Viewer, in UserIn) (core.None, error) {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		requestsChanged, err := s.watchRequests(tx, by.UserID, in.UserID)
		if err != nil {
			return err
		}
		if err := tx.DeleteBlock(by.UserID, in.UserID); err != nil {
			return err
		}
		return cmp.Or(s.blocksChanged(tx, by.UserID, in.UserID), requestsChanged())
	})
	if err == nil {
		s.reshow(ctx, by.UserID, in.UserID)
	}
	return core.None{}, core.Found(err)
}

// blocksChanged hides the direct conversations of two accounts and of their bots
// or shows them again, and records the change for all of these. The events do not
// tell who blocks whom.
func (s *Service) blocksChanged(tx *store.Tx, a, b string) error {
	changed, err := tx.HideDirects(a, b)
	for _, d := range changed {
		if err == nil {
			err = s.hidden(tx, d.ID, d.Members[:], d.Hidden)
		}
	}
	topics := []string{a, b}
	for _, person := range topics[:2:2] {
		if err == nil {
			var bots []string
			bots, err = tx.BotIDs(person)
			topics = append(topics, bots...)
		}
	}
	for _, topic := range topics {
		if err == nil {
			err = tx.Emit(store.Event{Topic: topic, Kind: blockChanged, ObjectID: topic})
		}
	}
	return err
}
