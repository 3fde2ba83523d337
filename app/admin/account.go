package admin

import (
	"context"
	"errors"
	"net/url"

	"hearth/app/core"
	"hearth/app/file"
	"hearth/store"
)

// Account is an account as administrators see it.
type Account struct {
	ID          string      `json:"id"`
	Email       string      `json:"email" doc:"The real address."`
	Name        string      `json:"name"`
	AvatarURL   *string     `json:"avatarUrl"`
	IsBot       bool        `json:"isBot"`
	IsAdmin     bool        `json:"isAdmin"`
	Verified    bool        `json:"verified" doc:"Whether the address was proven by a sign-in."`
	CreatedAt   store.Time  `json:"createdAt"`
	LastSeenAt  *store.Time `json:"lastSeenAt"`
	SuspendedAt *store.Time `json:"suspendedAt"`
	StorageUsed int64       `json:"storageUsed" doc:"Bytes of the account's files."`
}

func accountOf(a store.Account) Account {
	return Account{
		ID: a.ID, Email: a.Email, Name: a.Name, AvatarURL: core.OrNil(a.AvatarURL), IsBot: a.IsBot, IsAdmin: a.IsAdmin,
		Verified: a.VerifiedAt != 0, CreatedAt: a.CreatedAt, LastSeenAt: a.LastSeenAt.Ptr(), SuspendedAt: a.SuspendedAt.Ptr(),
		StorageUsed: a.StorageUsed,
	}
}

// ListAccountsIn is a search for accounts.
type ListAccountsIn struct {
	Q     string `query:"q" json:"-" max:"254" line:"true" doc:"A part of the name or of the address."`
	After string `query:"after" json:"-" doc:"The id of the last account of the page before."`
	Limit int    `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
}

// listAccounts returns people and bots by address.
func (s *Service) listAccounts(r *store.Reader, by store.Viewer, in ListAccountsIn) (page core.Page[Account], err error) {
	if in.After != "" {
		if _, err := r.Account(by, in.After); errors.Is(err, store.ErrNoRow) {
			return page, core.InvalidField("after", "after must be the id of an account. Start again without it.")
		} else if err != nil {
			return page, err
		}
	}
	rows, err := r.Accounts(by, in.Q, in.After, in.Limit+1)
	return pageOf(in.Limit, rows, accountOf, func(a store.Account) url.Values { return url.Values{"after": {a.ID}, "q": {in.Q}} }), err
}

func (s *Service) getAccount(r *store.Reader, by store.Viewer, in core.ByID) (Account, error) {
	a, err := r.Account(by, in.ID)
	return accountOf(a), err
}

// suspendAccount disables an account and its keys, and ends its sessions and streams.
func (s *Service) suspendAccount(tx *store.Tx, by store.Viewer, in core.ByID) (Account, error) {
	return changeAccount(tx, by, in.ID, s.cfg.Accounts.Suspend)
}

func (s *Service) restoreAccount(tx *store.Tx, by store.Viewer, in core.ByID) (Account, error) {
	return changeAccount(tx, by, in.ID, s.cfg.Accounts.Restore)
}

func (s *Service) promoteAccount(tx *store.Tx, by store.Viewer, in core.ByID) (Account, error) {
	return changeAccount(tx, by, in.ID, s.cfg.Accounts.Promote)
}

func (s *Service) demoteAccount(tx *store.Tx, by store.Viewer, in core.ByID) (Account, error) {
	return changeAccount(tx, by, in.ID, s.cfg.Accounts.Demote)
}

func changeAccount(tx *store.Tx, by store.Viewer, id string, act Act) (out Account, err error) {
	a, err := tx.Account(by, id)
	if err != nil {
		return out, err
	}
	u, err := tx.User(id)
	if err != nil {
		return out, err
	}
	if err := act(tx, by, u); err != nil {
		return out, err
	}
	u, err = tx.User(id)
	a.IsAdmin, a.SuspendedAt = u.IsAdmin, u.SuspendedAt // by may see no account any more
	return accountOf(a), err
}

// Overview has the numbers of accounts and open tasks.
type Overview struct {
	People         int   `json:"people"`
	Bots           int   `json:"bots"`
	Administrators int   `json:"administrators"`
	Suspended      int   `json:"suspended"`
	OpenReports    int   `json:"openReports"`
	NewFeedback    int   `json:"newFeedback"`
	DatabaseBytes  int64 `json:"databaseBytes" doc:"Size of the database file."`
}

func (s *Service) getOverview(ctx context.Context, by store.Viewer, _ core.None) (out Overview, err error) {
	err = s.cfg.DB.Read(ctx, func(r *store.Reader) error {
		c, err := r.AccountCounts(by)
		if err != nil {
			return err
		}
		out = Overview{People: c.People, Bots: c.Bots, Administrators: c.Admins, Suspended: c.Suspended}
		out.OpenReports, out.NewFeedback, err = r.OpenCounts(by)
		return err
	})
	if err != nil {
		return out, core.Found(err)
	}
	files, err := s.cfg.DB.FileSizes(ctx)
	out.DatabaseBytes = files.Database
	return out, err
}

// OpenCounts has the numbers of open tasks.
type OpenCounts struct {
	Reports  int `json:"reports" doc:"Reports without a decision."`
	Feedback int `json:"feedback" doc:"Feedback that is not done."`

	Storage file.State `json:"-"` // for pages
}

// countOpen is getOverview without the accounts.
func (s *Service) countOpen(ctx context.Context, by store.Viewer, _ core.None) (out OpenCounts, err error) {
	err = s.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		out.Reports, out.Feedback, err = r.OpenCounts(by)
		return err
	})
	out.Storage = s.cfg.Files.State(ctx)
	return out, core.Found(err)
}
