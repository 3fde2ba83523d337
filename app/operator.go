package app

import (
	"context"
	"errors"

	"hearth/app/account"
	"hearth/app/admin"
	"hearth/app/mail"
	"hearth/store"
)

// Operator administers a database, also beside a running server.
type Operator struct {
	*account.Service
	Admin *admin.Service // its operations admit store.Operator

	db   *store.DB
	mail *mail.Sender
}

// OpenOperator opens the database of cfg, which must exist and may be in use by a server. Links start with
// cfg.BaseURL, or else with the base URL of the server's last start.
func OpenOperator(ctx context.Context, cfg Config) (*Operator, error) {
	db, err := store.Open(ctx, cfg.DB, store.Options{Now: cfg.Now, Shared: true})
	if err != nil {
		return nil, err
	}
	o := &Operator{db: db, Admin: newAdmin(db, admin.Config{})}
	if err := o.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

func (o *Operator) open(ctx context.Context, cfg Config) (err error) {
	if err := cfg.fillBeside(ctx, o.db); err != nil {
		return err
	}
	if o.mail, err = mail.New(mail.Config{Out: cfg.Out, Log: cfg.Log}); err != nil {
		return err
	}
	o.Service, err = account.New(account.Config{DB: o.db, Mail: o.mail, BaseURL: cfg.BaseURL, Log: cfg.Log, Erased: erased})
	return err
}

func (c *Config) fillBeside(ctx context.Context, db *store.DB) error {
	if c.BaseURL == "" {
		err := db.Read(ctx, func(r *store.Reader) (err error) {
			c.BaseURL, err = r.Setting(baseURLSetting)
			return err
		})
		if err != nil {
			return err
		}
	}
	return c.fill()
}

// Close closes the database.
func (o *Operator) Close() error {
	if o.mail != nil {
		o.mail.Close(context.Background())
	}
	return o.db.Close()
}
