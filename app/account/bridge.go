package account

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// BridgeExchangeRequest describes a person whose address the trusted peer service has verified.
type BridgeExchangeRequest struct {
	App           string  `json:"app" required:"true" enum:"social"`
	Email         string  `json:"email" required:"true" max:"254" format:"email"`
	Name          string  `json:"name" max:"80" line:"true" doc:"Used if the account is created, otherwise ignored."`
	AvatarURL     string  `json:"avatarUrl" max:"2048" format:"url" doc:"Used if the account is created, otherwise ignored."`
	TTL           *string `json:"ttl" max:"1000" doc:"Lifetime of the token: a number and one of s, m, h, d. Default 24h, at most 7d."`
	ProvisionOnly bool    `json:"provisionOnly" doc:"Find or create the account without returning a token."`
}

// BridgeUser is the account that was exchanged for.
type BridgeUser struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// BridgeExchangeResponse has the account, and a user token unless ProvisionOnly was set.
type BridgeExchangeResponse struct {
	Token string     `json:"token,omitzero"`
	User  BridgeUser `json:"user"`
}

// SignedIn returns the account with a token, or "".
func (o *BridgeExchangeResponse) SignedIn() string {
	if o.Token == "" {
		return ""
	}
	return o.User.ID
}

// A differently folded address of an existing account is Invalid, so nobody gets an account by case folding.
func (s *Service) bridgeExchange(ctx context.Context, by store.Viewer, in BridgeExchangeRequest) (out BridgeExchangeResponse, err error) {
	if by.Kind != store.Bridge {
		return out, core.ErrUnauthenticated
	}
	life := 24 * time.Hour
	if in.TTL != nil {
		if life, err = parseTTL(*in.TTL); err != nil {
			return out, err
		}
	}
	want := store.User{Email: in.Email, Name: strings.TrimSpace(core.Plain(in.Name)), AvatarURL: in.AvatarURL, SignupProvider: "social-bridge"}
	var u store.User
	var row store.Session
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		u, _, err = s.verifiedUser(tx, want, true)
		if err == nil && !in.ProvisionOnly {
			row, err = addToken(tx, u, "bridge", in.App, life)
		}
		return err
	})
	switch {
	case errors.Is(err, errSuspended):
		return out, core.New(core.Invalid, "account_suspended", "The account with this address is suspended and cannot sign in.")
	case errors.Is(err, errSimilarAddress):
		return out, core.InvalidField("email", "An account with nearly the same address exists. Use exactly the address of that account.")
	case err != nil:
		return out, err
	}
	out.User = BridgeUser{ID: u.ID, Email: u.Email, Name: u.Name}
	if !in.ProvisionOnly {
		token, err := s.tokenFor(u, row)
		out.Token = token.Token
		return out, err
	}
	return out, nil
}

func parseTTL(s string) (time.Duration, error) {
	wrong := core.InvalidField("ttl", "ttl must be a positive number followed by s, m, h or d, for example 24h.")
	if len(s) < 2 {
		return 0, wrong
	}
	unit, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 64)
	if !ok || errors.Is(err, strconv.ErrSyntax) || err == nil && n == 0 {
		return 0, wrong
	}
	if err != nil || n > uint64(tokenLife/unit) {
		return tokenLife, nil
	}
	return time.Duration(n) * unit, nil
}
