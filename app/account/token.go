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
	ExpiresIn int    `json:"expiresIn" doc:"Seconds until it ends."`
}

// CreateTokenIn says what the token is for.
type CreateTokenIn struct {
	Embedded bool `json:"embedded" doc:"For a page of somebody else's: ends after 10 minutes and may do what an agent key may."`
}

// createToken returns a user token for the caller: 7 days, or 10 minutes if
// embedded, and never longer than the session that asks. A token asked for in
// a browser, or an embedded one, ends with the session that asked; a token
// that asks for another like itself is renewed, and both stay.
func (s *Service) createToken(ctx context.Context, by store.Viewer, in CreateTokenIn) (out TokenOut, err error) {
	var u store.User
	var row store.Session
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		asks, err := tx.SessionUser(by.SessionID)
		if errors.Is(err, store.ErrNoRow) {
			return core.ErrUnauthenticated // signed out since this call came in
		}
		if err != nil {
			return err
		}
		if u, err = tx.User(by.UserID); err != nil {
			return err
		}
		row = store.Session{UserID: u.ID, Kind: "token", ParentID: asks.ParentID, Epoch: u.Epoch, UserAgent: by.Device, ExpiresAt: tx.Now.Add(tokenLife)}
		if in.Embedded {
			row.Kind, row.ExpiresAt = "embedded", tx.Now.Add(embedLife)
		}
		if in.Embedded || asks.Kind == "browser" {
			row.ParentID, row.ExpiresAt = asks.ID, min(row.ExpiresAt, asks.ExpiresAt)
		} else if row.ParentID != "" {
			parent, err := tx.SessionUser(row.ParentID)
			if err != nil {
				return err
			}
			row.ExpiresAt = min(row.ExpiresAt, parent.ExpiresAt)
		}
		row, err = startSession(tx, row)
		return err
	})
	if err != nil {
		return out, err
	}
	return s.tokenFor(u, row)
}

// addToken adds a session of a kind for u that lives for life and has no
// parent; tokenFor then signs what stands for it.
func addToken(tx *store.Tx, u store.User, kind, device string, life time.Duration) (store.Session, error) {
	return startSession(tx, store.Session{UserID: u.ID, Kind: kind, Epoch: u.Epoch, UserAgent: device, ExpiresAt: tx.Now.Add(life)})
}

// tokenFor signs the token of a session that is in the database.
func (s *Service) tokenFor(u store.User, row store.Session) (TokenOut, error) {
	text, err := s.jwt.sign(claims{
		ID: row.ID, UserID: u.ID, Email: u.Email, Epoch: row.Epoch, Embedded: row.Kind == "embedded", Expires: row.ExpiresAt.Go(),
	})
	return TokenOut{Token: text, ExpiresIn: seconds(row.CreatedAt, row.ExpiresAt)}, err
}
