package account

import (
	"cmp"
	"context"
	"errors"

	"hearth/app/core"
	"hearth/app/mail"
	"hearth/store"
)

const claimSetting = "claim_token_hash"

// InvalidClaim is the code of the error for a claim link that is not valid.
const InvalidClaim = "invalid_claim"

var errClaim = core.New(core.Invalid, InvalidClaim,
	"This link is not valid, or no longer valid. The server prints a new one when it starts, as long as it has no admin.")

var errClaimCode = core.InvalidField("code",
	"This code is not valid, or no longer valid. Check it, or change the address to get a new one.")

// ClaimURL returns a new one-time link that makes its user the administrator, and invalidates the previous one. It
// returns "" if the server has an administrator.
func (s *Service) ClaimURL(ctx context.Context) (string, error) {
	token := core.NewSecret(32)
	var has bool
	err := s.db.Write(ctx, func(tx *store.Tx) (err error) {
		if has, err = tx.HasAdmin(); err != nil || has {
			return err
		}
		return tx.SetSetting(claimSetting, core.Digest(token))
	})
	if err != nil || has {
		return "", err
	}
	return s.base + "/claim?token=" + token, nil
}

// ClaimIn identifies the account that claims the server.
type ClaimIn struct {
	Token string `json:"token" required:"true" max:"100"`
	Name  string `json:"name" required:"true" max:"80" line:"true" plain:"true" doc:"Name of a new account."`
	Email string `json:"email" max:"254" format:"email" doc:"A new account has no address without it."`
	Code  string `json:"code" max:"20" doc:"The code that was sent to the address. Required with it."`
}

// CanClaim returns nil if the claim link is valid, else an Invalid error with the code InvalidClaim.
func (s *Service) CanClaim(ctx context.Context, token string) error {
	return s.db.Read(ctx, func(r *store.Reader) error { return checkClaim(r, token) })
}

// StartClaimIn describes a claim to be confirmed with a code.
type StartClaimIn struct {
	Token string `json:"token" required:"true" max:"100"`
	Name  string `json:"name" required:"true" max:"80" line:"true" plain:"true"`
	Email string `json:"email" required:"true" max:"254" format:"email"`
}

func (s *Service) startClaim(ctx context.Context, _ store.Viewer, in StartClaimIn) (out core.None, err error) {
	if err := cmp.Or(s.CanClaim(ctx, in.Token), s.mailReady()); err != nil {
		return out, err
	}
	code := newCode()
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		// The mail has only the code, so the token is never used.
		return tx.InsertLink(store.LoginLink{TokenHash: core.Digest(core.NewSecret(32)), Email: in.Email,
			CodeHash: s.codeHash(in.Email, code), ExpiresAt: tx.In(linkLife)})
	})
	if err == nil {
		s.send(ctx, s.claimMail(in.Email, code))
	}
	return out, err
}

// Claimed is the account that claimed the server.
type Claimed struct {
	UserID string `json:"userId"`
}

func (s *Service) claim(ctx context.Context, _ store.Viewer, in ClaimIn) (out Claimed, err error) {
	var wrong bool
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := checkClaim(&tx.Reader, in.Token); err != nil {
			return err
		}
		err := s.useClaimCode(tx, in)
		if wrong = errors.Is(err, store.ErrNoRow); wrong {
			return nil // the wrong code is counted
		}
		if err != nil {
			return err
		}
		out.UserID, err = s.makeAdmin(tx, in)
		return err
	})
	if err == nil && wrong {
		err = errClaimCode
	}
	return out, err
}

func (s *Service) useClaimCode(tx *store.Tx, in ClaimIn) error {
	if in.Email == "" {
		return nil
	}
	link, err := s.findLink(tx, VerifyMagicLinkIn{Email: in.Email, Code: normalizeCode(in.Code)})
	if err != nil {
		return err
	}
	return tx.UseLink(link.TokenHash)
}

func (s *Service) makeAdmin(tx *store.Tx, in ClaimIn) (userID string, err error) {
	want := store.User{Email: in.Email, Name: in.Name, SignupProvider: "claim"}
	var u store.User
	if in.Email == "" {
		if u, err = tx.InsertUser(want); err == nil {
			err = s.cfg.Joined(tx, u.ID)
		}
	} else {
		u, _, err = s.verifiedUser(tx, want, true)
	}
	if errors.Is(err, errSimilarAddress) {
		return "", core.InvalidField("email", "Another account has nearly the same address. Use that one, or a different one.")
	}
	if err != nil {
		return "", err
	}
	u.IsAdmin = true
	_, err = tx.UpdateUser(u)
	return u.ID, cmp.Or(err, tx.SetSetting(claimSetting, ""))
}

func (s *Service) claimMail(to, code string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Your code for " + s.host,
		Text: "Enter this code to finish setting up " + s.host + ":\n\n" + code +
			"\n\nIt works once, for 15 minutes. If you are not setting up a server, ignore this e-mail.\n",
	}
}

func checkClaim(r *store.Reader, token string) error {
	want, err := r.Setting(claimSetting)
	has, e := r.HasAdmin()
	if err = cmp.Or(err, e); err == nil && (has || want == "" || !same(core.Digest(token), want)) {
		err = errClaim
	}
	return err
}
