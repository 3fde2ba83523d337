// Package mail sends sign-in links and codes by SMTP. Without a mail server it prints them for the administrator.
package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Message is a mail to one recipient. HTML may be empty.
type Message struct {
	To       string // a bare address
	FromName string // who the mail is from, if the sender is Config.Named
	Subject  string // one line
	Text     string
	HTML     string
}

// Config has the settings of a Sender.
type Config struct {
	// URL is the mail server, as smtp://user:password@host:port or smtps://…. If empty, mails are printed instead of sent.
	URL string
	// From is the sender, such as "hearth <hearth@example.org>". Required with URL.
	From string
	// Named has each mail be from its FromName, at the address of From.
	Named bool
	// Dial opens the connection. Required with URL.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// RootCAs replaces the system's root certificates if not nil.
	RootCAs *x509.CertPool
	// Retry has the pause before each retry after a temporary failure. Nil means 2 s, 10 s, 30 s and 2 min, well within the
	// 15 minutes of a sign-in link.
	Retry []time.Duration
	// Timeout bounds one attempt. 0 means 20 s.
	Timeout time.Duration
	// Out receives the mails of a server without URL, as readable blocks. If nil, they are written to Log.
	Out io.Writer
	Log *slog.Logger
}

var (
	// ErrBusy is returned while queueLimit mails wait.
	ErrBusy = errors.New("too many mails are waiting for the mail server; try again in a minute")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the mailer is closed")
	// ErrMessage is returned for a message with an invalid address, or with a line break in the address or the subject.
	ErrMessage = errors.New("invalid mail: To must be one bare address and Subject one line")
)

const (
	queueLimit = 1000 // mails that are neither sent nor given up
	parallel   = 4    // connections to the mail server
)

// Sender queues mails and delivers them in the background. It is safe for concurrent use.
type Sender struct {
	cfg    Config
	server *server       // nil without a mail server
	slots  chan struct{} // of connections
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup // of mails

	mu      sync.Mutex
	closed  bool
	waiting int
}

// New returns a Sender, or an error that names the setting that is not valid. It does not connect.
func New(cfg Config) (*Sender, error) {
	if cfg.Retry == nil {
		cfg.Retry = []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute}
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Second
	}
	s := &Sender{cfg: cfg, slots: make(chan struct{}, parallel)}
	if cfg.URL != "" {
		var err error
		if s.server, err = newServer(cfg); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Send queues m and returns without waiting for the mail server. The result of the delivery is logged. The error is
// ErrMessage, ErrBusy or ErrClosed.
func (s *Sender) Send(_ context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return s.print(m)
	}
	if err := s.ready(); err != nil {
		return err
	}
	s.waiting++
	s.wg.Go(func() {
		s.deliver(m)
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
	})
	return nil
}

// Ready returns the error that Send would return now, ErrBusy or ErrClosed.
func (s *Sender) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready()
}

func (s *Sender) ready() error {
	switch {
	case s.server == nil: // printed
		return nil
	case s.closed:
		return ErrClosed
	case s.waiting >= queueLimit:
		return ErrBusy
	}
	return nil
}

// Waiting returns how many mails are queued, being delivered or waiting to be tried again.
func (s *Sender) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Close accepts no more mails, waits until those queued are delivered or ctx ends, and drops the rest.
func (s *Sender) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	defer context.AfterFunc(ctx, s.cancel)()
	s.wg.Wait()
	s.cancel()
	return nil
}

// deliver tries until the mail is accepted, refused permanently, or out of retries. Between two tries it has no
// connection.
func (s *Sender) deliver(m Message) {
	log := s.cfg.Log.With("domain", domain(m.To))
	for tries := 1; ; tries++ {
		err := s.try(m)
		if err == nil {
			log.Info("mail sent", "tries", tries)
			return
		}
		if again := temporary(err) && tries <= len(s.cfg.Retry) && s.ctx.Err() == nil; again {
			pause := s.cfg.Retry[tries-1]
			log.Warn("mail delayed", "tries", tries, "again_in", pause, "error", reason(err))
			select {
			case <-time.After(pause):
				continue
			case <-s.ctx.Done():
				err = fmt.Errorf("%w: %w", ErrClosed, err)
			}
		}
		log.Error("mail not sent: the mail server did not accept it; check --smtp-url and --mail-from", "tries", tries, "error", reason(err))
		return
	}
}

func (s *Sender) try(m Message) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return ErrClosed
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.cfg.Timeout)
	defer cancel()
	return s.server.send(ctx, m)
}

// print prints a mail, so that an administrator can pass its link on. A block for a terminal has no control characters.
func (s *Sender) print(m Message) error {
	if s.cfg.Out == nil {
		s.cfg.Log.Info("no mail server is configured (--smtp-url); printing the mail", "to", m.To, "subject", m.Subject, "text", m.Text)
		return nil
	}
	var text strings.Builder
	for line := range strings.Lines(strings.TrimSpace(m.Text)) {
		text.WriteString("  │ " + plain(line) + "\n")
	}
	_, err := fmt.Fprintf(s.cfg.Out, "\n  ┌─ mail (printed here because no mail server is configured)\n"+
		"  │ To:      %s\n  │ Subject: %s\n  │\n%s  └─\n\n", plain(m.To), plain(m.Subject), &text)
	return err
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}

func (m Message) check() error {
	a, err := netmail.ParseAddress(m.To)
	if err != nil || a.Address != m.To || hasBreak(m.To) || hasBreak(m.Subject) {
		return ErrMessage
	}
	return nil
}

func hasBreak(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// domain returns the part of an address that may be logged.
func domain(addr string) string { return addr[strings.LastIndexByte(addr, '@')+1:] }
