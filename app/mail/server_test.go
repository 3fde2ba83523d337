package mail

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// testServer is a listening mail server that records deliveries.
type testServer struct {
	addr     string
	tls      *tls.Certificate
	implicit bool
	auth     bool
	hang     chan struct{} // DATA is answered when it is closed
	refusals []error       // replies to the first RCPT commands
	defers   string        // the end of addresses that are never taken, and never refused for good
	grey     sync.Map      // the addresses at .grey that were refused: once, or always if made up
	rcpts    atomic.Int32
	got      chan delivery
}

type delivery struct {
	from, to, user string
	tls            bool
	raw            []byte
}

func newTestServer(t *testing.T, set func(*testServer)) *testServer {
	s := &testServer{got: make(chan delivery, 100)}
	if set != nil {
		set(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	srv := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{s: s, c: c}, nil }))
	srv.Domain, srv.AllowInsecureAuth = "mail.test", false
	srv.ErrorLog = quiet{}
	if s.tls != nil {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*s.tls}}
	}
	if s.implicit {
		l = tls.NewListener(l, srv.TLSConfig)
	}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func (s *testServer) next(t *testing.T) delivery {
	t.Helper()
	select {
	case d := <-s.got:
		return d
	case <-time.After(10 * time.Second):
		t.Fatal("no mail arrived")
		panic("unreachable")
	}
}

type session struct {
	s *testServer
	c *smtp.Conn
	d delivery
}

func (x *session) AuthMechanisms() []string {
	if !x.s.auth {
		return nil
	}
	return []string{sasl.Plain}
}

func (x *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, pass string) error {
		if pass != "pw" {
			return smtp.ErrAuthFailed
		}
		x.d.user = user
		return nil
	}), nil
}

func (x *session) Mail(from string, _ *smtp.MailOptions) error { x.d.from = from; return nil }

func (x *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	n := int(x.s.rcpts.Add(1))
	if n <= len(x.s.refusals) {
		return x.s.refusals[n-1]
	}
	if x.s.defers != "" && strings.HasSuffix(to, x.s.defers) {
		return &smtp.SMTPError{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 1, 2}, Message: "domain not found"}
	}
	if _, again := x.s.grey.LoadOrStore(to, true); strings.HasSuffix(to, ".grey") && (!again || strings.HasPrefix(to, "fake")) {
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted: " + to}
	}
	x.d.to = to
	return nil
}

func (x *session) Data(r io.Reader) error {
	if x.s.hang != nil {
		<-x.s.hang
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	x.d.raw = raw
	_, x.d.tls = x.c.TLSConnectionState()
	x.s.got <- x.d
	return nil
}

func (x *session) Reset()        {}
func (x *session) Logout() error { return nil }

func (d delivery) header(t *testing.T) netmail.Header {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(d.raw))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header
}

// text returns the decoded text part.
func (d delivery) text(t *testing.T) string {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(d.raw))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextRawPart()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(quotedprintable.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

func decode(t *testing.T, s string) string {
	t.Helper()
	out, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// logSink records the log as text.
type logSink struct {
	slog.Handler
	mu  sync.Mutex
	buf bytes.Buffer
}

func newLogSink() *logSink {
	s := &logSink{}
	s.Handler = slog.NewTextHandler(&s.buf, nil)
	return s
}

func (s *logSink) Handle(ctx context.Context, r slog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Handler.Handle(ctx, r)
}

func (s *logSink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func newSender(t *testing.T, _ *testServer, cfg Config) *Sender {
	t.Helper()
	cfg.From, cfg.Dial, cfg.Log = "Hearth <hearth@example.net>", (&net.Dialer{}).DialContext, slog.New(newLogSink())
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeSender(t, s) })
	return s
}

func send(t *testing.T, s *Sender, m Message) {
	t.Helper()
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// closeSender waits until every mail is delivered or dropped.
func closeSender(t *testing.T, s *Sender) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Second)
	defer cancel()
	s.Close(ctx)
	if ctx.Err() != nil {
		t.Error("Close did not return")
	}
}

func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
