// Package pushtest is a push service and its browsers, for tests. It decrypts by RFC 8291 with the standard library alone.
package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Service is a push service on loopback.
type Service struct {
	*httptest.Server
	// Answer answers a message, the nth at its endpoint, if it is not nil. Without it the status is 201.
	Answer func(w http.ResponseWriter, m Message, n int)

	mu       sync.Mutex
	browsers map[string]*Browser // by path
	got      []Message
}

// Browser is a browser with a subscription.
type Browser struct {
	Name     string
	Endpoint string
	key      *ecdh.PrivateKey
	auth     [16]byte
}

// Message is what the service received, as the browser decrypts it.
type Message struct {
	To     *Browser
	Header http.Header
	Text   string
	Err    error
}

// New starts a service, which the caller must close.
func New() *Service {
	s := &Service{browsers: map[string]*Browser{}}
	s.Server = httptest.NewServer(s)
	return s
}

// Subscribe returns a new browser.
func (s *Service) Subscribe(name string) *Browser {
	b := &Browser{Name: name}
	rand.Read(b.auth[:])
	b.key, _ = ecdh.P256().GenerateKey(rand.Reader) // it does not fail
	path := "/" + rand.Text()
	b.Endpoint = s.URL + path
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browsers[path] = b
	return b
}

// JSON returns the body that subscribes the browser.
func (b *Browser) JSON() string {
	return fmt.Sprintf(`{"endpoint":%q,"name":%q,"keys":{"p256dh":%q,"auth":%q}}`, b.Endpoint, b.Name,
		base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(b.auth[:]))
}

// ServeHTTP receives a message (RFC 8030, section 5).
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	m := Message{To: s.browsers[r.URL.Path], Header: r.Header, Err: err}
	if m.To == nil {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	if err == nil {
		m.Text, m.Err = m.To.decrypt(body)
	}
	s.got = append(s.got, m)
	n, answer := 0, s.Answer
	for _, g := range s.got {
		if g.To == m.To {
			n++
		}
	}
	s.mu.Unlock()
	if answer == nil {
		w.WriteHeader(http.StatusCreated)
		return
	}
	answer(w, m, n)
}

// Messages returns what was received for a browser, or with nil for all.
func (s *Service) Messages(to *Browser) (out []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.got {
		if to == nil || m.To == to {
			out = append(out, m)
		}
	}
	return out
}

// decrypt is RFC 8291, section 3.4, over the one record of RFC 8188.
func (b *Browser) decrypt(body []byte) (string, error) {
	if len(body) < 21 || len(body) > 4096 || len(body) < 21+int(body[20]) {
		return "", errors.New("no header of aes128gcm")
	}
	salt, size, sender, sealed := body[:16], binary.BigEndian.Uint32(body[16:]), body[21:21+int(body[20])], body[21+int(body[20]):]
	if uint32(len(sealed)) > size {
		return "", errors.New("several records")
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return "", err
	}
	shared, err := b.key.ECDH(public)
	if err != nil {
		return "", err
	}
	info := "WebPush: info\x00" + string(b.key.PublicKey().Bytes()) + string(sender)
	ikm, err := hkdf.Key(sha256.New, shared, b.auth[:], info, 32)
	if err != nil {
		return "", err
	}
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return "", err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return "", err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return "", err
	}
	text, last := strings.CutSuffix(strings.TrimRight(string(plain), "\x00"), "\x02") // padding follows the mark of the last record
	if !last {
		return "", errors.New("no last record")
	}
	return text, nil
}
