// Package push sends notifications to browsers (Web Push: RFC 8030, 8291 and 8292). A subscription belongs to a session and
// ends with it.
package push

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"time"

	"hearth/app/fetch"
	"hearth/app/op"
	"hearth/app/queue"
	"hearth/store"
)

// Config has the settings of a Service.
type Config struct {
	DB      *store.DB
	Log     *slog.Logger
	Limits  *op.Limits // shared by all services; nil limits nothing
	Fetch   *fetch.Client
	BaseURL string
	From    string // the sender of mails, whom push services may write to if BaseURL is not https
	// Delays between the attempts of a notification, instead of delays of about 24 hours in all: for tests.
	Delays []time.Duration
}

// Service has the operations on notifications, and sends them from a queue in the database. It follows the event log, so that
// a server that was killed loses none. It is safe for concurrent use.
type Service struct {
	Operations
	cfg     Config
	key     *ecdh.PrivateKey // identifies the server to push services (VAPID)
	contact string

	*queue.Queue
	done, stored int64 // events up to which notifications were added, and up to which that is stored

	viewing sync.Mutex
	views   map[string]view // by session
}

// New returns the service. It makes the key of the server when it first starts.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{cfg: c, contact: c.BaseURL, views: map[string]view{}}
	if !strings.HasPrefix(c.BaseURL, "https:") {
		from, err := mail.ParseAddress(c.From)
		if err != nil {
			return nil, fmt.Errorf("push: the sender of mails: %w", err)
		}
		s.contact = from.Address
	}
	s.Queue = queue.New(queue.Config{DB: c.DB, Log: c.Log, Name: "notifications", Fill: s.fill, Waiting: (*store.Reader).WaitingPushes,
		Attempt: s.attempt, Delays: c.Delays})
	err := c.DB.Write(ctx, func(tx *store.Tx) (err error) {
		if s.key, err = keyIn(tx); err != nil {
			return err
		}
		_, newest, err := tx.EventRange()
		if err != nil {
			return err
		}
		text, err := tx.Secret(pushedSetting, func() string { return strconv.FormatInt(newest, 10) })
		if err == nil {
			s.stored, err = strconv.ParseInt(text, 10, 64)
		}
		s.done = s.stored
		return err
	})
	s.Operations = s.operations(c.Limits)
	return s, err
}

// Described returns a service without a database, to describe its operations. Calling an operation panics.
func Described() *Service {
	s := &Service{}
	s.Operations = s.operations(nil)
	return s
}

func keyIn(tx *store.Tx) (*ecdh.PrivateKey, error) {
	made, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := tx.Secret("vapid_key", func() string { return encode(made.Bytes()) })
	if err != nil {
		return nil, err
	}
	key, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("push: the key of the server: %w", err)
	}
	return ecdh.P256().NewPrivateKey(key)
}

func (s *Service) publicKey() string { return encode(s.key.PublicKey().Bytes()) }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// decode accepts the alphabets of base64 and base64url, with and without padding.
func decode(s string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(s))
}
