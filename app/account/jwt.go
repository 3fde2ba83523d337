package account

import (
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"github.com/lestrrat-go/jwx/v2/jwt"

	"hearth/store"
)

// The issuer is the product and not its address, so that people stay signed in when a server moves to another host.
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

// Both times come from one clock, so that they are life apart in whole seconds, too.
func (t tokens) sign(c claims, life time.Duration) (string, error) {
	issued := t.now().Truncate(time.Second)
	b := jwt.NewBuilder().
		Issuer(tokenIssuer).Audience([]string{tokenAudience}).Subject(c.UserID).JwtID(c.ID).
		IssuedAt(issued).Expiration(issued.Add(life.Round(time.Second))).
		Claim("userId", c.UserID).Claim("email", c.Email).Claim("epoch", c.Epoch)
	if c.Embedded {
		b = b.Claim("embedded", true)
	}
	token, err := b.Build()
	if err != nil {
		return "", err
	}
	signed, err := jwt.Sign(token, jwt.WithKey(jwa.HS256, t.key))
	return string(signed), err
}

func (t tokens) parse(raw string) (c claims, err error) {
	if len(raw) > maxBearer || strings.Count(raw, ".") != 2 || strings.ContainsFunc(raw, notTokenText) {
		return c, errToken
	}
	message := jws.NewMessage()
	payload, err := jws.Verify([]byte(raw), jws.WithKey(jwa.HS256, t.key), jws.WithMessage(message))
	// The library verifies with the key's algorithm and ignores the header's: refuse a header that names another one.
	if err != nil || len(message.Signatures()) != 1 || message.Signatures()[0].ProtectedHeaders().Algorithm() != jwa.HS256 {
		return c, errToken
	}
	token := jwt.New()
	if err := json.Unmarshal(payload, token); err != nil {
		return c, errToken
	}
	err = jwt.Validate(token, jwt.WithClock(jwt.ClockFunc(t.now)), jwt.WithAcceptableSkew(tokenSkew),
		jwt.WithIssuer(tokenIssuer), jwt.WithAudience(tokenAudience),
		jwt.WithRequiredClaim(jwt.ExpirationKey), jwt.WithRequiredClaim(jwt.SubjectKey), jwt.WithRequiredClaim(jwt.JwtIDKey))
	if err != nil {
		return c, errToken
	}
	c = claims{ID: token.JwtID(), UserID: token.Subject(), Expires: token.Expiration()}
	epoch, _ := token.Get("epoch")
	number, ok := epoch.(float64)
	if !ok || !store.ValidID(c.ID) || !store.ValidID(c.UserID) {
		return c, errToken
	}
	c.Epoch = int64(number)
	if email, ok := token.Get("email"); ok {
		c.Email, _ = email.(string)
	}
	embedded, _ := token.Get("embedded")
	c.Embedded = embedded == true
	return c, nil
}

func notTokenText(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}
