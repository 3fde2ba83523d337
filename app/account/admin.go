package account

import (
	"cmp"
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
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, err := Find(&tx.Reader, who)
		if errors.Is(err, store.ErrNoRow) && create {
			u, err = createFor(tx, who)
		}
		if err != nil {
			return err
		}
		link, err := s.signInLink(tx, u)
		url = link.URL
		return err
	})
	return url, noAccount(err, who)
}

// SignInLink is a link that signs in to an account, once.
type SignInLink struct {
	URL       string     `json:"url"`
	ExpiresAt store.Time `json:"expiresAt"`
}

func (s *Service) signInLink(tx *store.Tx, u store.User) (SignInLink, error) {
	switch {
	case u.SuspendedAt != 0:
		return SignInLink{}, core.New(core.Conflict, "account_suspended", "The account is suspended. Unsuspend it first.")
	case u.BotOwnerID != "" || u.IsSystem:
		return SignInLink{}, errBot
	}
	token := core.NewSecret(32)
	link := store.LoginLink{TokenHash: core.Digest(token), Email: u.Email, CodeHash: s.codeHash(u.Email, core.NewSecret(32)),
		ExpiresAt: tx.In(linkLife)}
	if !u.HasAddress() {
		link.Email, link.UserID = "", u.ID
	}
	return SignInLink{s.linkURL(token), link.ExpiresAt}, tx.InsertLink(link)
}

// createSignInLink is for a member who cannot sign in: no mail arrives, or the server sends none.
func (s *Service) createSignInLink(tx *store.Tx, by store.Viewer, in core.ByID) (out SignInLink, err error) {
	u, err := tx.User(in.ID)
	if err != nil {
		return out, err
	}
	out, err = s.signInLink(tx, u)
	return out, cmp.Or(err, tx.Audit(by, "user.link", u.ID, ""))
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
