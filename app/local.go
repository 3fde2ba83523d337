package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"hearth/app/account"
	"hearth/app/api"
	"hearth/app/fetch"
	"hearth/app/file"
	"hearth/app/list"
	"hearth/app/mail"
	"hearth/app/mcp"
	"hearth/app/middleware"
	"hearth/app/op"
	"hearth/store"
)

// Local is the list service on a database, for commands on the same machine. A server may be using the database.
type Local struct {
	cfg     Config
	db      *store.DB
	mail    *mail.Sender
	account *account.Service
	list    *list.Service
	fetch   *fetch.Client
	limits  *op.Limits
}

// OpenLocal opens the database of cfg, which must exist. Nothing may be written to the output of a protocol through
// cfg.Out and cfg.Log.
func OpenLocal(ctx context.Context, cfg Config) (*Local, error) {
	db, err := store.Open(ctx, cfg.DB, store.Options{Now: cfg.Now, Shared: true})
	if err != nil {
		return nil, err
	}
	l := &Local{db: db}
	if err := l.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, l.Close(ctx))
	}
	return l, nil
}

func (l *Local) open(ctx context.Context, cfg Config) (err error) {
	if err := cfg.fillBeside(ctx, l.db); err != nil {
		return err
	}
	l.cfg, l.limits = cfg, op.NewLimits(cfg.Now, true)
	dialer, err := fetch.NewDialer(cfg.AllowNet)
	if err != nil {
		return fmt.Errorf("--allow-net: %w", err)
	}
	l.fetch = fetch.NewClient(dialer, fetch.Options{UserAgent: "hearth/" + cfg.Version, Refuse: ownHosts(cfg.BaseURL)})
	if l.mail, err = mail.New(mail.Config{Out: cfg.Out, Log: cfg.Log}); err != nil {
		return err
	}
	files, err := file.New(file.Config{DB: l.db, QuotaAccount: cfg.QuotaAccount, QuotaServer: cfg.QuotaServer, DiskReserve: cfg.DiskReserve,
		Log: cfg.Log})
	if err != nil {
		return err
	}
	l.limits.Space = files.CheckSpace
	l.account, err = account.New(account.Config{DB: l.db, Mail: l.mail, Limits: l.limits, BaseURL: cfg.BaseURL, PublicKey: cfg.PublicKey,
		Log: cfg.Log, Erased: erased})
	if err != nil {
		return err
	}
	key, err := cursorKey(ctx, l.db)
	if err != nil {
		return err
	}
	l.list = list.New(list.Config{DB: l.db, Limits: l.limits, CursorKey: key, Fetch: l.fetch, Log: cfg.Log})
	return nil
}

// MCP returns the server of tools. Key is the default credential of callers; "" means none.
func (l *Local) MCP(key string) (*mcp.Server, error) {
	web, err := browser(&l.cfg, l.limits, l.cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Config{
		List: l.list, Browse: web, Auth: l.account, BaseURL: l.cfg.BaseURL,
		Version: l.cfg.Version, Key: key, Log: l.cfg.Log,
	})
}

// BaseURL returns the base URL of links.
func (l *Local) BaseURL() string { return l.cfg.BaseURL }

// Handler returns the handler of the list routes of the JSON API. Other routes must not be requested. If email is not
// "", every request acts as that account: access to the database file is the permission.
func (l *Local) Handler(ctx context.Context, email string) (http.Handler, error) {
	stack, err := middleware.New(middleware.Config{BaseURLs: []string{l.cfg.BaseURL}, Log: l.cfg.Log, Now: l.cfg.Now})
	if err != nil {
		return nil, err
	}
	services := api.Described()
	services.List, services.Account, services.Limits = l.list, l.account, l.limits
	cfg := api.Config{Services: services, Auth: authenticator(l.account), Stack: stack, Site: api.Site{BaseURL: l.cfg.BaseURL},
		Version: l.cfg.Version}
	if email != "" {
		if cfg.Auth, err = l.actingAs(ctx, email); err != nil {
			return nil, err
		}
	}
	return api.New(cfg)
}

type authenticator interface {
	api.Authenticator
	api.BridgeAuthenticator
}

type acting struct {
	authenticator
	viewer store.Viewer
}

func (a acting) Caller(*http.Request) (store.Viewer, error) { return a.viewer, nil }

func (l *Local) actingAs(ctx context.Context, email string) (a acting, err error) {
	var u store.User
	err = l.db.Read(ctx, func(r *store.Reader) error {
		u, err = account.UserOf(r, email)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNoRow):
		return a, fmt.Errorf("there is no account with the address %q; see: hearth user ls", email)
	case err != nil:
		return a, err
	case u.SuspendedAt != 0 || u.IsSystem:
		return a, fmt.Errorf("the account of %s is suspended or belongs to the server", email)
	}
	return acting{l.account, store.Viewer{Kind: store.Human, UserID: u.ID, Name: u.Name, Email: u.Email, OwnerID: u.BotOwnerID, CanRead: true,
		CanWrite: true}}, nil
}

// KeepIndex indexes new content until ctx ends, for commands that run long.
func (l *Local) KeepIndex(ctx context.Context) { l.db.KeepWords(ctx, l.cfg.Log) }

// Close stores the use of keys and closes the database.
func (l *Local) Close(ctx context.Context) error {
	var err error
	if l.account != nil {
		err = l.account.FlushKeyUse(context.WithoutCancel(ctx))
	}
	if l.mail != nil {
		l.mail.Close(context.WithoutCancel(ctx))
	}
	if l.fetch != nil {
		l.fetch.CloseIdleConnections()
	}
	return errors.Join(err, l.db.Close())
}
