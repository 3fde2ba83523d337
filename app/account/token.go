package account

import (
	"cmp"
	"time"

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

func (s *Service) createToken(tx *store.Tx, by store.Viewer, in CreateTokenIn) (out TokenOut, err error) {
	asks, err := tx.SessionUser(by.SessionID)
	u, e := tx.User(by.UserID)
	if err = cmp.Or(err, e); err != nil {
		return out, ownAccountError(err) // signed out since the request was authenticated
	}
	row := store.Session{UserID: u.ID, Kind: "token", ParentID: asks.ID, Epoch: u.Epoch, UserAgent: by.Device, ExpiresAt: tx.In(tokenLife)}
	if in.Embedded {
		row.Kind, row.ExpiresAt = "embedded", tx.In(embedLife)
	}
	row.ExpiresAt = min(row.ExpiresAt, asks.ExpiresAt)
	if row, err = startSession(tx, row); err != nil {
		return out, err
	}
	return s.tokenFor(u, row)
}

func addToken(tx *store.Tx, u store.User, kind, device string, life time.Duration) (store.Session, error) {
	return startSession(tx, store.Session{UserID: u.ID, Kind: kind, Epoch: u.Epoch, UserAgent: device, ExpiresAt: tx.In(life)})
}

func (s *Service) tokenFor(u store.User, row store.Session) (TokenOut, error) {
	c := claims{Email: u.Email, Epoch: &row.Epoch, Embedded: row.Kind == "embedded"}
	c.ID, c.Subject = row.ID, u.ID
	text, err := s.jwt.sign(c, row.ExpiresAt.Sub(row.CreatedAt))
	return TokenOut{Token: text, ExpiresIn: int(row.ExpiresAt.Sub(row.CreatedAt).Round(time.Second).Seconds()), userID: u.ID}, err
}
