package account

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hearth/app/core"
	"hearth/app/mail"
	"hearth/store"
	"hearth/store/storetest"
)

const (
	testBridgeSecret = "the bridge secret used by the tests"
	testPublicKey    = "the public key of the tests"
)

// harness is a Service on its own database, with a mailer that records what it
// sends.
type harness struct {
	*Service
	t    *testing.T
	db   *storetest.DB
	cast storetest.Cast
	out  *output
}

func open(t *testing.T, change ...func(*Config)) *harness {
	t.Helper()
	h := &harness{t: t, db: storetest.Open(t), out: &output{}}
	h.cast = storetest.People(t, h.db)
	log := slog.New(slog.NewTextHandler(h.out, nil))
	sender, err := mail.New(mail.Config{Out: h.out, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Close(context.Background()) })
	cfg := Config{DB: h.db.DB, Mail: sender, BaseURL: "http://hearth.test", PublicKey: testPublicKey, BridgeSecret: testBridgeSecret, Log: log}
	for _, c := range change {
		c(&cfg)
	}
	if h.Service, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	return h
}

// output records mails and the log.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

// take returns what was written since the last call of take.
func (o *output) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.b.Reset()
	return o.b.String()
}

var (
	mailTo    = regexp.MustCompile(`To: +(\S+)`)
	mailToken = regexp.MustCompile(`/login/verify\?token=(\S+)`)
	mailCode  = regexp.MustCompile(`asked for it: (\d{6})\b`)
)

type letter struct{ to, token, code string }

// ask requests a sign-in mail and returns it, or the zero letter if none was
// sent.
func (h *harness) ask(email string) letter {
	h.t.Helper()
	return h.askNext(email, "")
}

func (h *harness) askNext(email, next string) letter {
	h.t.Helper()
	h.out.take()
	out, err := h.RequestMagicLink.Call(context.Background(), store.Viewer{IP: email}, MagicLinkIn{Email: email, Next: next})
	if err != nil || out.ExpiresIn != 900 {
		h.t.Fatalf("request a link for %s: %+v, %v", email, out, err)
	}
	text := h.out.take()
	if text == "" {
		return letter{}
	}
	return letter{mailTo.FindStringSubmatch(text)[1], mailToken.FindStringSubmatch(text)[1], mailCode.FindStringSubmatch(text)[1]}
}

// verify signs in from a new IP address, to stay below rate limits.
func (h *harness) verify(in VerifyMagicLinkIn) (VerifyMagicLinkOut, error) {
	return h.VerifyMagicLink.Call(context.Background(), store.Viewer{IP: core.NewSecret(8), Device: "a test"}, in)
}

// token signs in with a link and returns the token.
func (h *harness) token(email string) string {
	h.t.Helper()
	out, err := h.verify(VerifyMagicLinkIn{Token: h.ask(email).token})
	if err != nil {
		h.t.Fatalf("sign in as %s: %v", email, err)
	}
	return out.Token
}

// bearer returns the viewer of a request with a bearer token.
func (h *harness) bearer(token string) (store.Viewer, error) {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return h.Caller(r)
}

// as signs in and returns the viewer of the session.
func (h *harness) as(email string) store.Viewer {
	h.t.Helper()
	v, err := h.bearer(h.token(email))
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

// user returns the account with the address.
func (h *harness) user(email string) (u store.User) {
	h.t.Helper()
	if err := h.db.Read(context.Background(), func(r *store.Reader) (err error) { u, err = r.UserByEmail(email); return err }); err != nil {
		h.t.Fatalf("%s: %v", email, err)
	}
	return u
}

// hasUser reports whether an address has an account.
func (h *harness) hasUser(email string) bool {
	return h.db.Read(context.Background(), func(r *store.Reader) error { _, err := r.UserByEmail(email); return err }) == nil
}

// change applies f to the account with the address and writes it.
func (h *harness) change(email string, f func(u *store.User, now store.Time)) {
	h.t.Helper()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		u, err := tx.UserByEmail(email)
		if err == nil {
			f(&u, tx.Now)
			_, err = tx.UpdateUser(u)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// events returns "kind objectID" of the events of a topic.
func (h *harness) events(topic string) (list []string) {
	h.t.Helper()
	for _, e := range h.db.Events(h.t, topic) {
		list = append(list, string(e.Kind)+" "+e.ObjectID)
	}
	return list
}

// recheck returns ErrUnauthenticated if v's streams would be ended.
func (h *harness) recheck(v store.Viewer) error {
	h.t.Helper()
	var ok []bool
	err := h.db.Read(context.Background(), func(r *store.Reader) (err error) {
		ok, err = ValidViewers(r, []store.Viewer{v})
		return err
	})
	if err == nil && !ok[0] {
		err = core.ErrUnauthenticated
	}
	return err
}

// wantCode fails the test unless err is an Error with the code, or nil if code
// is "".
func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	got := ""
	if err != nil {
		got = core.As(err).Code
	}
	if got != code {
		t.Errorf("%s: got %v, want %q", what, err, code)
	}
}

// browser is a client that stores its cookie.
type browser struct {
	h      *harness
	cookie *http.Cookie
}

func (b *browser) request() *http.Request {
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("User-Agent", "Firefox\x00\x1b[31m on a test")
	if b.cookie != nil && b.cookie.MaxAge >= 0 {
		r.AddCookie(&http.Cookie{Name: b.cookie.Name, Value: b.cookie.Value})
	}
	return r
}

func (b *browser) store(w *httptest.ResponseRecorder) {
	for _, c := range w.Result().Cookies() {
		b.cookie = c
	}
}

func (b *browser) signIn(userID string) {
	b.h.t.Helper()
	w := httptest.NewRecorder()
	if err := b.h.SignIn(w, b.request(), userID); err != nil {
		b.h.t.Fatal(err)
	}
	b.store(w)
}

func (b *browser) caller() store.Viewer {
	b.h.t.Helper()
	v, err := b.h.Caller(b.request())
	if err != nil {
		b.h.t.Fatal(err)
	}
	return v
}

func contains(list []string, s string) bool {
	return strings.Contains("\n"+strings.Join(list, "\n")+"\n", "\n"+s+"\n")
}
