package app

import (
	"context"
	"errors"

	"hearth/app/account"
	"hearth/app/mail"
	"hearth/store"
)

// Desk is where those who run a server work on its accounts, from a process
// beside it. The operations are the account room's.
type Desk struct {
	*account.Service
	db   *store.DB
	mail *mail.Sender
}

// OpenDesk opens the database of cfg, which must exist and may be served at
// the same time. Links begin with cfg.BaseURL or, if that is empty, with what
// the server had at its last start.
func OpenDesk(ctx context.Context, cfg Config) (*Desk, error) {
	db, err := store.Open(ctx, cfg.DB, store.Options{Now: cfg.Now, Shared: true})
	if err != nil {
		return nil, err
	}
	d := &Desk{db: db}
	if err := d.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Desk) open(ctx context.Context, cfg Config) (err error) {
	if cfg.BaseURL == "" {
		err := d.db.Read(ctx, func(r *store.Reader) (err error) {
			cfg.BaseURL, err = r.Setting(baseURLSetting)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := cfg.fill(); err != nil {
		return err
	}
	if d.mail, err = mail.New(mail.Config{Out: cfg.Out, Log: cfg.Log}); err != nil {
		return err
	}
	d.Service, err = account.New(account.Config{DB: d.db, Mail: d.mail, BaseURL: cfg.BaseURL, Log: cfg.Log})
	return err
}

// Close closes the database.
func (d *Desk) Close() error {
	if d.mail != nil {
		d.mail.Close(context.Background())
	}
	return d.db.Close()
}
