package account

import (
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"hearth/store"
)

// The issuer is the product, not its address: people stay signed in when a server moves to another host.
const (
	tokenIssuer   = "hearth"
	tokenAudience = "hearth:api"
)

const maxBearer = 2048

const tokenSkew = time.Minute

var errToken = errors.New("not a token of this server")

type tokens struct {
	key []byte
	now func() time.Time
}

type claims struct {
	ID       string // jti: the session
	UserID   string // sub and userId
	Email    string
	Epoch    int64 // of the account at the time of issue
	Embedded bool
	Expires  time.Time
}

// payload is the claims as they stand in a token.
type payload struct {
	jwt.RegisteredClaims
	UserID   string `json:"userId"`
	Email    string `json:"email"`
	Epoch    *int64 `json:"epoch"`
	Embedded bool   `json:"embedded,omitempty"`
}

// Both times come from one clock, so that they are life apart in whole seconds, too.
func (t tokens) sign(c claims, life time.Duration) (string, error) {
	issued := t.now().Truncate(time.Second)
	return jwt.NewWithClaims(jwt.SigningMethodHS256, payload{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: tokenIssuer, Audience: []string{tokenAudience}, Subject: c.UserID, ID: c.ID,
			IssuedAt: jwt.NewNumericDate(issued), ExpiresAt: jwt.NewNumericDate(issued.Add(life.Round(time.Second))),
		},
		UserID: c.UserID, Email: c.Email, Epoch: &c.Epoch, Embedded: c.Embedded,
	}).SignedString(t.key)
}

func (t tokens) parse(raw string) (claims, error) {
	if len(raw) > maxBearer || strings.Count(raw, ".") != 2 || strings.ContainsFunc(raw, notTokenText) {
		return claims{}, errToken
	}
	var p payload
	_, err := jwt.ParseWithClaims(raw, &p, func(*jwt.Token) (any, error) { return t.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(t.now), jwt.WithLeeway(tokenSkew), jwt.WithIssuedAt(), jwt.WithExpirationRequired(),
		jwt.WithIssuer(tokenIssuer), jwt.WithAudience(tokenAudience))
	if err != nil || p.Epoch == nil || !store.ValidID(p.ID) || !store.ValidID(p.Subject) {
		return claims{}, errToken
	}
	return claims{ID: p.ID, UserID: p.Subject, Email: p.Email, Epoch: *p.Epoch, Embedded: p.Embedded, Expires: p.ExpiresAt.UTC()}, nil
}

func notTokenText(r rune) bool {
	return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", r)
}
