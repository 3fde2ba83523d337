package account

import (
	"context"
	"errors"

	"github.com/alexedwards/argon2id"

	"hearth/app/core"
	"hearth/store"
)

// dummyHash is compared with for an address without a password, so that it
// takes as long. Nobody knows what it is of, and a match would not count.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$oct52ceYOy9mxJ/HFxqsEg$qpdZ2+9xOtfj2xRo4mlobUmty5vxwnVgqbWthK6c9+U"

// LoginIn is an address and its password.
type LoginIn struct {
	Email    string `json:"email" required:"true" max:"254" format:"email"`
	Password string `json:"password" required:"true" max:"1000" raw:"true"`
}

// login returns a user token of 7 days for an account that has a password.
// A wrong password, an unknown address and an account without a password are
// one answer: Unauthenticated, invalid_credentials. Too many tries from a
// network or for an address: TooMany.
func (s *Service) login(ctx context.Context, by store.Viewer, in LoginIn) (out TokenOut, err error) {
	var u store.User
	err = s.db.Read(ctx, func(r *store.Reader) (err error) {
		if u, err = r.UserByEmail(in.Email); errors.Is(err, store.ErrNoRow) {
			err = nil
		}
		return err
	})
	if err != nil {
		return out, err
	}
	ok, err := s.matches(ctx, in.Password, u.PasswordHash)
	if err != nil {
		return out, err
	}
	if !ok || !sameAddress(u.Email, in.Email) {
		return out, core.New(core.Unauthenticated, "invalid_credentials", "The e-mail address and the password do not belong together. Try again, or sign in with a link by mail.")
	}
	if u.SuspendedAt != 0 {
		return out, errSuspended
	}
	row, err := s.loggedIn(ctx, by, u)
	if err != nil {
		return out, err
	}
	return s.tokenFor(u, row)
}

// loggedIn adds the session, unless the password was dropped or changed while
// it was being compared.
func (s *Service) loggedIn(ctx context.Context, by store.Viewer, u store.User) (row store.Session, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.User(u.ID)
		if err != nil {
			return signedOut(err)
		}
		if now.PasswordHash != u.PasswordHash || now.Epoch != u.Epoch || now.SuspendedAt != 0 {
			return core.ErrUnauthenticated
		}
		row, err = addToken(tx, now, "token", by.Device, tokenLife)
		return err
	})
	return row, err
}

// HashPassword returns the argon2id hash under which a password is kept. It
// waits for its turn: each takes 19 MiB and tens of milliseconds.
func (s *Service) HashPassword(ctx context.Context, password string) (hash string, err error) {
	err = s.inTurn(ctx, func() error {
		hash, err = argon2id.CreateHash(password, &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
		return err
	})
	return hash, err
}

// matches compares a password with a hash; "" is the hash of none.
func (s *Service) matches(ctx context.Context, password, hash string) (ok bool, err error) {
	against := hash
	if hash == "" {
		against = dummyHash
	}
	err = s.inTurn(ctx, func() error {
		ok, err = argon2id.ComparePasswordAndHash(password, against)
		return err
	})
	return ok && hash != "", err
}

// maxWaiting is how many passwords may wait for each that is being compared:
// about a second of work. More would fill the server with requests that wait,
// and everybody else would be turned away.
const maxWaiting = 25

func (s *Service) inTurn(ctx context.Context, f func() error) error {
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return core.New(core.Unavailable, "busy", "Too many people are signing in with a password at this moment. Try again in a few seconds, or sign in with a link by mail.")
	}
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
		return f()
	case <-ctx.Done():
		return ctx.Err()
	}
}
