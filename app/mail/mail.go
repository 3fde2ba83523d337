// Package mail sends sign-in links and codes by SMTP. Without a mail server it
// prints them for the administrator.
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
	"slices"
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
	By       string // the network that asked for it: of too many that wait, those of one give way
}

// Config configures a Sender.
type Config struct {
	// URL is the mail server, as smtp://user:password@host:port or smtps://…. If
	// empty, mails are printed instead of sent.
	URL string
	// From is the sender, such as "hearth <hearth@example.org>". Required with
	// URL.
	From string
	// Named has each mail be from its FromName, at the address of From.
	Named bool
	// Dial opens the connection. Required with URL.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// RootCAs replaces the system's root certificates if not nil.
	RootCAs *x509.CertPool
	// Retry has the pause before each retry after a temporary failure. Nil means
	// 2 s, 10 s, 30 s and 2 min, well within the 15 minutes of a sign-in link.
	Retry []time.Duration
	// Timeout bounds one attempt. 0 means 20 s.
	Timeout time.Duration
	// Out receives the mails of a server without URL, as readable blocks. If
	// nil, they are written to Log.
	Out io.Writer
	Log *slog.Logger
}

const (
	queueLimit = 256 // mails that were not tried yet
	parallel   = 2   // simultaneous connections to the mail server for them

	// Mails that were refused for now wait apart, so that those to domains that take
	// none hold up no others, nor those for which the mail server cannot be reached or
	// is busy. When more wait than may, one of the network that asked for most of them
	// is given up.
	delayedLimit     = 256
	delayedPerDomain = 64
	delayedParallel  = 2
)

var (
	// ErrBusy is returned while too many mails wait that the mail server did not look at.
	ErrBusy = errors.New("too many mails are waiting for the mail server; try again in a minute")
	// errDelayed is logged for a mail that is not tried again.
	errDelayed = errors.New("too many mails wait to be tried again")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the mailer is closed")
	// ErrMessage is returned for a message with an address that is not valid, or
	// with a line break in the address or the subject.
	ErrMessage = errors.New("invalid mail: To must be one bare address and Subject one line")
)

// Sender queues mails and delivers them in the background. It is safe for
// concurrent use.
type Sender struct {
	cfg    Config
	server *server          // nil without a mail server
	slots  [2]chan struct{} // of first attempts, and of others
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	untried int
	delayed []*delayed // the oldest first
	wg      sync.WaitGroup
}

// delayed is a mail that is to be tried again.
type delayed struct {
	domain string // to which it is; "" if it was not refused for its recipient
	by     string
	tries  int
	give   context.CancelFunc // gives it up
}

// New returns a Sender, or an error that names the setting that is not valid. It
// does not connect.
func New(cfg Config) (*Sender, error) {
	if cfg.Retry == nil {
		cfg.Retry = []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute}
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Second
	}
	s := &Sender{cfg: cfg}
	s.slots = [2]chan struct{}{make(chan struct{}, parallel), make(chan struct{}, delayedParallel)}
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

// Send queues m and returns without waiting for the mail server. The result of
// the delivery is logged. The error is ErrMessage, ErrBusy or ErrClosed.
func (s *Sender) Send(_ context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	if s.server == nil {
		return s.print(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(); err != nil {
		return err
	}
	s.untried++
	s.wg.Go(func() { s.deliver(m) })
	return nil
}

// Ready returns the error that Send would return now, ErrBusy or ErrClosed, for any
// message.
func (s *Sender) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready()
}

// ready is Ready with s.mu held.
func (s *Sender) ready() error {
	switch {
	case s.server == nil: // printed
		return nil
	case s.closed:
		return ErrClosed
	case s.untried+s.waitingFor("") >= queueLimit:
		return ErrBusy
	}
	return nil
}

// Waiting returns how many mails are queued, being delivered or waiting to be tried
// again.
func (s *Sender) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.untried + len(s.delayed)
}

// waitingFor returns how many mails to a domain wait to be tried again, with "" of those
// that were not refused for their recipients. s.mu must be held.
func (s *Sender) waitingFor(domain string) (n int) {
	for _, d := range s.delayed {
		if d.domain == domain {
			n++
		}
	}
	return n
}

// Close accepts no more mails, waits until those queued are delivered or ctx
// ends, and drops the rest.
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

// deliver tries until the mail is accepted, refused permanently, or out of
// retries.
func (s *Sender) deliver(m Message) {
	err := s.try(s.ctx, m, s.slots[0])
	s.mu.Lock()
	s.untried--
	if err == nil || !temporary(err) || len(s.cfg.Retry) == 0 || s.ctx.Err() != nil {
		s.mu.Unlock()
		s.logEnd(m, 1, err)
		return
	}
	ctx, give := context.WithCancel(s.ctx)
	defer give()
	d := &delayed{by: m.By, tries: 1, give: give}
	if ofRecipient(err) {
		d.domain = strings.ToLower(domain(m.To))
	}
	s.delay(d)
	s.mu.Unlock()
	s.deliverAgain(ctx, m, d, err)
	s.mu.Lock()
	s.remove(d)
	s.mu.Unlock()
}

// delay adds d to those that wait, and gives up others, or d, while too many do. s.mu
// must be held.
func (s *Sender) delay(d *delayed) {
	s.delayed = append(s.delayed, d)
	if d.domain == "" {
		return // no more are taken than may wait
	}
	s.bound(delayedPerDomain, func(o *delayed) bool { return o.domain == d.domain })
	s.bound(delayedLimit, func(o *delayed) bool { return o.domain != "" })
}

// bound gives up one of the mails of a set if more than most of them wait: of the network
// that asked for most of them, and of its mails that which was tried most often.
func (s *Sender) bound(most int, in func(*delayed) bool) {
	n, by := 0, map[string]int{}
	for _, d := range s.delayed {
		if in(d) {
			n++
			by[d.by]++
		}
	}
	if n <= most {
		return
	}
	var last *delayed
	for _, d := range s.delayed {
		if in(d) && (last == nil || by[d.by] > by[last.by] || by[d.by] == by[last.by] && d.tries > last.tries) {
			last = d
		}
	}
	s.remove(last)
	last.give()
}

// remove removes d from those that wait, if it does. s.mu must be held.
func (s *Sender) remove(d *delayed) {
	s.delayed = slices.DeleteFunc(s.delayed, func(o *delayed) bool { return o == d })
}

// deliverAgain goes on after a first attempt that failed with err for now, until ctx ends.
func (s *Sender) deliverAgain(ctx context.Context, m Message, d *delayed, err error) {
	try := 1
	for ; err != nil && temporary(err) && try <= len(s.cfg.Retry) && ctx.Err() == nil; try++ {
		pause := s.cfg.Retry[try-1]
		s.cfg.Log.Warn("mail delayed", "domain", domain(m.To), "tries", try, "again_in", pause, "error", reason(err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			s.logEnd(m, try, fmt.Errorf("%w: %w", s.ended(), err))
			return
		}
		err = s.try(ctx, m, s.slots[1])
		s.mu.Lock()
		d.tries++
		s.mu.Unlock()
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", s.ended(), err)
	}
	s.logEnd(m, try, err)
}

// ended returns why a mail is given up before it was tried as often as it may be.
func (s *Sender) ended() error {
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return errDelayed
}

// logEnd logs that a mail was sent, or why it was not.
func (s *Sender) logEnd(m Message, tries int, err error) {
	if err == nil {
		s.cfg.Log.Info("mail sent", "domain", domain(m.To), "tries", tries)
		return
	}
	s.cfg.Log.Error("mail not sent: the mail server did not accept it; check --smtp-url and --mail-from",
		"domain", domain(m.To), "tries", tries, "error", reason(err))
}

func (s *Sender) try(ctx context.Context, m Message, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	return s.server.send(ctx, m)
}

// print prints a mail, so that an administrator can pass its link on.
func (s *Sender) print(m Message) error {
	if s.cfg.Out == nil {
		s.cfg.Log.Info("no mail server is configured (--smtp-url); printing the mail", "to", m.To, "subject", m.Subject, "text", m.Text)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.cfg.Out, block(m))
	return err
}

// block formats a mail for a terminal, without control characters.
func block(m Message) string {
	var b strings.Builder
	b.WriteString("\n  ┌─ mail (printed here because no mail server is configured)\n")
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

// domain returns the part of an address that may be logged.
func domain(addr string) string { return addr[strings.LastIndexByte(addr, '@')+1:] }
