package account

import (
	"context"

	"hearth/app/core"
	"hearth/store"
)

// claimSetting keeps the hash of the one claim link that is good.
const claimSetting = "claim_token_hash"

// errClaim is the answer to a claim link that is not good, whatever the reason.
var errClaim = core.New(core.Invalid, "invalid_claim", "This link is not valid, or not any more. The server prints a new one when it starts, as long as nobody has claimed it.")

// ClaimURL returns a new one-time link whose opener becomes the administrator,
// and ends any earlier one; "" once there is an administrator. For the start
// of a server.
func (s *Service) ClaimURL(ctx context.Context) (url string, err error) {
	token := randomText(32)
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		url = ""
		has, err := tx.HasAdmin()
		if err != nil || has {
			return err
		}
		url = s.base + "/claim?token=" + token
		return tx.SetSetting(claimSetting, digest(token))
	})
	return url, err
}

// ClaimIn is who claims the server.
type ClaimIn struct {
	Token string `json:"token" required:"true" max:"100"`
	Email string `json:"email" required:"true" max:"254" format:"email"`
	Name  string `json:"name" max:"80" line:"true" doc:"For a new account; made from the address if left out."`
}

// CanClaim tells whether a claim link is good; Invalid with invalid_claim if not.
func (s *Service) CanClaim(ctx context.Context, token string) error {
	return s.db.Read(ctx, func(r *store.Reader) error { return checkClaim(r, token) })
}

// Claimed is the account that claimed the server.
type Claimed struct {
	UserID string `json:"userId"`
}

// claim makes the person with the claim link the administrator, and uses up
// the link. A page then signs them in with SignIn.
func (s *Service) claim(ctx context.Context, _ store.Viewer, in ClaimIn) (out Claimed, err error) {
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := checkClaim(&tx.Reader, in.Token); err != nil {
			return err
		}
		u, _, err := s.provenPerson(tx, store.User{Email: in.Email, Name: in.Name, SignupProvider: "claim"}, true)
		if err == errOtherAddress {
			return core.InvalidField("email", "Another account has an address that reads the same. Use that one, or quite another.")
		}
		if err != nil {
			return err
		}
		u.IsAdmin = true
		if _, err := tx.UpdateUser(u); err != nil {
			return err
		}
		out.UserID = u.ID
		return tx.SetSetting(claimSetting, "")
	})
	if err != nil {
		return Claimed{}, err
	}
	return out, nil
}

func checkClaim(r *store.Reader, token string) error {
	want, err := r.Setting(claimSetting)
	if err != nil {
		return err
	}
	has, err := r.HasAdmin()
	if err != nil {
		return err
	}
	if has || want == "" || !same(digest(token), want) {
		return errClaim
	}
	return nil
}
