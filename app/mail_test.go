package app_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"hearth/app"
	"hearth/app/page"
	"hearth/store/storetest"
)

// mailbox is a listening mail server that passes on received mails.
type mailbox chan string

func (m mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &inbox{to: m}, nil }

type inbox struct{ to mailbox }

func (*inbox) Reset()                               {}
func (*inbox) Logout() error                        { return nil }
func (*inbox) Mail(string, *smtp.MailOptions) error { return nil }
func (*inbox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (i *inbox) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	i.to <- string(b)
	return err
}

// newMailbox starts a mail server.
func newMailbox(t *testing.T) (box mailbox, addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box = make(mailbox, 10)
	srv := smtp.NewServer(box)
	srv.Domain = "mail.test"
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return box, ln.Addr().String()
}

// next returns the next mail, with its lines as they were written.
func (m mailbox) next(t *testing.T) string {
	t.Helper()
	select {
	case mail := <-m:
		return strings.ReplaceAll(strings.ReplaceAll(mail, "=\r\n", ""), "=3D", "=")
	case <-time.After(20 * time.Second):
		t.Fatal("no mail arrived")
		return ""
	}
}

// A person signs in by a mail from a real mail server, with its code and then
// with its link. The log contains neither.
func TestSignInByMail(t *testing.T) {
	box, addr := newMailbox(t)
	var err error
	w := &world{t: t, ids: map[string]string{}, tokens: map[string]string{}, log: &storetest.Buffer{}}
	w.app, err = app.New(context.Background(), app.Config{
		DB: filepath.Join(t.TempDir(), "hearth.db"), Schema: storetest.Schema(t), BaseURL: "http://hearth.test",
		Settings: page.Settings{SMTPURL: "smtp://" + addr}, MailFrom: "hearth@hearth.test", AllowNet: []string{"127.0.0.1/32"},
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Out: w.log, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.app.Close() })
	w.h = w.app.Handler()

	ask := func() (link, code string) {
		t.Helper()
		if res := w.json("anonymous", "POST", "/api/auth/magic-link", `{"email":"Ada@Example.org","next":"/chat"}`); res.status != 202 {
			t.Fatalf("%d %s", res.status, res.body)
		}
		mail := box.next(t)
		link = regexp.MustCompile(`http://hearth\.test/login/verify\?token=([\w-]+)`).FindStringSubmatch(mail)[1]
		return link, regexp.MustCompile(`\b\d{6}\b`).FindString(mail[strings.Index(mail, "\r\n\r\n"):])
	}
	_, code := ask()
	if res := w.json("anonymous", "POST", "/api/auth/magic-link/verify", `{"email":"ada@example.org","code":"`+code+
		`"}`); res.status != http.StatusOK {
		t.Errorf("by code: %d %s", res.status, res.body)
	}
	link, second := ask()
	if res := w.json("anonymous", "POST", "/api/auth/magic-link/verify", `{"token":"`+link+`"}`); res.status != http.StatusOK {
		t.Errorf("by link: %d %s", res.status, res.body)
	}
	for _, secret := range []string{code, second, link} {
		if secret == "" || strings.Contains(w.log.String(), secret) {
			t.Errorf("the log contains %q", secret)
		}
	}
}
