// Package account identifies callers and manages accounts, sign-in links, sessions, tokens and keys.
package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/file"
	"hearth/app/limit"
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

// Mailer queues mails for delivery. Send does not wait for the delivery. Ready returns an error while no mail is
// accepted.
type Mailer interface {
	Ready() error
	Send(ctx context.Context, m mail.Message) error
}

// Config configures a Service.
type Config struct {
	DB           *store.DB
	Files        *file.Store
	Mail         Mailer
	Limits       *op.Limits
	SendsMail    bool   // a mail server is configured, so people can be invited by mail
	BaseURL      string // prefix of links; https makes cookies secure
	CursorKey    []byte // seals cursors, at least 32 bytes; random if empty
	JWTSecret    string // signs user tokens, at least 32 bytes; generated and stored if empty
	PublicKey    string // the published agent key; generated and stored if empty
	BridgeSecret string // shared with the peer service; empty disables the bridge
	Signup       string // "open", "invite" (only invited people join) or "", which leaves it to the administrators
	Log          *slog.Logger
	// Publish sends an ephemeral event to the open streams of accounts. Nil discards it.
	Publish PublishFunc
	// Joined is called in the write that creates a verified account or first verifies its address. Nil does nothing.
	Joined func(tx *store.Tx, userID string) error
	// Erased is called in the write that deletes an account, to emit events. Nil does nothing.
	Erased func(tx *store.Tx, what store.Erasure) error
	// KeyEnded is called in the write that revokes a key, or all keys of an account if keyID is "". Nil does nothing.
	KeyEnded func(tx *store.Tx, userID, keyID string) error
	// Proven is called in the write that first verifies the address of an existing account. It ends what other
	// packages keep for the accounts in what. Nil does nothing.
	Proven func(tx *store.Tx, what store.Unproven) error
	// Exports returns what other packages write into an export, by the name of the member. A missing member is empty.
	Exports func() map[string]core.ExportFunc
}

// PublishFunc publishes an ephemeral event to accounts.
type PublishFunc func(userIDs []string, kind store.EventKind, data []byte) error

// Service implements the operations on accounts. It is safe for concurrent use.
type Service struct {
	Operations

	db           *store.DB
	files        *file.Store
	mail         Mailer
	base         string
	host         string
	sendsMail    bool
	signup       string
	bridgeSecret string
	publicKey    string
	publicHash   [sha256.Size]byte
	jwt          tokens
	credentials  *store.UserCache[credentialKey, store.Viewer]
	cursors      *core.Cursors
	codeKey      []byte
	cookies      *scs.SessionManager
	log          *slog.Logger
	publish      PublishFunc
	joined       func(*store.Tx, string) error
	onErase      func(*store.Tx, store.Erasure) error
	keyEnded     func(tx *store.Tx, userID, keyID string) error
	proven       func(tx *store.Tx, what store.Unproven) error
	exports      func() map[string]core.ExportFunc
	exporting    chan struct{}
	notifying    sync.Mutex
	sweeping     sync.Mutex

	rates   *limit.Limits
	hashing chan struct{} // one slot per password being hashed
	waiting chan struct{} // one slot per password being hashed or waiting
	used    usage
	online  online

	flushing sync.Mutex
}

// New returns a Service on cfg.DB. It generates and stores secrets that cfg leaves empty. It returns an error for an
// invalid configuration.
func New(cfg Config) (*Service, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || !fetch.IsWeb(base) {
		return nil, fmt.Errorf("the base URL %q must be like https://hearth.example.org", cfg.BaseURL)
	}
	if cfg.Signup != "" && cfg.Signup != "open" && cfg.Signup != "invite" {
		return nil, fmt.Errorf("sign-up must be open or invite, not %q", cfg.Signup)
	}
	if n := len(cfg.JWTSecret); n > 0 && n < 32 {
		return nil, fmt.Errorf("the token secret (--jwt-secret) has %d bytes; at least 32 are required", n)
	}
	// The secret lets a caller sign in as anybody, and guesses are not rate limited.
	if n := len(cfg.BridgeSecret); n > 0 && n < 32 {
		return nil, fmt.Errorf("the bridge secret (--bridge-secret) has %d bytes; at least 32 are required", n)
	}
	s := &Service{
		db: cfg.DB, files: cfg.Files, mail: cfg.Mail, base: strings.TrimRight(cfg.BaseURL, "/"), host: base.Host, sendsMail: cfg.SendsMail,
		signup: cfg.Signup, bridgeSecret: cfg.BridgeSecret, publicKey: cfg.PublicKey, log: cfg.Log, publish: cfg.Publish,
		joined: cfg.Joined, onErase: cfg.Erased, keyEnded: cfg.KeyEnded, proven: cfg.Proven, exports: cfg.Exports,
		exporting: make(chan struct{}, maxExports),
		hashing:   make(chan struct{}, runtime.NumCPU()), waiting: make(chan struct{}, maxWaiting*runtime.NumCPU()),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.publish == nil {
		s.publish = func([]string, store.EventKind, []byte) error { return nil }
	}
	if len(cfg.CursorKey) == 0 {
		cfg.CursorKey = []byte(randomText(32))
	}
	s.cursors = core.NewCursors(cfg.CursorKey)
	if s.joined == nil {
		s.joined = func(*store.Tx, string) error { return nil }
	}
	if s.proven == nil {
		s.proven = func(*store.Tx, store.Unproven) error { return nil }
	}
	if s.keyEnded == nil {
		s.keyEnded = func(*store.Tx, string, string) error { return nil }
	}
	if err := s.loadSecrets(cfg.JWTSecret, cfg.PublicKey); err != nil {
		return nil, err
	}
	s.publicHash = sha256.Sum256([]byte(s.publicKey))
	s.credentials = store.NewUserCache[credentialKey, store.Viewer]()
	s.db.OnCredentials(s.credentials.Invalidate)
	if err := s.loadOnline(); err != nil {
		return nil, err
	}
	s.cookies = newCookies(s.db, base.Scheme == "https")
	if cfg.Limits == nil {
		cfg.Limits = op.NewLimits(func() time.Time { return s.db.Now().Go() }, false)
	}
	cfg.Limits.Valid = s.stillValid
	s.rates, s.Operations = cfg.Limits.Rates, s.operations(cfg.Limits)
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

func randomText(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}
