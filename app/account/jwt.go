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

// claims are the content of a token. ID is its session, Subject its account.
type claims struct {
	jwt.RegisteredClaims
	UserID   string `json:"userId"` // is Subject
	Email    string `json:"email"`
	Epoch    *int64 `json:"epoch"` // of the account at the time of issue
	Embedded bool   `json:"embedded,omitempty"`
}

// Both times come from one clock, so that they are life apart in whole seconds, too.
func (t tokens) sign(c claims, life time.Duration) (string, error) {
	issued := t.now().Truncate(time.Second)
	c.Issuer, c.Audience, c.UserID = tokenIssuer, []string{tokenAudience}, c.Subject
	c.IssuedAt, c.ExpiresAt = jwt.NewNumericDate(issued), jwt.NewNumericDate(issued.Add(life.Round(time.Second)))
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(t.key)
}

func (t tokens) parse(raw string) (c claims, err error) {
	if len(raw) > maxBearer || strings.ContainsAny(raw, "\r\n") { // base64 ignores line breaks
		return c, errToken
	}
	_, err = jwt.ParseWithClaims(raw, &c, func(*jwt.Token) (any, error) { return t.key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(t.now), jwt.WithLeeway(tokenSkew), jwt.WithIssuedAt(), jwt.WithExpirationRequired(),
		jwt.WithIssuer(tokenIssuer), jwt.WithAudience(tokenAudience))
	if err != nil || c.Epoch == nil || !store.ValidID(c.ID) || !store.ValidID(c.Subject) {
		return claims{}, errToken
	}
	return c, nil
}
