package account

import (
	"context"
	"time"

	"github.com/alexedwards/argon2id"

	"hearth/app/core"
	"hearth/app/limit"
	"hearth/store"
)

// dummyHash is compared for an account without a password, so that the response time does not reveal it. A match does
// not count.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$oct52ceYOy9mxJ/HFxqsEg$qpdZ2+9xOtfj2xRo4mlobUmty5vxwnVgqbWthK6c9+U"

// LoginIn is an e-mail address and a password.
type LoginIn struct {
	Email    string `json:"email" required:"true" max:"254" format:"email"`
	Password string `json:"password" required:"true" max:"1000" raw:"true"`
}

func (s *Service) login(ctx context.Context, by store.Viewer, in LoginIn) (out TokenOut, err error) {
	email := store.Fold(in.Email)
	// Limited by network and address first, so that a stranger cannot lock the owner out.
	err = s.rates.Use(limit.PasswordsFrom, by.IP+" "+email)
	if err == nil {
		err = s.rates.Use(limit.PasswordsFor, email)
	}
	if err != nil {
		return out, err
	}
	u, err := store.Get(ctx, s.db, func(r *store.Reader) (store.User, error) { return r.UserByEmail(in.Email) })
	if store.Optional(err) != nil {
		return out, err
	}
	ok, err := s.matches(ctx, in.Password, u.PasswordHash)
	if err != nil {
		return out, err
	}
	if !ok || !sameAddress(u.Email, in.Email) {
		return out, core.New(core.Unauthenticated, "invalid_credentials",
			"Wrong e-mail address or password. Try again, or sign in with a link by e-mail.")
	}
	if u.SuspendedAt != 0 {
		return out, errSuspended
	}
	row, err := s.addLoginSession(ctx, by, u)
	if err != nil {
		return out, err
	}
	return s.tokenFor(u, row)
}

// The account may have changed while the password was compared.
func (s *Service) addLoginSession(ctx context.Context, by store.Viewer, u store.User) (row store.Session, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.User(u.ID)
		if err != nil {
			return ownAccountError(err)
		}
		if now.PasswordHash != u.PasswordHash || now.Epoch != u.Epoch || now.SuspendedAt != 0 {
			return core.ErrUnauthenticated
		}
		row, err = addToken(tx, now, "token", by.Device, tokenLife)
		return err
	})
	return row, err
}

// HashPassword returns the argon2id hash of a password. A hash takes 19 MiB and tens of milliseconds, so only a few
// run at once; the others wait.
func (s *Service) HashPassword(ctx context.Context, password string) (hash string, err error) {
	err = s.hash(ctx, func() (err error) {
		hash, err = argon2id.CreateHash(password, &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16,
			KeyLength: 32})
		return err
	})
	return hash, err
}

func (s *Service) matches(ctx context.Context, password, hash string) (ok bool, err error) {
	against := hash
	if hash == "" {
		against = dummyHash
	}
	err = s.hash(ctx, func() (err error) {
		ok, err = argon2id.ComparePasswordAndHash(password, against)
		return err
	})
	return ok && hash != "", err
}

// A password waits at most this long for those before it.
const (
	hashWait = time.Second
	hashBusy = "Too many people are signing in with a password right now. Try again in a few seconds, or sign in with a link by e-mail."
)

func (s *Service) hash(ctx context.Context, f func() error) error {
	leave, err := s.hashing.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer leave()
	return f()
}
