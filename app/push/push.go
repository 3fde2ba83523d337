// Package push sends notifications to browsers (Web Push: RFC 8030, 8291 and 8292). A subscription belongs to a session and
// ends with it.
package push

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/mail"
	"strings"

	"hearth/app/fetch"
	"hearth/app/op"
	"hearth/store"
)

// Config has the settings of a Service.
type Config struct {
	DB      *store.DB
	Limits  *op.Limits // shared by all services; nil limits nothing
	Fetch   *fetch.Client
	BaseURL string
	From    string // the sender of mails, whom push services may write to if BaseURL is not https
}

// Service has the operations on notifications. It is safe for concurrent use.
type Service struct {
	Operations
	cfg     Config
	key     *ecdh.PrivateKey // identifies the server to push services (VAPID)
	contact string
}

// New returns the service. It makes the key of the server when it first starts.
func New(ctx context.Context, c Config) (*Service, error) {
	s := &Service{cfg: c, contact: c.BaseURL}
	if !strings.HasPrefix(c.BaseURL, "https:") {
		from, err := mail.ParseAddress(c.From)
		if err != nil {
			return nil, fmt.Errorf("push: the sender of mails: %w", err)
		}
		s.contact = from.Address
	}
	err := c.DB.Write(ctx, func(tx *store.Tx) (err error) {
		s.key, err = keyIn(tx)
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
