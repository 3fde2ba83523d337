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

// The issuer is the product and not its address, so that people stay signed in
// when a server moves to another host.
const (
	tokenIssuer   = "hearth"
	tokenAudience = "hearth:api"
)

// maxBearer bounds the credentials that are parsed, in bytes. The longest tokens
// issued have about 900.
const maxBearer = 2048

// tokenSkew allows for a clock that was set back after a token was issued.
const tokenSkew = time.Minute

var errToken = errors.New("not a token of this server")

// tokens signs and verifies user JWTs.
type tokens struct {
	key []byte
	now func() time.Time
}

// claims is the content of a user token.
type claims struct {
	ID       string // jti: the session it belongs to
	UserID   string // sub, and again as userId
	Email    string
	Epoch    int64 // of the account when it was issued
	Embedded bool
	Expires  time.Time // set by parse
}

// sign returns a token with the claims c, issued now, that expires after life. Both
// moments are of one clock, so that they are life apart in whole seconds, too.
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

// parse returns the claims of a token that this server signed with HS256 and
// that has not expired. A minute of skew allows for a clock that was set back
// after the token was issued; the session row decides when the token ends.
func (t tokens) parse(raw string) (c claims, err error) {
	if len(raw) > maxBearer || strings.Count(raw, ".") != 2 || strings.ContainsFunc(raw, notTokenText) {
		return c, errToken
	}
	message := jws.NewMessage()
	payload, err := jws.Verify([]byte(raw), jws.WithKey(jwa.HS256, t.key), jws.WithMessage(message))
	// The library verifies with the key's algorithm and ignores the header's;
	// refuse a token whose header names another one.
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
