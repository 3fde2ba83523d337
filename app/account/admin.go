package account

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// The methods below serve the command line. They take e-mail addresses and check
// no permission: access to the database file is the permission.

// ListUsers returns up to limit accounts ordered by address, starting after the
// address after.
func (s *Service) ListUsers(ctx context.Context, after string, limit int) (users []store.User, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		users, err = r.Users(after, limit)
		return err
	})
	return users, err
}

// LinkFor returns a sign-in link for an address. It works once, within 15
// minutes, and needs no mail server. If the address has no account, LinkFor
// creates one if create is set and else returns NotFound. A suspended account is
// a Conflict.
func (s *Service) LinkFor(ctx context.Context, email string, create bool) (url string, err error) {
	in := MagicLinkIn{Email: email}
	if err := core.Check(&in); err != nil {
		return "", err
	}
	token := randomText(32)
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(in.Email)
		if errors.Is(err, store.ErrNoRow) && create {
			u, err = tx.InsertUser(store.User{Email: in.Email, Name: nameFrom(in.Email), SignupProvider: "operator"})
		}
		if err != nil {
			return err
		}
		if u.SuspendedAt != 0 {
			return core.New(core.Conflict, "account_suspended", "The account is suspended. Unsuspend it first.")
		}
		return tx.InsertLink(store.LoginLink{
			TokenHash: core.Digest(token), Email: u.Email, CodeHash: s.codeHash(u.Email, randomText(32)), ExpiresAt: tx.Now.Add(linkLife),
		})
	})
	if err != nil {
		return "", s.noAccount(err, in.Email)
	}
	return s.linkURL(token), nil
}

// Promote makes the account of an address an administrator.
func (s *Service) Promote(ctx context.Context, email string) error {
	return s.change(ctx, email, func(_ *store.Tx, u *store.User) error {
		u.IsAdmin = true
		return nil
	})
}

// Suspend ends the sessions and live streams of an account, and disables it
// and its keys until Unsuspend. It returns Conflict, with the code last_admin,
// for the only administrator.
func (s *Service) Suspend(ctx context.Context, email string) error {
	return s.change(ctx, email, func(tx *store.Tx, u *store.User) (err error) {
		if u.SuspendedAt != 0 {
			return nil
		}
		if err := checkLastAdmin(tx, *u); err != nil {
			return err
		}
		u.SuspendedAt = tx.Now
		*u, err = revokeSessions(tx, *u)
		return err
	})
}

// checkLastAdmin returns Conflict if u is the only administrator who is not
// suspended. It must run in the write that suspends or deletes u.
func checkLastAdmin(tx *store.Tx, u store.User) error {
	if !u.IsAdmin || u.SuspendedAt != 0 {
		return nil
	}
	has, err := tx.HasOtherAdmin(u.ID)
	if err != nil || has {
		return err
	}
	return core.New(core.Conflict, "last_admin", "%s is the only active administrator. Promote another account first, then try again.", u.Email)
}

// Unsuspend lifts the suspension of an account.
func (s *Service) Unsuspend(ctx context.Context, email string) error {
	return s.change(ctx, email, func(_ *store.Tx, u *store.User) error {
		u.SuspendedAt = 0
		return nil
	})
}

func (s *Service) change(ctx context.Context, email string, f func(*store.Tx, *store.User) error) error {
	return s.noAccount(s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		if err != nil {
			return err
		}
		if err := f(tx, &u); err != nil {
			return err
		}
		_, err = tx.UpdateUser(u)
		return err
	}), email)
}

func (s *Service) noAccount(err error, email string) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.New(core.NotFound, "no_account", "No account has the address %q. List accounts with: hearth user ls", email)
	}
	return err
}
