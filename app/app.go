package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/api"
	"hearth/app/browse"
	"hearth/app/chat"
	"hearth/app/core"
	"hearth/app/cron"
	"hearth/app/domain"
	"hearth/app/fetch"
	"hearth/app/file"
	"hearth/app/lane"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/mail"
	"hearth/app/mcp"
	"hearth/app/metrics"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/app/page"
	"hearth/app/people"
	"hearth/app/push"
	"hearth/app/social"
	"hearth/app/voice"
	"hearth/app/webhook"
	"hearth/store"
)

// App is a server: a database file, the services on it, and the transports. Commands and sample data use its services.
type App struct {
	domain.Services
	cfg     Config
	db      *store.DB
	metrics *metrics.Metrics
	mail    *mail.Sender
	voice   *voice.Transcriber
	fetch   *fetch.Client
	webhook *webhook.Worker
	mcp     *mcp.Server
	stack   *middleware.Stack
	handler http.Handler
	ops     net.Listener

	operators *http.Server // at the socket of the database
	acting    func() (http.Handler, error)

	secretary *chat.Secretary

	closing sync.Once
	closed  error
}

// New opens the database of cfg, creates it if necessary, and composes the services. It serves nothing before Run or
// Handler. An error names the setting to change.
func New(ctx context.Context, cfg Config) (*App, error) {
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, metrics: metrics.New(), Services: domain.Services{Limits: op.NewLimits(cfg.Now, !cfg.NoRateLimits)}}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context) (err error) {
	if !a.cfg.command {
		go page.Load() // beside the database
	}
	opt := a.cfg.Store
	opt.Schema, opt.Now, opt.Log, opt.OnGroup, opt.Kept = a.cfg.Schema, a.cfg.Now, a.cfg.Log, a.metrics.Group, a.cfg.command
	if also := a.cfg.Store.OnGroup; also != nil {
		opt.OnGroup = func(writes int, took time.Duration) { a.metrics.Group(writes, took); also(writes, took) }
	}
	if opt.OnMigrate == nil {
		opt.OnMigrate = func(from, to int, copyPath string) {
			fmt.Fprintf(a.cfg.Out, "Migrating the database from schema version %d to %d; the previous file is saved as %s.\n", from, to, copyPath)
		}
	}
	if err := a.openDatabase(ctx, opt); err != nil {
		return err
	}
	if a.cfg.command {
		if err := a.cfg.storedBaseURL(ctx, a.db); err != nil {
			return err
		}
	}
	if err := a.openNet(); err != nil {
		return err
	}
	if err := a.openServices(ctx); err != nil {
		return err
	}
	a.addGauges()
	if err := a.openTransports(); err != nil {
		return err
	}
	if !a.cfg.command {
		a.openSocket()
	}
	return nil
}

func (a *App) openNet() error {
	dialer, err := fetch.NewDialer(a.cfg.AllowNet)
	if err != nil {
		return fmt.Errorf("--allow-net: %w", err)
	}
	a.fetch = fetch.NewClient(dialer, fetch.Options{UserAgent: "hearth/" + a.cfg.Version,
		Refuse: ownHosts(a.cfg.BaseURL, a.cfg.LegacyBaseURL)})
	a.mail, err = mail.New(mail.Config{URL: a.cfg.SMTPURL, From: a.cfg.MailFrom, Named: a.cfg.mailNamed, Dial: dialer.DialContext,
		Out: a.cfg.Out, Log: a.cfg.Log})
	return err
}

// browser reads pages for callers without an account, too, so --allow-net does not apply to it.
func browser(cfg *Config, limits *op.Limits, own ...string) (*browse.Service, error) {
	dialer, err := fetch.NewDialer(nil)
	if err != nil {
		return nil, err
	}
	client := fetch.NewClient(dialer, fetch.Options{UserAgent: "hearth/" + cfg.Version, Refuse: ownHosts(own...)})
	return browse.New(client, limits, cfg.Now), nil
}

func ownHosts(urls ...string) (hosts []string) {
	for _, u := range urls {
		if _, host, ok := strings.Cut(u, "://"); ok {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func (a *App) addGauges() {
	a.metrics.Gauge("hearth_write_queue", func() float64 { return float64(a.db.Queued()) })
	a.metrics.Gauge("hearth_mail_queue", func() float64 { return float64(a.mail.Waiting()) })
	a.metrics.Gauge("hearth_streams", func() float64 { return float64(a.Live.Streams()) })
	a.metrics.Gauge("hearth_webhook_queue", func() float64 { return float64(a.webhook.Waiting()) })
	a.metrics.Counter("hearth_webhook_attempts_total",
		func() float64 { made, _ := a.webhook.Attempts(); return float64(made) })
	a.metrics.Counter("hearth_webhook_failures_total",
		func() float64 { _, failed := a.webhook.Attempts(); return float64(failed) })
	a.metrics.Gauge("hearth_database_bytes", metrics.FileSize(a.db.Path()))
	a.metrics.Gauge("hearth_database_log_bytes", metrics.FileSize(a.db.Path()+"-wal"))
}

func (a *App) openAccounts(cursorKey []byte) (err error) {
	a.Account, err = account.New(account.Config{
		DB: a.db, Files: a.Files, Mail: a.mail, SendsMail: a.cfg.SMTPURL != "", CursorKey: cursorKey, Limits: a.Limits, BaseURL: a.cfg.BaseURL,
		JWTSecret: a.cfg.JWTSecret, PublicKey: a.cfg.PublicKey,
		BridgeSecret: a.cfg.BridgeSecret, Signup: a.cfg.Signup, Log: a.cfg.Log,
		Publish: func(userIDs []string, kind store.EventKind, data []byte) error {
			return a.Live.PublishUsers(userIDs, kind, data)
		},
		Joined: chat.JoinDefault, Exports: a.exports,
		Ended: []func(*store.Tx, store.Ended) error{chat.Ended, list.Ended, people.Ended, lane.Ended, social.Ended},
	})
	return err
}

func (a *App) openServices(ctx context.Context) (err error) {
	a.Files, err = file.New(file.Config{DB: a.db, QuotaAccount: a.cfg.QuotaAccount, QuotaServer: a.cfg.QuotaServer,
		DiskReserve: a.cfg.DiskReserve, Log: a.cfg.Log})
	if err != nil {
		return err
	}
	a.Limits.Space, a.Limits.Answers = a.Files.CheckSpace, a.db
	key, err := cursorKey(ctx, a.db)
	if err != nil {
		return err
	}
	if err := a.openAccounts(key); err != nil {
		return err
	}
	a.webhook = webhook.New(webhook.Config{DB: a.db, Fetch: a.fetch, Log: a.cfg.Log, Delays: a.cfg.WebhookDelays})
	if a.secretary, err = chat.NewSecretary(ctx, a.db, a.cfg.Log); err != nil {
		return err
	}
	a.db.OnCommit(a.secretary.Notify)
	a.Chat = chat.New(chat.Config{DB: a.db, Files: a.Files, CursorKey: key, Secretary: a.secretary, Limits: a.Limits, BaseURL: a.cfg.BaseURL,
		CheckURL: a.fetch.CheckURL, Transcribe: a.transcribe(), Publish: func(ctx context.Context, conversationID, userID string,
			kind store.EventKind, data []byte) error {
			return a.Live.PublishConversation(ctx, conversationID, userID, kind, data)
		}})
	a.List = list.New(list.Config{DB: a.db, Limits: a.Limits, CursorKey: key, Fetch: a.fetch, Log: a.cfg.Log})
	a.People = people.New(people.Config{DB: a.db, Limits: a.Limits, BaseURL: a.cfg.BaseURL, Hidden: a.Chat.Hidden, Reshow: a.Account.Reshow,
		WatchInbox: social.WatchInbox})
	a.Admin = admin.New(admin.Config{
		DB: a.db, Files: a.Files, Limits: a.Limits, Fixed: a.cfg.fixed(),
		Quotas:        &admin.StorageQuotas{Account: a.cfg.QuotaAccount, Server: a.cfg.QuotaServer},
		Accounts:      admin.Accounts{Suspend: account.Suspend, Restore: account.Restore, Promote: account.Promote, Demote: account.Demote},
		DeleteMessage: func(tx *store.Tx, m store.Message) error { return chat.Redact(tx, &m) },
		DeletePost:    lane.RedactPost,
	})
	a.Lane = lane.New(lane.Config{
		DB: a.db, Limits: a.Limits, CursorKey: key, Context: a.cfg.ContextLane, Report: people.FileReport, CloseIntent: social.Close,
	})
	a.db.OnCommit(a.Lane.Notify)
	embedder, err := a.embedder()
	if err != nil {
		return err
	}
	a.Social = social.New(social.Config{DB: a.db, Limits: a.Limits, Connect: a.Chat.Connect, Reply: a.Chat.Reply, Embed: embedder})
	a.Live = live.New(live.Config{
		DB: a.db, Events: api.Events(), Pages: page.Events(api.Events()), Key: key, Audience: (*store.Reader).ConversationAudience,
		Credentials: account.ValidViewers, Watchers: list.Watchers, Watching: a.Account.Watching, Log: a.cfg.Log,
	})
	a.db.OnCommit(a.Live.Notify)
	if err := cmp.Or(a.openVoice(), a.openPush(ctx)); err != nil {
		return err
	}
	if err := a.deleteAgain(ctx); err != nil {
		return fmt.Errorf("accounts that were deleted could not be deleted again: %w", err)
	}
	if a.cfg.command {
		return nil
	}
	return a.saveSettings(ctx)
}

func (a *App) openPush(ctx context.Context) (err error) {
	a.Push, err = push.New(ctx, push.Config{DB: a.db, Log: a.cfg.Log, Limits: a.Limits, Fetch: a.fetch, BaseURL: a.cfg.BaseURL,
		From: a.cfg.MailFrom, Delays: a.cfg.WebhookDelays})
	if err == nil {
		a.db.OnCommit(a.Push.Notify)
	}
	return err
}

func cursorKey(ctx context.Context, db *store.DB) (key []byte, err error) {
	err = db.Write(ctx, func(tx *store.Tx) error {
		text, err := tx.Secret("cursor_key", func() string { return rand.Text() + rand.Text() })
		key = []byte(text)
		return err
	})
	return key, err
}

func (a *App) exports() map[string]core.ExportFunc {
	all := a.Chat.Exports()
	maps.Copy(all, a.People.Exports())
	maps.Copy(all, a.Lane.Exports())
	maps.Copy(all, a.Social.Exports())
	maps.Copy(all, a.Push.Exports())
	return all
}

// Restoring an older backup brings erased accounts back.
func (a *App) deleteAgain(ctx context.Context) error {
	n, err := a.Account.ReapplyErasures(ctx)
	if n > 0 && err == nil {
		fmt.Fprintf(a.cfg.Out, "Accounts that were deleted after this backup was made, and are deleted again: %d.\n", n)
	}
	return err
}

const baseURLSetting = "base_url"

// Commands read the stored settings while no server runs. Signup is not stored: without the flag, the administrators'
// setting applies.
func (a *App) saveSettings(ctx context.Context) error {
	values := map[string]string{
		baseURLSetting: a.cfg.BaseURL, store.SettingCommunityName: a.cfg.CommunityName, store.SettingAccent: a.cfg.Accent,
		store.SettingWelcome: a.cfg.Welcome, store.SettingDateLanguage: a.cfg.DateLanguage,
	}
	return a.db.Write(ctx, func(tx *store.Tx) error {
		for name, value := range values {
			if value == "" {
				continue
			}
			if err := tx.SetSetting(name, value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *App) openTransports() error {
	stack, err := middleware.New(middleware.Config{
		BaseURLs: []string{a.cfg.BaseURL, a.cfg.LegacyBaseURL}, TrustedProxy: a.cfg.TrustedProxy, Rates: a.Limits.Rates,
		Log: a.cfg.Log, Now: a.cfg.Now, Observe: a.metrics.Request,
	})
	if err != nil {
		return err
	}
	a.stack = stack
	web, err := browser(&a.cfg, a.Limits, a.cfg.BaseURL, a.cfg.LegacyBaseURL)
	if err != nil {
		return err
	}
	a.mcp = mcp.New(mcp.Config{
		Services: a.Services, Browse: web, Auth: a.Account, BaseURL: a.cfg.BaseURL,
		Version: a.cfg.Version, Stack: stack, Log: a.cfg.Log, Hold: a.Live.Hold,
	})
	a.db.OnCommit(a.mcp.Notify)
	json, err := api.New(api.Config{Services: a.Services, Auth: a.Account, Stack: stack, Site: a.site(), Version: a.cfg.Version})
	if err != nil {
		return err
	}
	for _, row := range json.Routes() {
		if row.IsEventStream() {
			a.metrics.Stream(row.Op.Info().Name)
		}
	}
	a.acting = sync.OnceValues(a.newActing)
	if a.cfg.command {
		a.handler = a.transports(json, http.NotFoundHandler())
		return nil
	}
	a.metrics.Stream(page.LivePattern)
	pages, err := page.New(page.Config{
		Services: a.Services, Settings: a.cfg.Settings, BaseURL: a.cfg.BaseURL, PublicKey: a.Account.PublicKey(), Stack: stack, Log: a.cfg.Log,
		Now: a.cfg.Now,
	})
	if err != nil {
		return err
	}
	a.handler = a.transports(json, pages)
	return nil
}

// transports returns a handler that gives each request to the API, to MCP or to the pages.
func (a *App) transports(json *api.Handler, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == mcp.Path:
			a.mcp.ServeHTTP(w, r)
		case json.Owns(r):
			json.ServeHTTP(w, r)
		case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) && api.AsksForMarkdown(r):
			r = r.Clone(r.Context())
			r.URL.Path = "/AGENTS.md"
			json.ServeHTTP(w, r)
		default:
			if r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/list/") {
				w.Header().Set("Link", api.AgentLinks)
			}
			pages.ServeHTTP(w, r)
		}
	})
}

func (a *App) site() api.Site {
	s := api.Site{BaseURL: a.cfg.BaseURL, PublicKey: a.Account.PublicKey(), MCP: mcp.Path, Revisions: mcp.Revisions()}
	for _, t := range a.mcp.Tools() {
		s.Tools = append(s.Tools, api.Tool{Name: t.Name, Doc: t.Doc})
	}
	return s
}

// DB returns the database, for commands and tests in the same process.
func (a *App) DB() *store.DB { return a.db }

// Handler returns the handler of all requests to the server.
func (a *App) Handler() http.Handler { return a.handler }

// ClaimURL returns a new one-time link for the first administrator, or "" if there is one.
func (a *App) ClaimURL(ctx context.Context) (string, error) { return a.Account.ClaimURL(ctx) }

// Settle waits until presence is stored and automatic replies to committed messages are sent.
func (a *App) Settle(ctx context.Context) error {
	a.Account.AwaitPresence()
	return a.secretary.Wait(ctx)
}

// PublicKey returns the published key for agents without an account.
func (a *App) PublicKey() string { return a.Account.PublicKey() }

// Close ends the streams, waits up to a second for queued mails, and stores the use of keys. Then it closes the
// database. It may be called more than once.
func (a *App) Close() error {
	a.closing.Do(func() { a.closed = a.close() })
	return a.closed
}

func (a *App) close() error {
	if a.ops != nil {
		a.ops.Close()
	}
	if a.operators != nil {
		a.closeSocket()
	}
	if a.Live != nil {
		a.endStreams()
	}
	if a.mcp != nil {
		a.mcp.Close()
	}
	a.closeQueues()
	if a.voice != nil {
		a.voice.Close()
	}
	if a.mail != nil {
		ctx, cancel := context.WithTimeout(context.Background(), mailTime)
		a.mail.Close(ctx)
		cancel()
	}
	if a.db == nil {
		return nil
	}
	if a.secretary != nil {
		a.secretary.Close()
	}
	if a.Account != nil {
		a.Account.AwaitPresence()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := a.Account.FlushKeyUse(ctx); err != nil && !store.Unavailable(err) {
			a.cfg.Log.Warn("last uses of keys not stored", "error", err)
		}
	}
	return a.db.Close()
}

func (a *App) closeQueues() {
	ctx, cancel := context.WithTimeout(context.Background(), queueTime)
	defer cancel()
	if a.webhook != nil {
		a.webhook.Close(ctx)
	}
	if a.Push != nil {
		a.Push.Close(ctx)
	}
}

func (a *App) jobs() []cron.Job {
	return append(cron.StoreJobs(a.db),
		cron.Job{Name: "uses of keys", Schedule: "* * * * *", Run: a.Account.FlushKeyUse},
		cron.Job{Name: "presence", Schedule: "* * * * *", Run: a.Account.SweepPresence},
		cron.Job{Name: "unused files", Schedule: "*/10 * * * *", Run: a.Files.Collect},
		cron.Job{Name: "failed uploads", Schedule: "* * * * *", Run: a.Files.Prune},
		cron.Job{Name: "free disk space", Schedule: "* * * * *", Run: a.Files.WatchDisk},
		cron.Job{Name: "expired asks and offers", Schedule: "*/5 * * * *", Run: a.Social.Tidy},
		cron.Job{Name: "vectors of asks and offers", Schedule: "* * * * *", Run: a.Social.FillVectors},
		cron.Job{Name: "what expires soon", Schedule: "*/10 * * * *", Run: a.Social.Remind})
}
