package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"hearth/app/account"
	"hearth/app/api"
	"hearth/app/chat"
	"hearth/app/fetch"
	"hearth/app/list"
	"hearth/app/live"
	"hearth/app/mail"
	"hearth/app/page"
	"hearth/store"
)

// App is one server: a database file, the rooms over it, and their doors.
type App struct {
	cfg     Config
	db      *store.DB
	metrics *metrics
	mail    *mail.Sender
	account *account.Service
	chat    *chat.Service
	list    *list.Service
	hub     *live.Hub
	handler http.Handler
	ops     net.Listener // nil without one

	closing sync.Once
	closed  error
}

// New opens the database of cfg, making it if there is none, and puts the
// rooms together. Nothing is served before Run or Handler. Errors name the
// setting to mend.
func New(ctx context.Context, cfg Config) (*App, error) {
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, metrics: newMetrics()}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context) (err error) {
	opt := a.cfg.Store
	opt.Schema, opt.Now, opt.OnGroup = a.cfg.Schema, a.cfg.Now, a.metrics.onGroup
	if opt.OnMigrate == nil {
		opt.OnMigrate = func(from, to int, copyPath string) {
			fmt.Fprintf(a.cfg.Out, "Bringing the database from format %d to %d; a copy of it as it is goes to %s.\n", from, to, copyPath)
		}
	}
	if a.db, err = store.Open(ctx, a.cfg.DB, opt); err != nil {
		return err
	}
	if err := a.openMail(); err != nil {
		return err
	}
	if err := a.openRooms(ctx); err != nil {
		return err
	}
	a.metrics.watch(a)
	return a.openDoors()
}

func (a *App) openMail() error {
	dialer, err := fetch.NewDialer(a.cfg.AllowNet)
	if err != nil {
		return fmt.Errorf("--allow-net: %w", err)
	}
	a.mail, err = mail.New(mail.Config{URL: a.cfg.SMTPURL, From: a.cfg.MailFrom, Dial: dialer.DialContext, Out: a.cfg.Out, Log: a.cfg.Log})
	return err
}

// openRooms makes the rooms and the hub. They know of each other only what
// they are given here.
func (a *App) openRooms(ctx context.Context) (err error) {
	a.account, err = account.New(account.Config{
		DB: a.db, Mail: a.mail, BaseURL: a.cfg.BaseURL, JWTSecret: a.cfg.JWTSecret, PublicKey: a.cfg.PublicKey,
		BridgeSecret: a.cfg.BridgeSecret, Signup: a.cfg.Signup, Log: a.cfg.Log,
		Publish: func(userIDs []string, name string, data []byte) { a.hub.PublishUsers(userIDs, name, data) },
	})
	if err != nil {
		return err
	}
	a.chat = chat.New(chat.Config{DB: a.db, BaseURL: a.cfg.BaseURL, Publish: func(ctx context.Context, conversationID, except, name string, data []byte) error {
		return a.hub.PublishConversation(ctx, conversationID, except, name, data)
	}})
	a.list = list.New(a.db)
	a.hub, err = live.New(ctx, live.Config{
		DB: a.db, Routes: a.liveRoutes(), Audience: (*store.Reader).ConversationAudience,
		CheckViewer: a.account.Recheck, CheckList: a.list.CheckList, Person: a.list.Watcher, Log: a.cfg.Log,
	})
	if err != nil {
		return err
	}
	a.db.OnCommit(a.hub.Notify)
	return a.noteBaseURL(ctx)
}

// liveRoutes says who is told of each kind of event.
func (a *App) liveRoutes() map[string]live.Route {
	routes := map[string]live.Route{
		"message.created":      {Scope: live.ToConversation, Render: a.chat.RenderMessage, Variant: live.ByActor},
		"message.updated":      {Scope: live.ToConversation, Render: a.chat.RenderMessage, Variant: live.ByActor},
		"message.deleted":      {Scope: live.ToConversation, Render: a.chat.RenderMessage, Variant: live.ByActor},
		"conversation.updated": {Scope: live.ToConversation, Render: a.chat.RenderConversation},
		"conversation.left":    {Scope: live.ToUser, Render: a.chat.RenderLeft},
		"read.updated":         {Scope: live.ToUser, Render: a.chat.RenderRead},
	}
	for _, kind := range list.EventKinds() {
		routes[kind] = live.Route{Scope: live.ToList, Render: a.list.RenderEvent}
	}
	return routes
}

// baseURLSetting is where commands beside the server look for the address
// that links begin with.
const baseURLSetting = "base_url"

func (a *App) noteBaseURL(ctx context.Context) error {
	return a.db.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(baseURLSetting, a.cfg.BaseURL) })
}

// openDoors makes the handler: the JSON door has what its table names, all
// else is for pages.
func (a *App) openDoors() error {
	door, err := api.New(api.Config{
		Services: api.Services{Account: a.account, Chat: a.chat, List: a.list, Live: a.hub},
		Auth:     a.account, BaseURL: a.cfg.BaseURL, LegacyBaseURL: a.cfg.LegacyBaseURL, Version: a.cfg.Version,
		TrustedProxy: a.cfg.TrustedProxy, Log: a.cfg.Log, Now: a.cfg.Now, Observe: a.metrics.onRequest,
	})
	if err != nil {
		return err
	}
	for _, row := range door.Routes() {
		a.metrics.streams[row.Op.Name()] = row.Op.IsStream()
	}
	pages, err := page.New(page.Config{
		Account: a.account, Chat: a.chat, List: a.list, BaseURL: a.cfg.BaseURL, PublicKey: a.account.PublicKey(),
		MailToLog: a.cfg.SMTPURL == "", Log: a.cfg.Log, Now: a.cfg.Now,
		ClientIP: func(r *http.Request) string { return api.IPKey(api.ClientIP(r, a.cfg.TrustedProxy)) },
		Position: a.hub.Position,
	})
	if err != nil {
		return err
	}
	origin, err := api.NewSameOrigin(a.cfg.BaseURL, a.cfg.LegacyBaseURL)
	if err != nil {
		return err
	}
	front := a.frontOfPages(pages, origin, door.Enter)
	a.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if door.Owns(r) {
			door.ServeHTTP(w, r)
			return
		}
		front.ServeHTTP(w, r)
	})
	return nil
}

// DB returns the database, for commands and tests in the same process.
func (a *App) DB() *store.DB { return a.db }

// Handler answers every request to the server.
func (a *App) Handler() http.Handler { return a.handler }

// ClaimURL returns a new one-time link for the first administrator; "" once
// there is one.
func (a *App) ClaimURL(ctx context.Context) (string, error) { return a.account.ClaimURL(ctx) }

// PublicKey returns the published key for agents without an account.
func (a *App) PublicKey() string { return a.account.PublicKey() }

// SignInURL returns a one-time sign-in link for an address that has an account.
func (a *App) SignInURL(ctx context.Context, email string) (string, error) {
	return a.account.LinkFor(ctx, email, false)
}

// Close ends the streams, gives waiting mails a last second, writes down what
// is still to be noted, and closes the database. It may be called again.
func (a *App) Close() error {
	a.closing.Do(func() { a.closed = a.close() })
	return a.closed
}

func (a *App) close() error {
	if a.ops != nil {
		a.ops.Close()
	}
	if a.hub != nil {
		a.endStreams()
	}
	if a.mail != nil {
		ctx, cancel := context.WithTimeout(context.Background(), mailTime)
		a.mail.Close(ctx)
		cancel()
	}
	if a.db == nil {
		return nil
	}
	if a.account != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := a.account.FlushKeyUse(ctx); err != nil && !store.Unavailable(err) {
			a.cfg.Log.Warn("the last uses of keys could not be noted", "error", err)
		}
	}
	return a.db.Close()
}

// jobs is the table of recurring work: the house's own and the rooms'.
func (a *App) jobs() []job {
	return append(houseJobs(a.db), job{"uses of keys", "* * * * *", a.account.FlushKeyUse})
}
