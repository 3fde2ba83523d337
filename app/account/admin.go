package account

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/store"
)

// What those do who run the server, from its command line. They name people
// by address, and nobody asks who they are: they hold the file.

// ListUsers returns up to limit accounts by address, from behind after on.
func (s *Service) ListUsers(ctx context.Context, after string, limit int) (users []store.User, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		users, err = r.Users(after, limit)
		return err
	})
	return users, err
}

// LinkFor returns a sign-in link for an address: good once, for 15 minutes,
// also on a server without mail. An address without an account is NotFound,
// unless create says to make one.
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
			return core.New(core.Conflict, "account_suspended", "The account is suspended. Lift that first.")
		}
		return tx.InsertLink(store.LoginLink{
			TokenHash: digest(token), Email: u.Email, CodeHash: s.codeHash(u.Email, randomText(32)), ExpiresAt: tx.Now.Add(linkLife),
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

// Suspend shuts an account out: its sessions and live streams end at once, and
// its keys do not work until Unsuspend.
func (s *Service) Suspend(ctx context.Context, email string) error {
	return s.change(ctx, email, func(tx *store.Tx, u *store.User) (err error) {
		if u.SuspendedAt != 0 {
			return nil
		}
		u.SuspendedAt = tx.Now
		*u, err = endEverything(tx, *u)
		return err
	})
}

// Unsuspend lets a suspended account in again.
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
		return core.New(core.NotFound, "no_account", "There is no account with the address %q. List them with: hearth user ls", email)
	}
	return err
}
