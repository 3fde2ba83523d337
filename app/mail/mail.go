// Package mail sends the few mails there are: sign-in links and codes. It
// sends them by SMTP or, on a server without mail, shows them to the operator.
package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Message is one mail to one person. HTML may be empty.
type Message struct {
	To      string // a bare address
	Subject string // one line
	Text    string
	HTML    string
}

// Config says how mail leaves the server.
type Config struct {
	// URL is the mail server: smtp://user:password@host:port or smtps://….
	// Empty means there is none: mails are shown instead of sent.
	URL string
	// From is the sender, "hearth <hearth@example.org>". Needed with a URL.
	From string
	// Dial opens the connection. Needed with a URL.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// RootCAs are trusted instead of the system's, where they are given.
	RootCAs *x509.CertPool
	// Retry has the pause before each further try after a temporary failure;
	// nil means 2 s, 10 s, 30 s and 2 min: a sign-in link lives 15 minutes.
	Retry []time.Duration
	// Timeout bounds one try; 0 means 20 s.
	Timeout time.Duration
	// Out gets the mails of a server without mail, as readable blocks; nil
	// means that they go to Log.
	Out io.Writer
	Log *slog.Logger
}

const (
	queueLimit = 256 // mails accepted and not yet delivered or given up
	parallel   = 2   // connections to the mail server at once
)

var (
	// ErrBusy is returned while too many mails wait for the mail server.
	ErrBusy = errors.New("too many mails are waiting for the mail server; try again in a minute")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the mailer is shut down")
	// ErrMessage is returned for a message that cannot be a mail: an address
	// that is none, or a line break in the address or the subject.
	ErrMessage = errors.New("not a mail: the address must be one bare address, and the subject one line")
)

// Sender accepts mails at once and delivers them in the background. It is
// safe for concurrent use.
type Sender struct {
	cfg    Config
	server *server // nil without a mail server
	slots  chan struct{}
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	waiting int
	wg      sync.WaitGroup
}

// New returns a Sender, or an error that says which setting to mend. It
// connects to nothing yet.
func New(cfg Config) (*Sender, error) {
	if cfg.Retry == nil {
		cfg.Retry = []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute}
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Second
	}
	s := &Sender{cfg: cfg, slots: make(chan struct{}, parallel)}
	if cfg.URL != "" {
		srv, err := newServer(cfg)
		if err != nil {
			return nil, err
		}
		s.server = srv
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Send accepts m for delivery and returns without waiting for the mail
// server. What becomes of it is in the log. It fails with ErrMessage, ErrBusy
// or ErrClosed.
func (s *Sender) Send(_ context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	if s.server == nil {
		return s.show(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.waiting >= queueLimit:
		return ErrBusy
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

// Waiting returns how many mails are accepted and neither delivered nor given up.
func (s *Sender) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Close takes no more mails, waits until those accepted are gone or ctx ends,
// then gives up the rest.
func (s *Sender) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		s.cancel()
		<-done
	}
	s.cancel()
	return nil
}

// deliver tries until the mail is taken, refused for good, or out of tries.
func (s *Sender) deliver(m Message) {
	for try := 0; ; try++ {
		err := s.try(m)
		if err == nil {
			s.cfg.Log.Info("mail sent", "domain", domain(m.To), "tries", try+1)
			return
		}
		if !temporary(err) || try == len(s.cfg.Retry) || s.ctx.Err() != nil {
			s.cfg.Log.Error("mail not sent: the mail server did not take it; check --smtp-url and --mail-from",
				"domain", domain(m.To), "tries", try+1, "error", reason(err))
			return
		}
		s.cfg.Log.Warn("mail delayed", "domain", domain(m.To), "tries", try+1, "again_in", s.cfg.Retry[try], "error", reason(err))
		select {
		case <-time.After(s.cfg.Retry[try]):
		case <-s.ctx.Done():
		}
	}
}

func (s *Sender) try(m Message) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	ctx, cancel := context.WithTimeout(s.ctx, s.cfg.Timeout)
	defer cancel()
	return s.server.send(ctx, m)
}

// show is how people sign in on a server without mail: the operator reads the
// link to them.
func (s *Sender) show(m Message) error {
	if s.cfg.Out == nil {
		s.cfg.Log.Info("no mail server is set (--smtp-url), so here is the mail", "to", m.To, "subject", m.Subject, "text", m.Text)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.cfg.Out, block(m))
	return err
}

// block is the mail as text for a terminal, free of control characters.
func block(m Message) string {
	var b strings.Builder
	b.WriteString("\n  ┌─ mail (no mail server is set, so it is shown here)\n")
	b.WriteString("  │ To:      " + plain(m.To) + "\n  │ Subject: " + plain(m.Subject) + "\n  │\n")
	for line := range strings.Lines(strings.TrimSpace(m.Text)) {
		b.WriteString("  │ " + plain(line) + "\n")
	}
	b.WriteString("  └─\n\n")
	return b.String()
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

// domain is what of an address may stand in a log.
func domain(addr string) string { return addr[strings.LastIndexByte(addr, '@')+1:] }
