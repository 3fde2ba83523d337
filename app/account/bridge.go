package account

import (
	"context"
	"errors"
	"strconv"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// BridgeExchangeIn is what the trusted peer service says of a person whose
// address it has verified.
type BridgeExchangeIn struct {
	App           string  `json:"app" required:"true" enum:"social"`
	Email         string  `json:"email" required:"true" max:"254" format:"email"`
	Name          string  `json:"name" max:"80" line:"true" doc:"Used when the account is made, and not later."`
	AvatarURL     string  `json:"avatarUrl" max:"2048" format:"url" doc:"Used when the account is made, and not later."`
	TTL           *string `json:"ttl" max:"20" doc:"How long the token is good: digits and one of s, m, h, d; 24h if left out. More than 7d is taken as 7d."`
	ProvisionOnly bool    `json:"provisionOnly" doc:"Make or find the account and return no token."`
}

// BridgeUser is who the bridge exchanged for.
type BridgeUser struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// BridgeExchangeOut is the account, with a user token unless none was wanted.
type BridgeExchangeOut struct {
	Token string     `json:"token,omitzero"`
	User  BridgeUser `json:"user"`
}

// bridgeExchange finds or makes the account of an address that the peer
// service has verified, and returns a user token for it. A suspended account,
// or an address that only looks like that of another account: Invalid.
func (s *Service) bridgeExchange(ctx context.Context, by store.Viewer, in BridgeExchangeIn) (out BridgeExchangeOut, err error) {
	if by.Kind != store.Bridge {
		return out, core.ErrUnauthenticated
	}
	life := 24 * time.Hour
	if in.TTL != nil {
		if life, err = parseTTL(*in.TTL); err != nil {
			return out, err
		}
	}
	want := store.User{Email: in.Email, Name: in.Name, AvatarURL: in.AvatarURL, SignupProvider: "social-bridge"}
	var u store.User
	var row store.Session
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, _, err = s.provenPerson(tx, want, true)
		if err == nil && !in.ProvisionOnly {
			row, err = addToken(tx, u, "bridge", in.App, life)
		}
		return err
	})
	switch {
	case errors.Is(err, errSuspended):
		return out, core.New(core.Invalid, "account_suspended", "The account of this address is suspended, so nobody can be signed in to it.")
	case errors.Is(err, errOtherAddress):
		return out, core.InvalidField("email", "An account with an address that reads the same exists. Use the address as it stands there.")
	case err != nil:
		return out, err
	}
	out.User = BridgeUser{ID: u.ID, Email: u.Email, Name: u.Name}
	if !in.ProvisionOnly {
		token, err := s.tokenFor(u, row)
		if err != nil {
			return BridgeExchangeOut{}, err
		}
		out.Token = token.Token
	}
	return out, nil
}

// parseTTL reads digits and a unit; more than seven days is seven days.
func parseTTL(s string) (time.Duration, error) {
	wrong := core.InvalidField("ttl", "ttl must be digits and one of s, m, h, d, such as 24h, and more than nothing.")
	if len(s) < 2 {
		return 0, wrong
	}
	unit, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]
	digits := s[:len(s)-1]
	for _, c := range digits {
		ok = ok && c >= '0' && c <= '9'
	}
	if !ok {
		return 0, wrong
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err == nil && n == 0 {
		return 0, wrong
	}
	if err != nil || n > uint64(tokenLife/unit) {
		return tokenLife, nil
	}
	return time.Duration(n) * unit, nil
}
