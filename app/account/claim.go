package account

import (
	"context"
	"errors"

	"hearth/app/core"
	"hearth/app/mail"
	"hearth/store"
)

// claimSetting holds the hash of the one claim link that works.
const claimSetting = "claim_token_hash"

// InvalidClaim is the code of the error for a claim link that does not work.
const InvalidClaim = "invalid_claim"

// errClaim is the answer to a claim link that does not work, whatever the reason.
var errClaim = core.New(core.Invalid, InvalidClaim, "This link is not valid, or no longer valid. The server prints a new one when it starts, as long as it has no admin.")

// errClaimCode is the answer to a wrong code.
var errClaimCode = core.InvalidField("code", "This code is not valid, or no longer valid. Check it, or change the address to get a new one.")

// ClaimURL returns a new one-time link that makes whoever opens it the admin.
// It ends the link before it. The link is "" once there is an admin.
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

// ClaimIn says who claims the server.
type ClaimIn struct {
	Token string `json:"token" required:"true" max:"100"`
	Email string `json:"email" required:"true" max:"254" format:"email"`
	Name  string `json:"name" max:"80" line:"true" doc:"For a new account; made from the address if left out."`
	Code  string `json:"code" max:"20" doc:"The code that StartClaim sent to the address, if it sent one."`
}

// CanClaim reports whether a claim link works: nil, or Invalid with the code
// InvalidClaim.
func (s *Service) CanClaim(ctx context.Context, token string) error {
	return s.db.Read(ctx, func(r *store.Reader) error { return checkClaim(r, token) })
}

// StartClaimIn is a claim that is yet to be confirmed.
type StartClaimIn struct {
	ClaimIn
	SendCode bool `json:"sendCode" doc:"Whether the address is to be proven with a code."`
}

// startClaim checks a claim before it is confirmed. With SendCode it sends a
// code to the address, which the claim must then have.
func (s *Service) startClaim(ctx context.Context, _ store.Viewer, in StartClaimIn) (core.None, error) {
	if err := s.CanClaim(ctx, in.Token); err != nil || !in.SendCode {
		return core.None{}, err
	}
	return core.None{}, s.sendClaimCode(ctx, in.Email)
}

func (s *Service) sendClaimCode(ctx context.Context, email string) error {
	code := newCode()
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		// Nobody is sent the token: only the code is of use.
		return tx.InsertLink(store.LoginLink{TokenHash: digest(randomText(32)), Email: email,
			CodeHash: s.codeHash(email, code), ExpiresAt: tx.Now.Add(linkLife)})
	})
	if err != nil {
		return err
	}
	if err := s.mail.Send(ctx, s.claimMail(email, code)); err != nil {
		s.log.Error("claim mail not accepted for sending", "error", err)
	}
	return nil
}

// Claimed is the account that claimed the server.
type Claimed struct {
	UserID string `json:"userId"`
}

// claim makes the owner of the address the admin and ends the claim link. If
// the input has a code, it must be one that was sent to the address. A page
// then signs the person in with SignIn.
func (s *Service) claim(ctx context.Context, _ store.Viewer, in ClaimIn) (out Claimed, err error) {
	var refused error
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if err := checkClaim(&tx.Reader, in.Token); err != nil {
			return err
		}
		if err := s.useClaimCode(tx, in); errors.Is(err, store.ErrNoRow) {
			refused = errClaimCode // returned later, so that the wrong code stays counted
			return nil
		} else if err != nil {
			return err
		}
		out.UserID, err = s.makeAdmin(tx, in)
		return err
	})
	if err = errors.Join(err, refused); err != nil {
		return Claimed{}, err
	}
	return out, nil
}

// useClaimCode uses up the code of a claim, if it has one; ErrNoRow if that is
// wrong.
func (s *Service) useClaimCode(tx *store.Tx, in ClaimIn) error {
	if in.Code == "" {
		return nil
	}
	link, err := s.findLink(tx, VerifyMagicLinkIn{Email: in.Email, Code: bareCode(in.Code)})
	if err != nil {
		return err
	}
	return tx.UseLink(link.TokenHash)
}

func (s *Service) makeAdmin(tx *store.Tx, in ClaimIn) (userID string, err error) {
	u, _, err := s.provenPerson(tx, store.User{Email: in.Email, Name: in.Name, SignupProvider: "claim"}, true)
	if errors.Is(err, errOtherAddress) {
		return "", core.InvalidField("email", "Another account has nearly the same address. Use that one, or a different one.")
	}
	if err != nil {
		return "", err
	}
	u.IsAdmin = true
	if _, err := tx.UpdateUser(u); err != nil {
		return "", err
	}
	return u.ID, tx.SetSetting(claimSetting, "")
}

func (s *Service) claimMail(to, code string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Your code for " + s.host,
		Text: "Enter this code to finish setting up " + s.host + ":\n\n" + code +
			"\n\nIt works once, for 15 minutes. If you are not setting up a server, ignore this e-mail.\n",
	}
}

// checkClaim returns errClaim unless the token is that of the claim link and
// the server has no admin.
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
