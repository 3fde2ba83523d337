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

// LinkFor returns a sign-in link for the account of an address or with an id, valid once and for 15 minutes. It needs
// no mail server. An unknown address is NotFound, or gets an account if create is set. A suspended account is a
// Conflict.
func (s *Service) LinkFor(ctx context.Context, who string, create bool) (url string, err error) {
	token := core.NewSecret(32)
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := Find(&tx.Reader, who)
		if errors.Is(err, store.ErrNoRow) && create {
			u, err = createFor(tx, who)
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
		link := store.LoginLink{TokenHash: core.Digest(token), Email: u.Email, CodeHash: s.codeHash(u.Email, core.NewSecret(32)),
			ExpiresAt: tx.In(linkLife)}
		if !u.HasAddress() {
			link.Email, link.UserID = "", u.ID
		}
		return tx.InsertLink(link)
	})
	if err != nil {
		return "", noAccount(err, who)
	}
	return s.linkURL(token), nil
}

func createFor(tx *store.Tx, email string) (u store.User, err error) {
	in := MagicLinkIn{Email: email}
	if err = core.Check(&in); err == nil {
		err = freeAddress(tx, in.Email)
	}
	if err != nil {
		return u, err
	}
	return tx.InsertUser(store.User{Email: in.Email, Name: nameFrom(in.Email), SignupProvider: "operator"})
}

var errBot = core.New(core.Conflict, "bot_account", "This is the account of a bot. Only its keys act as it.")

// Act applies act, such as Promote, to the account of an address or with an id.
func (s *Service) Act(ctx context.Context, who string, act func(*store.Tx, store.Viewer, store.User) error) error {
	return noAccount(s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := Find(&tx.Reader, who)
		if err != nil {
			return err
		}
		return act(tx, store.Viewer{Kind: store.Operator}, u)
	}), who)
}

// Promote makes the account of an address an administrator.
func (s *Service) Promote(ctx context.Context, email string) error { return s.Act(ctx, email, Promote) }

func noAccount(err error, who string) error {
	if errors.Is(err, store.ErrNoRow) {
		return core.New(core.NotFound, "no_account", "No account has the address or the id %q. List accounts with: hearth user ls", who)
	}
	return err
}
