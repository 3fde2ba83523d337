package account

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// The methods below serve the command line. They check no permission: access to the database file is the permission.

// ListUsers returns up to limit accounts with an address greater than after, ordered by address.
func (s *Service) ListUsers(ctx context.Context, after string, limit int) ([]store.User, error) {
	return store.Get(ctx, s.db, func(r *store.Reader) ([]store.User, error) { return r.Users(after, limit) })
}

// LinkFor returns a sign-in link for an address, valid once and for 15 minutes. It needs no mail server. An unknown
// address is NotFound, or gets an account if create is set. A suspended account is a Conflict.
func (s *Service) LinkFor(ctx context.Context, email string, create bool) (url string, err error) {
	in := MagicLinkIn{Email: email}
	if err := core.Check(&in); err != nil {
		return "", err
	}
	token := core.NewSecret(32)
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := UserOf(&tx.Reader, in.Email)
		if errors.Is(err, store.ErrNoRow) && create {
			if err = freeAddress(tx, in.Email); err == nil {
				u, err = tx.InsertUser(store.User{Email: in.Email, Name: nameFrom(in.Email), SignupProvider: "operator"})
			}
		}
		if err != nil {
			return err
		}
		if u.SuspendedAt != 0 {
			return core.New(core.Conflict, "account_suspended", "The account is suspended. Unsuspend it first.")
		}
		if u.BotOwnerID != "" {
			return errBot
		}
		return tx.InsertLink(store.LoginLink{
			TokenHash: core.Digest(token), Email: u.Email, CodeHash: s.codeHash(u.Email, core.NewSecret(32)), ExpiresAt: tx.In(linkLife),
		})
	})
	if err != nil {
		return "", noAccount(err, in.Email)
	}
	return s.linkURL(token), nil
}

var errBot = core.New(core.Conflict, "bot_account", "This is the account of a bot. Only its keys act as it.")

// Act applies act, such as Promote, to the account of an address.
func (s *Service) Act(ctx context.Context, email string, act func(*store.Tx, store.Viewer, store.User) error) error {
	return noAccount(s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := UserOf(&tx.Reader, email)
		if err != nil {
			return err
		}
		return act(tx, store.Viewer{Kind: store.Operator}, u)
	}), email)
}

// Promote makes the account of an address an administrator.
func (s *Service) Promote(ctx context.Context, email string) error { return s.Act(ctx, email, Promote) }

func noAccount(err error, email string) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.New(core.NotFound, "no_account", "No account has the address %q. List accounts with: hearth user ls", email)
	}
	return err
}
