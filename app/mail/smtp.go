package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// server is a mail server described by its URL.
type server struct {
	host       string
	port       int
	user, pass string
	implicit   bool // TLS from the first byte
	policy     gomail.TLSPolicy
	tls        *tls.Config
	named      bool // a mail is from its FromName
	from       string
	hello      string
	dial       func(ctx context.Context, network, addr string) (net.Conn, error)
}

// newServer parses the URL. With smtp:// STARTTLS is required, except on
// loopback, where it is used if offered. The parameters ?tls=none and
// ?tls=starttls change that. With smtps:// the connection starts with TLS.
func newServer(cfg Config) (*server, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Hostname() == "" || (u.Path != "" && u.Path != "/") || u.Fragment != "" {
		// Do not repeat the URL, which contains a password.
		return nil, errors.New("--smtp-url must look like smtp://user:password@mail.example.org:587 or smtps://…")
	}
	if cfg.Dial == nil {
		return nil, errors.New("mail: Dial is required with a mail server")
	}
	from, err := netmail.ParseAddress(cfg.From)
	if err != nil || hasBreak(cfg.From) || hasBreak(from.Name) {
		return nil, errors.New("--mail-from must be an address such as hearth@example.org when --smtp-url is set")
	}
	s := &server{host: u.Hostname(), from: cfg.From, named: cfg.Named, hello: domain(from.Address), dial: cfg.Dial}
	s.user = u.User.Username()
	s.pass, _ = u.User.Password()
	s.tls = &tls.Config{ServerName: s.host, RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12}
	if err := s.setTLS(u.Scheme, u.Query()); err != nil {
		return nil, err
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return nil, errors.New("--smtp-url: the port must be a number from 1 to 65535")
		}
		s.port = int(n)
	}
	return s, nil
}

func (s *server) setTLS(scheme string, q url.Values) error {
	mode := q.Get("tls")
	if len(q) > 1 || (len(q) == 1 && !q.Has("tls")) {
		return errors.New("--smtp-url accepts only the parameter tls=none or tls=starttls")
	}
	switch {
	case scheme == "smtps" && mode == "":
		s.implicit, s.port, s.policy = true, 465, gomail.NoTLS
	case scheme == "smtp" && mode == "starttls", scheme == "smtp" && mode == "" && !loopback(s.host):
		s.port, s.policy = 587, gomail.TLSMandatory
	case scheme == "smtp" && mode == "none":
		s.port, s.policy = 25, gomail.NoTLS
		if s.user != "" && !loopback(s.host) {
			return errors.New("--smtp-url: tls=none would send the password unencrypted; remove tls=none or the password")
		}
	case scheme == "smtp" && mode == "":
		s.port, s.policy = 25, gomail.TLSOpportunistic
		// Loopback connections cannot be intercepted, and certificates for
		// "localhost" are self-signed.
		s.tls.InsecureSkipVerify = true
	default:
		return errors.New("--smtp-url must start with smtp:// or smtps:// and may end with ?tls=none or ?tls=starttls")
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// send delivers m over a new connection.
func (s *server) send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(s.fromOf(m)), msg.To(m.To)); err != nil {
		return fmt.Errorf("%w: %v", ErrMessage, err)
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // closes the connection, which the client leaves open if the greeting fails
	c, err := s.client(ctx)
	if err != nil {
		return err
	}
	return c.DialAndSendWithContext(ctx, msg)
}

// fromOf returns the sender of m.
func (s *server) fromOf(m Message) string {
	if !s.named || m.FromName == "" || hasBreak(m.FromName) {
		return s.from
	}
	from, err := netmail.ParseAddress(s.from)
	if err != nil {
		return s.from
	}
	return (&netmail.Address{Name: m.FromName, Address: from.Address}).String()
}

func (s *server) client(ctx context.Context) (*gomail.Client, error) {
	opts := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTLSPolicy(s.policy), gomail.WithTLSConfig(s.tls), gomail.WithHELO(s.hello),
		gomail.WithDialContextFunc(func(dialCtx context.Context, network, addr string) (net.Conn, error) {
			c, err := s.dial(dialCtx, network, addr)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { c.Close() })
			if s.implicit {
				t := tls.Client(c, s.tls)
				return t, t.HandshakeContext(dialCtx)
			}
			return c, nil
		}),
	}
	if s.implicit {
		opts = append(opts, gomail.WithSSL())
	}
	if deadline, ok := ctx.Deadline(); ok {
		opts = append(opts, gomail.WithTimeout(time.Until(deadline)))
	}
	if s.user != "" {
		opts = append(opts, gomail.WithUsername(s.user), gomail.WithPassword(s.pass), gomail.WithOpportunisticSMTPAuth(
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(s.host, opts...)
}

// temporary reports whether another attempt may succeed. It may not after a
// permanent error of the server (5xx), with an untrusted certificate, or with an
// invalid message.
func temporary(err error) bool {
	if se, ok := errors.AsType[*gomail.SendError](err); ok {
		return se.IsTemp() || se.ErrorCode() == 0 // 0: the connection failed
	}
	if te, ok := errors.AsType[*textproto.Error](err); ok {
		return te.Code < 500
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return false
	}
	return !errors.Is(err, ErrMessage)
}

// ofRecipient reports whether an attempt failed by an answer of the mail server that may
// be due to the recipient: one before that was named is due to the server.
func ofRecipient(err error) bool {
	se, ok := errors.AsType[*gomail.SendError](err)
	return ok && se.ErrorCode() != 0 && se.Reason != gomail.ErrConnCheck && se.Reason != gomail.ErrSMTPMailFrom
}

// links matches URLs, and addresses those of e-mail. A mail server may quote them from a
// mail that it refuses.
var (
	links     = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S+`)
	addresses = regexp.MustCompile(`\S*@\S*`)
)

// reason returns err for the log: bounded, without links, which contain secrets, and
// without addresses. Of what the mail server says of a recipient it has only the codes:
// the words may have any part of the address.
func reason(err error) string {
	if ofRecipient(err) {
		se, _ := errors.AsType[*gomail.SendError](err)
		codes := strings.TrimSpace(fmt.Sprintf("%v: %d %s", se.Reason, se.ErrorCode(), se.EnhancedStatusCode()))
		if errors.Is(err, ErrClosed) {
			return ErrClosed.Error() + ": " + codes
		}
		return codes
	}
	s := addresses.ReplaceAllString(links.ReplaceAllString(plain(err.Error()), "[link]"), "[address]")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
