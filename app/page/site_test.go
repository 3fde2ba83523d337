package page_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/domain"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/mail"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/app/page"
	"hearth/app/people"
	"hearth/app/social"
	"hearth/store"
	"hearth/store/storetest"
)

// outbox records the mails that are sent.
type outbox struct {
	mu    sync.Mutex
	mails []mail.Message
}

func (o *outbox) Ready() error { return nil }

func (o *outbox) Send(_ context.Context, m mail.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mails = append(o.mails, m)
	return nil
}

func (o *outbox) last(t *testing.T) mail.Message {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.mails) == 0 {
		t.Fatal("no mail was sent")
	}
	return o.mails[len(o.mails)-1]
}

// world is the pages over the real services, behind a listening server.
type world struct {
	t       *testing.T
	db      *storetest.DB
	cast    storetest.Cast
	account *account.Service
	chat    *chat.Service
	list    *list.Service
	admin   *admin.Service
	social  *social.Service
	mails   *outbox
	url     string
	handler http.Handler // of url
	full    atomic.Bool  // the server has no storage left
	busy    atomic.Bool  // it refuses what adds content for a while
	fault   atomic.Value // func() error: how what adds content fails
}

func newWorld(t *testing.T, change ...func(*page.Config)) *world {
	t.Helper()
	w := &world{t: t, db: storetest.Open(t), mails: &outbox{}}
	w.cast = storetest.People(t, w.db)
	mux := http.NewServeMux()
	w.handler = mux
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	files, err := file.New(file.Config{DB: w.db.DB})
	if err != nil {
		t.Fatal(err)
	}
	limits, err := w.limits()
	if err != nil {
		t.Fatal(err)
	}
	if w.account, err = account.New(account.Config{DB: w.db.DB, Limits: limits, Files: files, Mail: w.mails, BaseURL: w.url,
		Log: log}); err != nil {
		t.Fatal(err)
	}
	w.admin = admin.New(admin.Config{
		DB: w.db.DB, Files: files, Limits: limits,
		Accounts:      admin.Accounts{Suspend: account.Suspend, Restore: account.Restore, Promote: account.Promote, Demote: account.Demote},
		DeleteMessage: func(tx *store.Tx, m store.Message) error { return chat.Redact(tx, &m) },
	})
	w.chat, w.list = chat.New(chat.Config{DB: w.db.DB, Limits: limits, Files: files, BaseURL: w.url}),
		list.New(list.Config{DB: w.db.DB, Limits: limits, CursorKey: make([]byte, 32)})
	w.social = social.New(social.Config{DB: w.db.DB, Limits: limits, Connect: w.chat.Connect, Reply: w.chat.Reply})
	cfg := page.Config{Services: domain.Services{Account: w.account, Social: w.social, Chat: w.chat, List: w.list,
		Lane: lane.New(lane.Config{DB: w.db.DB, Limits: limits}), Files: files, Admin: w.admin,
		People: people.New(people.Config{DB: w.db.DB, Limits: limits, BaseURL: w.url, Hidden: w.chat.Hidden})}, BaseURL: w.url,
		Settings: page.Settings{SMTPURL: "smtp://mail.example"}, PublicKey: "the-public-key", Log: log, Now: w.db.Clock.Now}
	for _, f := range change {
		f(&cfg)
	}
	if cfg.Stack, err = middleware.New(middleware.Config{BaseURLs: []string{cfg.BaseURL}, Log: log, Now: cfg.Now}); err != nil {
		t.Fatal(err)
	}
	pages, err := page.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", http.NewCrossOriginProtection().Handler(pages))
	mux.HandleFunc("POST /test/sign-in/{id}", func(rw http.ResponseWriter, r *http.Request) {
		if err := w.account.SignIn(rw, r, r.PathValue("id")); err != nil {
			t.Error(err)
		}
	})
	return w
}

// limits returns the limits of a server that is full if w.full is set, and busy if
// w.busy is set.
func (w *world) limits() (*op.Limits, error) {
	full, err := file.New(file.Config{DB: w.db.DB, QuotaServer: 1})
	limits := op.NewLimits(w.db.Clock.Now, false)
	limits.Answers = w.db.DB
	limits.Space = func(ctx context.Context) error {
		fault, _ := w.fault.Load().(func() error)
		switch {
		case fault != nil:
			return fault()
		case w.busy.Load():
			return core.TooManyAfter(time.Second, "too_many_requests", "Too many requests in a short time.")
		case w.full.Load():
			return full.CheckSpace(ctx)
		}
		return nil
	}
	return limits, err
}

// browser is a client with cookies that does not follow redirects.
type browser struct {
	w *world
	c *http.Client
}

func (w *world) guest() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (w *world) as(u store.User) *browser {
	b := w.guest()
	if got := b.post("/test/sign-in/"+u.ID, nil); got.status != 200 {
		w.t.Fatalf("sign in: %d", got.status)
	}
	return b
}

type answer struct {
	status int
	to     string // where a redirect leads
	header http.Header
	body   string
}

func (b *browser) do(req *http.Request) answer {
	b.w.t.Helper()
	res, err := b.c.Do(req)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header.Get("Location"), res.Header, string(body)}
}

func (b *browser) get(path string) answer {
	b.w.t.Helper()
	req, err := http.NewRequest("GET", b.w.url+path, nil)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return b.do(req)
}

func (b *browser) post(path string, form url.Values) answer {
	b.w.t.Helper()
	req, err := http.NewRequest("POST", b.w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(req)
}

// want checks the status, and that the page has all of the words.
func (a answer) want(t *testing.T, status int, words ...string) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d; to %q, body:\n%s", a.status, status, a.to, mainPart(a.body))
	}
	for _, word := range words {
		if !strings.Contains(a.body, word) {
			t.Errorf("the page lacks %q:\n%s", word, mainPart(a.body))
		}
	}
	return a
}

// leads checks that the answer sends the browser on to a path.
func (a answer) leads(t *testing.T, pattern string) string {
	t.Helper()
	if a.status != http.StatusSeeOther || !regexp.MustCompile("^"+pattern+"$").MatchString(a.to) {
		t.Errorf("status %d to %q, want 303 to %s:\n%s", a.status, a.to, pattern, mainPart(a.body))
	}
	return a.to
}

func (a answer) lacks(t *testing.T, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(a.body, word) {
			t.Errorf("the page has %q:\n%s", word, mainPart(a.body))
		}
	}
}

func mainPart(body string) string {
	if _, rest, ok := strings.Cut(body, "<main"); ok {
		body, _, _ = strings.Cut(rest, "</main>")
	}
	return body
}
