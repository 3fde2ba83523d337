// Package account says who is calling and keeps what that rests on: people,
// sign-in links, sessions, tokens and keys.
package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"hearth/app/mail"
	"hearth/app/op"
	"hearth/store"
)

const (
	linkLife    = 15 * time.Minute
	tokenLife   = 7 * 24 * time.Hour
	browserLife = 30 * 24 * time.Hour
	embedLife   = 10 * time.Minute
)

// Mailer accepts mails for delivery without waiting for it.
type Mailer interface {
	Send(ctx context.Context, m mail.Message) error
}

// Config says what accounts are kept in and how people reach them.
type Config struct {
	DB           *store.DB
	Mail         Mailer
	Limits       *op.Limits // shared by all services; made if nil
	BaseURL      string     // what links begin with; https makes cookies secure
	JWTSecret    string     // signs user tokens, 32 bytes or more; made and kept in the database if empty
	PublicKey    string     // the published agent key; made and kept in the database if empty
	BridgeSecret string     // shared with the peer service; empty switches the bridge off
	Signup       string     // "open" (also if empty), or "invite": unknown addresses cannot sign in
	Log          *slog.Logger
	// Publish sends an ephemeral event, with JSON as its data, to the feeds of
	// accounts that are connected. Nil sends nothing.
	Publish PublishFunc
}

// PublishFunc publishes an ephemeral event to accounts.
type PublishFunc func(userIDs []string, kind store.EventKind, data []byte) error

// Service has the operations on accounts. It is safe for concurrent use.
type Service struct {
	Operations

	db           *store.DB
	mail         Mailer
	base         string // without a slash at its end
	host         string
	invite       bool
	bridgeSecret string
	publicKey    string
	publicHash   [sha256.Size]byte
	jwt          tokens
	credentials  *credentials
	codeKey      []byte
	cookies      *scs.SessionManager
	log          *slog.Logger
	publish      PublishFunc
	notifying    sync.Mutex // held while a changed profile is read and published

	hashing chan struct{} // a place for each password being hashed
	waiting chan struct{} // a place for each of those and of those that wait for it
	used    usage
}

// New returns the account room on a database. It makes the secrets that the
// configuration leaves to the database.
func New(cfg Config) (*Service, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("the base URL %q must be like https://hearth.example.org", cfg.BaseURL)
	}
	if cfg.Signup != "" && cfg.Signup != "open" && cfg.Signup != "invite" {
		return nil, fmt.Errorf("sign-up is open or invite, not %q", cfg.Signup)
	}
	if n := len(cfg.JWTSecret); n > 0 && n < 32 {
		return nil, fmt.Errorf("the secret for tokens (--jwt-secret) has %d bytes and must have at least 32", n)
	}
	// Whoever guesses it signs in as anybody, and may guess as fast as they like.
	if n := len(cfg.BridgeSecret); n > 0 && n < 32 {
		return nil, fmt.Errorf("the secret of the bridge (--bridge-secret) has %d bytes and must have at least 32", n)
	}
	s := &Service{
		db: cfg.DB, mail: cfg.Mail, base: strings.TrimRight(cfg.BaseURL, "/"), host: base.Host,
		invite: cfg.Signup == "invite", bridgeSecret: cfg.BridgeSecret, publicKey: cfg.PublicKey, log: cfg.Log, publish: cfg.Publish,
		hashing: make(chan struct{}, runtime.NumCPU()), waiting: make(chan struct{}, maxWaiting*runtime.NumCPU()),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.publish == nil {
		s.publish = func([]string, store.EventKind, []byte) error { return nil }
	}
	if err := s.loadSecrets(cfg.JWTSecret, cfg.PublicKey); err != nil {
		return nil, err
	}
	s.publicHash, s.credentials = sha256.Sum256([]byte(s.publicKey)), newCredentials()
	s.db.OnCredentials(s.credentials.change)
	s.cookies = newCookies(s.db, base.Scheme == "https")
	if cfg.Limits == nil {
		cfg.Limits = op.NewLimits(func() time.Time { return s.db.Now().Go() }, true)
	}
	s.Operations = s.operations(cfg.Limits)
	return s, nil
}

func (s *Service) loadSecrets(jwtSecret, publicKey string) error {
	return s.db.Write(context.Background(), func(tx *store.Tx) error {
		code, err := tx.Secret("login_code_key", func() string { return randomText(32) })
		if err != nil {
			return err
		}
		s.codeKey = []byte(code)
		key := jwtSecret
		if key == "" {
			if key, err = tx.Secret("jwt_secret", func() string { return randomText(32) }); err != nil {
				return err
			}
		}
		s.jwt = tokens{key: []byte(key), now: func() time.Time { return s.db.Now().Go() }}
		if s.publicKey = publicKey; publicKey == "" {
			s.publicKey, err = tx.Secret("public_agent_key", func() string { return newKey("pub_") })
		}
		return err
	})
}

// PublicKey returns the published agent key.
func (s *Service) PublicKey() string { return s.publicKey }

// usage collects when keys and people were last seen, until it is written
// down: a request must not cost a write.
type usage struct {
	mu    sync.Mutex
	keys  map[string]store.Time
	users map[string]store.Time
}

func (u *usage) note(userID, keyID string, at store.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.users == nil {
		u.keys, u.users = map[string]store.Time{}, map[string]store.Time{}
	}
	u.users[userID] = at
	if keyID != "" {
		u.keys[keyID] = at
	}
}

// FlushKeyUse writes down, in one write, when keys were last used and people
// last seen since the flush before. A failed flush loses these times only.
func (s *Service) FlushKeyUse(ctx context.Context) error {
	s.used.mu.Lock()
	keys, users := s.used.keys, s.used.users
	s.used.keys, s.used.users = nil, nil
	s.used.mu.Unlock()
	if len(users) == 0 {
		return nil
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.TouchKeys(keys); err != nil {
			return err
		}
		return tx.TouchUsers(users)
	})
}

// randomText returns n random bytes as text that can stand in an address.
func randomText(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// digest is how random secrets are kept: they need no slow hash.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
