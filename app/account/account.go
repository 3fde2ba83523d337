// Package account identifies callers and manages accounts, sign-in links, sessions, tokens and keys.
package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

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
	// Ended are called in the write in which an account is deleted, its address is first verified or one of its keys
	// ends. They end what their packages keep for it, and emit events.
	Ended []func(tx *store.Tx, what store.Ended) error
	// Exports returns what other packages write into an export, by the name of the member. A missing member is empty.
	Exports func() map[string]core.ExportFunc
}

// PublishFunc publishes an ephemeral event to accounts.
type PublishFunc func(userIDs []string, kind store.EventKind, data []byte) error

// Service implements the operations on accounts. It is safe for concurrent use.
type Service struct {
	Operations

	cfg         Config
	db          *store.DB
	base        string // of links, without a final slash
	host        string
	publicKey   string
	publicHash  [sha256.Size]byte
	jwt         tokens
	credentials *store.UserCache[credentialKey, store.Viewer]
	cursors     *core.Cursors
	codeKey     []byte
	log         *slog.Logger
	rates       *limit.Limits
	hashing     *limit.Gate
	exporting   chan struct{}
	used        usage
	online      online
	notifying   sync.Mutex
	sweeping    sync.Mutex
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
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	if cfg.Publish == nil {
		cfg.Publish = func([]string, store.EventKind, []byte) error { return nil }
	}
	if cfg.Joined == nil {
		cfg.Joined = func(*store.Tx, string) error { return nil }
	}
	if cfg.Exports == nil {
		cfg.Exports = func() map[string]core.ExportFunc { return nil }
	}
	s := &Service{cfg: cfg, db: cfg.DB, base: strings.TrimRight(cfg.BaseURL, "/"), host: base.Host, log: cfg.Log,
		cursors: core.NewCursors(cfg.CursorKey), hashing: limit.NewGate(int64(runtime.NumCPU()), hashWait, hashBusy),
		exporting: make(chan struct{}, maxExports), credentials: store.NewUserCache[credentialKey, store.Viewer]()}
	s.used.pending = newUses()
	if err := s.loadSecrets(); err != nil {
		return nil, err
	}
	s.publicHash = sha256.Sum256([]byte(s.publicKey))
	s.db.OnCredentials(s.credentials.Invalidate)
	if err := s.loadOnline(); err != nil {
		return nil, err
	}
	if cfg.Limits == nil {
		cfg.Limits = op.NewLimits(func() time.Time { return s.db.Now().Go() }, false)
	}
	cfg.Limits.Valid = s.stillValid
	s.rates, s.Operations = cfg.Limits.Rates, s.operations(cfg.Limits)
	return s, nil
}

func (s *Service) ended(tx *store.Tx, what store.Ended) (err error) {
	for _, f := range s.cfg.Ended {
		err = cmp.Or(err, f(tx, what))
	}
	return err
}

func (s *Service) loadSecrets() error {
	return s.db.Write(context.Background(), func(tx *store.Tx) error {
		code, err := tx.Secret("login_code_key", func() string { return core.NewSecret(32) })
		if err != nil {
			return err
		}
		s.codeKey = []byte(code)
		key := s.cfg.JWTSecret
		if key == "" {
			if key, err = tx.Secret("jwt_secret", func() string { return core.NewSecret(32) }); err != nil {
				return err
			}
		}
		s.jwt = tokens{key: []byte(key), now: func() time.Time { return s.db.Now().Go() }}
		if s.publicKey = s.cfg.PublicKey; s.publicKey == "" {
			s.publicKey, err = tx.Secret("public_agent_key", func() string { return newKey("pub_") })
		}
		return err
	})
}

// PublicKey returns the published agent key.
func (s *Service) PublicKey() string { return s.publicKey }
