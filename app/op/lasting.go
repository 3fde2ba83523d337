package op

import (
	"errors"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// lastingToken is how long a token must have been issued for to make what does not end with it. It is the default of
// the identity bridge.
const lastingToken = 24 * time.Hour

// clockSlack is how much sooner a key may end that was asked to last for a day by the clock of a client.
const clockSlack = time.Hour

// CheckLasting returns nil if by may make what lasts longer than the session of the caller, such as a key or a webhook:
// Forbidden, with the code short_lived_token, for a token that was issued for less than a day, and Unauthenticated if
// the session has ended. An embedded token, which other sites' pages have, is always issued for less. The same holds
// for keys, with the code short_lived_key. Callers with neither are internal.
func CheckLasting(r *store.Reader, by store.Viewer, what string) (err error) {
	var made, ends store.Time // 0 for what lasts
	kind, least := "token", lastingToken-time.Second/2
	switch {
	case by.KeyID != "":
		var k store.KeyUser
		k, err = r.KeyUser(by.KeyID)
		kind, least, made, ends = "key", lastingToken-clockSlack, k.CreatedAt, k.ExpiresAt
	case by.SessionID != "":
		var u store.SessionUser
		if u, err = r.SessionUser(by.SessionID); u.Kind != "browser" {
			made, ends = u.CreatedAt, u.ExpiresAt
		}
	}
	switch {
	case errors.Is(err, store.ErrNoRow):
		return core.ErrUnauthenticated
	case err == nil && ends != 0 && ends.Sub(made) < least:
		return core.New(core.Forbidden, "short_lived_"+kind,
			"This %s was issued for less than 24 hours, and %s would outlive it. Sign in, or use one that is issued for at least a day.", kind, what)
	}
	return err
}
