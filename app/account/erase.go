package account

import (
	"cmp"
	"context"

	"hearth/app/core"
	"hearth/store"
)

func (s *Service) deleteMe(ctx context.Context, by store.Viewer, _ core.None) (core.None, error) {
	err := s.erase(ctx, by.UserID, func(*store.Tx, store.User) error { return nil })
	return core.None{}, ownAccountError(err)
}

// Erase deletes the account of an address or with an id, for the command line.
func (s *Service) Erase(ctx context.Context, who string) error {
	u, err := store.Get(ctx, s.db, func(r *store.Reader) (store.User, error) { return Find(r, who) })
	if err == nil {
		err = s.erase(ctx, u.ID, func(tx *store.Tx, u store.User) error {
			if u.IsSystem {
				return core.New(core.Conflict, "system_account", "This account belongs to the server and cannot be deleted.")
			}
			return tx.Audit(store.Viewer{Kind: store.Operator}, "user.erase", store.DeletedUserID, "")
		})
	}
	return noAccount(err, who)
}

func (s *Service) erase(ctx context.Context, userID string, check func(*store.Tx, store.User) error) error {
	var ledger []store.Erased
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.User(userID)
		if err == nil {
			err = cmp.Or(check(tx, u), checkLastAdmin(tx, u))
		}
		if err == nil {
			ledger, err = s.eraseUser(tx, userID)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.db.AppendLedger(ledger)
}

func (s *Service) eraseUser(tx *store.Tx, userID string) (ledger []store.Erased, err error) {
	bots, err := tx.BotIDs(userID)
	if err != nil {
		return nil, err
	}
	for _, id := range append(bots, userID) {
		err := emitAuthChanged(tx, id, id)
		what, e := tx.EraseUser(id)
		if err = cmp.Or(err, e, s.ended(tx, store.Ended{Erasure: what})); err != nil {
			return nil, err
		}
		ledger = append(ledger, store.Erased{UserID: id, At: tx.Now})
	}
	return ledger, nil
}

// ReapplyErasures deletes again every account of the deletion ledger that an older backup has brought back. It also
// makes the ledger in the file and the one beside it the same. It must run before the file is served. It returns the
// number of accounts deleted.
func (s *Service) ReapplyErasures(ctx context.Context) (accounts int, err error) {
	ledger, err := store.ReadLedger(s.db.Path())
	if err != nil {
		return 0, err
	}
	var ids []string
	var all []store.Erased
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddErased(ledger); err != nil {
			return err
		}
		if ids, err = tx.Resurrected(); err != nil {
			return err
		}
		all, err = tx.Erased()
		return err
	})
	if err == nil {
		err = s.db.AppendLedger(all)
	}
	for _, id := range ids {
		if err != nil {
			return 0, err
		}
		err = s.db.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.User(id)
			if err == nil {
				_, err = s.eraseUser(tx, id)
			}
			return store.Optional(err) // a bot was deleted with its owner
		})
	}
	return len(ids), err
}
