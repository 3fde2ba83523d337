package account

import (
	"context"
	"errors"
	"time"

	"hearth/app/core"
	"hearth/store"
)

// TokenOut is a user token: a JWT to send as Authorization: Bearer.
type TokenOut struct {
	Token     string `json:"token"`
	ExpiresIn int    `json:"expiresIn" doc:"Seconds until the token expires."`

	userID string
}

// SignedIn returns the account.
func (o *TokenOut) SignedIn() string { return o.userID }

// CreateTokenIn describes the token to create.
type CreateTokenIn struct {
	Embedded bool `json:"embedded" doc:"For embedding in another site's page: expires after 10 minutes and has the rights of an agent key."`
}

func (s *Service) createToken(ctx context.Context, by store.Viewer, in CreateTokenIn) (out TokenOut, err error) {
	var u store.User
	var row store.Session
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		asks, err := tx.SessionUser(by.SessionID)
		if errors.Is(err, store.ErrNoRow) {
			return core.ErrUnauthenticated // signed out since the request was authenticated
		}
		if err != nil {
			return err
		}
		if u, err = tx.User(by.UserID); err != nil {
			return err
		}
		row = store.Session{UserID: u.ID, Kind: "token", ParentID: asks.ID, Epoch: u.Epoch, UserAgent: by.Device, ExpiresAt: tx.In(tokenLife)}
		if in.Embedded {
			row.Kind, row.ExpiresAt = "embedded", tx.In(embedLife)
		}
		row.ExpiresAt = min(row.ExpiresAt, asks.ExpiresAt)
		row, err = startSession(tx, row)
		return err
	})
	if err != nil {
		return out, err
	}
	return s.tokenFor(u, row)
}

func addToken(tx *store.Tx, u store.User, kind, device string, life time.Duration) (store.Session, error) {
	return startSession(tx, store.Session{UserID: u.ID, Kind: kind, Epoch: u.Epoch, UserAgent: device, ExpiresAt: tx.In(life)})
}

func (s *Service) tokenFor(u store.User, row store.Session) (TokenOut, error) {
	text, err := s.jwt.sign(claims{
		ID: row.ID, UserID: u.ID, Email: u.Email, Epoch: row.Epoch, Embedded: row.Kind == "embedded",
	}, row.ExpiresAt.Sub(row.CreatedAt))
	return TokenOut{Token: text, ExpiresIn: seconds(row.CreatedAt, row.ExpiresAt), userID: u.ID}, err
}
