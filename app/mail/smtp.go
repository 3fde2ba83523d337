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

	gomail "github.com/wneessen/go-mail"
)

// server is a mail server described by its URL.
type server struct {
	Config
	host       string
	port       int
	user, pass string
	implicit   bool // TLS from the first byte
	policy     gomail.TLSPolicy
	tls        *tls.Config
	from       netmail.Address
}

// newServer parses the URL. With smtp:// STARTTLS is required, except on loopback, where it is used if offered. The
// parameters ?tls=none and ?tls=starttls change that. With smtps:// the connection starts with TLS.
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
	s := &server{Config: cfg, host: u.Hostname(), from: *from, user: u.User.Username()}
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
		// Loopback connections cannot be intercepted, and certificates for "localhost" are self-signed.
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
	from := s.from
	if s.Named && m.FromName != "" && !hasBreak(m.FromName) {
		from.Name = m.FromName
	}
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(from.String()), msg.To(m.To)); err != nil {
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

func (s *server) client(ctx context.Context) (*gomail.Client, error) {
	opts := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTLSPolicy(s.policy), gomail.WithTLSConfig(s.tls), gomail.WithTimeout(s.Timeout),
		gomail.WithHELO(domain(s.from.Address)),
		gomail.WithDialContextFunc(func(dialCtx context.Context, network, addr string) (net.Conn, error) {
			c, err := s.Dial(dialCtx, network, addr)
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
	if s.user != "" {
		opts = append(opts, gomail.WithUsername(s.user), gomail.WithPassword(s.pass), gomail.WithOpportunisticSMTPAuth(
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(s.host, opts...)
}

// temporary reports whether another attempt may succeed. It may not after a permanent error of the server (5xx), with an
// untrusted certificate, or with an invalid message.
func temporary(err error) bool {
	if se, ok := errors.AsType[*gomail.SendError](err); ok {
		return se.IsTemp() || se.ErrorCode() == 0 // 0: the connection failed
	}
	if te, ok := errors.AsType[*textproto.Error](err); ok {
		return te.Code < 500
	}
	_, unverified := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	return !unverified && !unknown && !errors.Is(err, ErrMessage)
}

// A mail server may quote links and addresses from a mail that it refuses.
var (
	links     = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://\S+`)
	addresses = regexp.MustCompile(`\S*@\S*`)
)

// reason returns err for the log: bounded, without links, which contain secrets, and without addresses. Of what the mail
// server says of a recipient it has only the codes: the words may have any part of the address.
func reason(err error) string {
	se, ok := errors.AsType[*gomail.SendError](err)
	if ok && se.ErrorCode() != 0 && se.Reason != gomail.ErrConnCheck && se.Reason != gomail.ErrSMTPMailFrom {
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
