package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func letter() Message {
	return Message{To: "ada@example.org", Subject: "Sign in – Grüße", Text: "Open\n\nhttp://x.test/login?token=s3cret\n",
		HTML: "<p>Open</p>"}
}

func TestSendPlain(t *testing.T) {
	srv := newTestServer(t, nil)
	s := newSender(t, srv, Config{URL: "smtp://" + srv.addr})
	send(t, s, letter())
	got := srv.next(t)
	if got.to != "ada@example.org" || got.from != "hearth@example.net" || got.tls || got.user != "" {
		t.Errorf("envelope: %+v", got)
	}
	if want := "Open\n\nhttp://x.test/login?token=s3cret"; strings.TrimSpace(got.text(t)) != want {
		t.Errorf("text = %q, want %q", got.text(t), want)
	}
	if h := got.header(t); h.Get("Auto-Submitted") != "auto-generated" || decode(t, h.Get("Subject")) != "Sign in – Grüße" ||
		h.Get("Message-Id") == "" {
		t.Errorf("header: %v", h)
	}
	closeSender(t, s)
	if l := s.cfg.Log.Handler().(*logSink).String(); !strings.Contains(l, "mail sent") || strings.Contains(l, "s3cret") ||
		strings.Contains(l, "ada@") {
		t.Errorf("log: %s", l)
	}
}

func TestSendOverTLS(t *testing.T) {
	cert, roots := selfSigned(t)
	for _, tc := range []struct {
		name, url string
		implicit  bool
		trusted   bool
		arrives   bool
	}{
		{"STARTTLS required, certificate trusted", "smtp://ada:pw@%s?tls=starttls", false, true, true},
		{"STARTTLS required, certificate unknown", "smtp://ada:pw@%s?tls=starttls", false, false, false},
		{"loopback without STARTTLS", "smtp://ada:pw@%s", false, false, true},
		{"implicit TLS, certificate trusted", "smtps://ada:pw@%s", true, true, true},
		{"implicit TLS, certificate unknown", "smtps://ada:pw@%s", true, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newTestServer(t, func(s *testServer) { s.tls, s.implicit, s.auth = &cert, tc.implicit, true })
			cfg := Config{URL: fmt.Sprintf(tc.url, srv.addr)}
			if tc.trusted {
				cfg.RootCAs = roots
			}
			s := newSender(t, srv, cfg)
			send(t, s, letter())
			closeSender(t, s)
			if !tc.arrives {
				if l := s.cfg.Log.Handler().(*logSink).String(); !strings.Contains(l, "mail not sent") || !strings.Contains(l, "tries=1 ") {
					t.Errorf("want one try and a failure in the log: %s", l)
				}
				if n := len(srv.got); n != 0 {
					t.Errorf("%d mails arrived", n)
				}
				return
			}
			if got := srv.next(t); !got.tls || got.user != "ada" {
				t.Errorf("tls=%v user=%q", got.tls, got.user)
			}
		})
	}
}

func TestStartTLSRequired(t *testing.T) {
	srv := newTestServer(t, nil) // offers no STARTTLS
	s := newSender(t, srv, Config{URL: "smtp://" + srv.addr + "?tls=starttls", Retry: []time.Duration{}})
	send(t, s, letter())
	closeSender(t, s)
	if len(srv.got) != 0 {
		t.Error("the mail was sent unencrypted")
	}
}

func TestRetry(t *testing.T) {
	for _, tc := range []struct {
		name    string
		replies []int // reply codes to RCPT, then 250
		tries   int
		arrives bool
	}{
		{"temporary, then taken", []int{451, 421}, 3, true},
		{"refused for good", []int{550}, 1, false},
		{"too many temporary errors", []int{451, 451, 451, 451}, 3, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newTestServer(t, func(s *testServer) {
				for _, code := range tc.replies {
					s.refusals = append(s.refusals, &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 0, 0},
						Message: "no: http://x.test/login?token=s3cret"})
				}
			})
			s := newSender(t, srv, Config{URL: "smtp://" + srv.addr, Retry: []time.Duration{time.Millisecond, time.Millisecond}})
			send(t, s, letter())
			closeSender(t, s)
			if n := int(srv.rcpts.Load()); n != tc.tries {
				t.Errorf("%d tries, want %d", n, tc.tries)
			}
			if (len(srv.got) == 1) != tc.arrives {
				t.Errorf("%d mails arrived, want arrival %v", len(srv.got), tc.arrives)
			}
			if l := s.cfg.Log.Handler().(*logSink).String(); strings.Contains(l, "s3cret") || strings.Contains(l, "mail not sent") == tc.arrives {
				t.Errorf("log: %s", l)
			}
		})
	}
}

// What a mail server says may have the address, or a part of it. Of what it says of a
// recipient only the codes are logged, and of the rest no address.
func TestAddressesAreNotLogged(t *testing.T) {
	for _, words := range []string{"greylisted, try later: <ada.l@example.org>", "no mailbox ada.l here", "ada.l%40example.org"} {
		srv := newTestServer(t, func(s *testServer) {
			for _, code := range []int{451, 550} {
				s.refusals = append(s.refusals, &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 7, 1}, Message: words})
			}
		})
		s := newSender(t, srv, Config{URL: "smtp://" + srv.addr, Retry: []time.Duration{time.Millisecond}})
		send(t, s, Message{To: "ada.l@example.org", Subject: "x"})
		closeSender(t, s)
		l := s.cfg.Log.Handler().(*logSink).String()
		for _, want := range []string{"mail delayed", "mail not sent", "sending SMTP RCPT TO command: 451 4.7.1",
			"sending SMTP RCPT TO command: 550 5.7.1", "domain=example.org"} {
			if !strings.Contains(l, want) {
				t.Errorf("want %q in the log: %s", want, l)
			}
		}
		if strings.Contains(l, "ada.l") {
			t.Errorf("the log has the address: %s", l)
		}
	}
	for text, want := range map[string]string{
		"535 5.7.8 bad password for <mailer@example.net>": "535 5.7.8 bad password for [address]",
		"https://x.test/a?b=c and a@b":                    "[link] and [address]",
		"dial tcp 127.0.0.1:25: connection refused":       "dial tcp 127.0.0.1:25: connection refused",
	} {
		if got := reason(errors.New(text)); got != want {
			t.Errorf("%q is logged as %q, want %q", text, got, want)
		}
	}
}

// Mails that are refused for now, however many, hold up no others.
func TestDelayedMailsWaitApart(t *testing.T) {
	srv := newTestServer(t, func(s *testServer) { s.defers = ".invalid" })
	s := newSender(t, srv, Config{URL: "smtp://" + srv.addr, Retry: []time.Duration{time.Hour}})
	for range 10 * parallel {
		m := letter()
		m.To = "ada@d.invalid"
		send(t, s, m)
	}
	send(t, s, letter())
	if got := srv.next(t); got.to != "ada@example.org" {
		t.Errorf("got %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ctx)
}

// A mail server that takes no mail at present refuses none in particular: all wait, and
// no more are taken than can.
func TestBusyServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "421 4.3.2 too busy\r\n")
			c.Close()
		}
	}()
	s := newSender(t, nil, Config{URL: "smtp://" + l.Addr().String(), Retry: []time.Duration{time.Hour}})
	for range queueLimit {
		send(t, s, letter())
	}
	if err := s.Ready(); !errors.Is(err, ErrBusy) {
		t.Errorf("one more mail than can wait: %v", err)
	}
	if n := s.Waiting(); n != queueLimit {
		t.Errorf("%d mails wait, want %d", n, queueLimit)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ctx)
}

// A server that accepts the connection and sends nothing must not block the
// caller or the shutdown.
func TestHangingServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, queueLimit)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	s := newSender(t, nil, Config{URL: "smtp://" + l.Addr().String(), Timeout: time.Hour})
	for range queueLimit {
		send(t, s, letter()) // returns before the mail is delivered
	}
	if err := s.Send(t.Context(), letter()); !errors.Is(err, ErrBusy) || s.Ready() != err {
		t.Errorf("mail %d: got %v, want ErrBusy; Ready: %v", queueLimit+1, err, s.Ready())
	}
	c := <-accepted
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ctx)
	if err := s.Send(t.Context(), letter()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: got %v", err)
	}
	l.Close()
	for c := range accepted {
		c.Close()
	}
}

func TestTimeoutIsTemporary(t *testing.T) {
	srv := newTestServer(t, func(s *testServer) { s.hang = make(chan struct{}) })
	s := newSender(t, srv, Config{URL: "smtp://" + srv.addr, Timeout: 100 * time.Millisecond, Retry: []time.Duration{time.Millisecond}})
	send(t, s, letter())
	closeSender(t, s)
	close(srv.hang)
	if l := s.cfg.Log.Handler().(*logSink).String(); !strings.Contains(l, "mail delayed") || !strings.Contains(l, "tries=2") {
		t.Errorf("want a second attempt after the timeout: %s", l)
	}
}

func TestHeaderInjection(t *testing.T) {
	srv := newTestServer(t, nil)
	s := newSender(t, srv, Config{URL: "smtp://" + srv.addr})
	for _, m := range []Message{
		{To: "ada@example.org\r\nBcc: eve@example.org", Subject: "x"},
		{To: "ada@example.org>\r\nRCPT TO:<eve@example.org", Subject: "x"},
		{To: "ada@example.org, eve@example.org", Subject: "x"},
		{To: "Ada <ada@example.org>", Subject: "x"},
		{To: "\"a\r\nb\"@example.org", Subject: "x"},
		{To: "", Subject: "x"},
		{To: "ada@example.org", Subject: "x\r\nBcc: eve@example.org"},
		{To: "ada@example.org", Subject: "x\nBcc: eve@example.org"},
		{To: "ada@example.org", Subject: "x\x00y"},
		{To: "ada@example.org", Subject: "x\u0085Bcc: eve@example.org"},
	} {
		if err := s.Send(t.Context(), m); !errors.Is(err, ErrMessage) {
			t.Errorf("%+v: got %v, want ErrMessage", m, err)
		}
	}
	send(t, s, Message{To: "ada@example.org", Subject: "=?utf-8?q?x=0D=0ABcc:_eve@example.org?=",
		Text: "\r\n.\r\nMAIL FROM:<eve@example.org>\r\n"})
	closeSender(t, s)
	got := srv.next(t)
	if got.header(t).Get("Bcc") != "" || len(srv.got) != 0 || srv.rcpts.Load() != 1 {
		t.Errorf("want one mail to one recipient, got: %+v", got)
	}
}

func TestShowWithoutServer(t *testing.T) {
	var out bytes.Buffer
	s := newSender(t, nil, Config{Out: &out})
	m := letter()
	m.Text += "from \x1b[31mred\x07"
	send(t, s, m)
	if got := out.String(); !strings.Contains(got, "│ http://x.test/login?token=s3cret\n") || strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("got %s", got)
	}
	s = newSender(t, nil, Config{})
	send(t, s, letter())
	if l := s.cfg.Log.Handler().(*logSink).String(); strings.Count(l, "\n") != 1 || !strings.Contains(l, "token=s3cret") {
		t.Errorf("log: %s", l)
	}
}

func TestSettings(t *testing.T) {
	dial := (&net.Dialer{}).DialContext
	for url, ok := range map[string]bool{
		"smtp://mail.example.org": true, "smtp://u:p@mail.example.org:2525": true, "smtps://mail.example.org/": true,
		"smtp://mail.example.org?tls=none": true, "smtp://u:p@127.0.0.1?tls=none": true, "smtp://[::1]:25": true,
		"smtp://u:p@mail.example.org?tls=none": false, "smtps://mail.example.org?tls=none": false, "http://mail.example.org": false,
		"mail.example.org:25": false, "smtp://": false, "smtp://h:0": false, "smtp://h:70000": false, "smtp://h?tls=maybe": false,
		"smtp://h?tsl=none": false, "smtp://h/x": false, "smtp://user:hunter2@h:port": false,
	} {
		_, err := New(Config{URL: url, From: "a@example.net", Dial: dial, Log: slog.Default()})
		if (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
	if _, err := New(Config{URL: "smtp://h", From: "a@example.net\r\nBcc: b@example.net", Dial: dial}); err == nil {
		t.Error("a sender with a line break was accepted")
	}
}
