package op

import (
	"errors"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// lastingToken is how long a token must have been issued for to make what does not
// end with it. It is the default of the identity bridge.
const lastingToken = 24 * time.Hour

// clockSlack is how much sooner a key may end that was asked to last for a day by the
// clock of a client.
const clockSlack = time.Hour

// CheckLasting returns nil if by may make what lasts longer than the session of the
// caller, such as a key or a webhook: Forbidden, with the code short_lived_token, for
// a token that was issued for less than a day, and Unauthenticated if the session has
// ended. An embedded token, which other sites' pages have, is always issued for less.
// The same holds for keys, with the code short_lived_key. Callers with neither are
// internal.
func CheckLasting(r *store.Reader, by store.Viewer, what string) error {
	if by.KeyID != "" {
		return checkLastingKey(r, by, what)
	}
	if by.SessionID == "" {
		return nil
	}
	u, err := r.SessionUser(by.SessionID)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return core.ErrUnauthenticated
	case err == nil && u.Kind != "browser" && u.ExpiresAt.Sub(u.CreatedAt).Round(time.Second) < lastingToken:
		return core.New(core.Forbidden, "short_lived_token",
			"This token was issued for less than 24 hours, and %s would outlive it. Sign in, or use a token that is issued for at least a day.",
			what)
	}
	return err
}

func checkLastingKey(r *store.Reader, by store.Viewer, what string) error {
	k, err := r.KeyUser(by.KeyID)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return core.ErrUnauthenticated
	case err == nil && k.ExpiresAt != 0 && k.ExpiresAt.Sub(k.CreatedAt) < lastingToken-clockSlack:
		return core.New(core.Forbidden, "short_lived_key",
			"This key was made for less than 24 hours, and %s would outlive it. Sign in, or use a key that is valid for at least a day.", what)
	}
	return err
}
