package store

// Account is an account as administrators see it.
type Account struct {
	ID          string
	Email       string
	Name        string
	AvatarURL   string
	IsBot       bool
	IsAdmin     bool
	VerifiedAt  Time
	CreatedAt   Time
	LastSeenAt  Time
	SuspendedAt Time
	StorageUsed int64 // bytes of its files
}

const accountColumns = `u.id, u.email, u.name, u.avatar_url, u.is_bot, u.is_admin, coalesce(u.verified_at, 0), u.created_at,
	coalesce(u.last_seen_at, 0), coalesce(u.suspended_at, 0), u.storage_used`

// CheckAdmin returns ErrNoRow unless by may administer the server at this
// moment. A write checks it again, because the rights can have ended since the
// call was authenticated.
func (r *Reader) CheckAdmin(by Viewer) error {
	var yes int
	return r.value([]any{&yes}, `SELECT 1 WHERE `+forAdmin("user", "?1"), by.adminID())
}

// Accounts returns up to limit accounts of people and bots with q in their name or
// address, whatever its case. They come in the order of their folded addresses.
// They start behind the account with the id after, or with the first if it is "".
// Those who are not administrators get none.
func (r *Reader) Accounts(by Viewer, q, after string, limit int) ([]Account, error) {
	return all[Account](r, `SELECT `+accountColumns+` FROM user u
		WHERE u.email_key > coalesce((SELECT va.email_key FROM user va WHERE va.id = ?2 /* server: where to go on */), '')
		AND u.is_system = 0 AND (instr(u.email_key, ?3) > 0 OR instr(u.name_key, ?3) > 0) AND `+forAdmin("user", "?1")+`
		ORDER BY u.email_key LIMIT ?4`, by.adminID(), after, Fold(q), limit)
}

// Account returns the account of a person or a bot with the id; ErrNoRow without
// one, and for those who are not administrators.
func (r *Reader) Account(by Viewer, id string) (Account, error) {
	return one[Account](r, `SELECT `+accountColumns+` FROM user u WHERE u.id = ?2 AND u.is_system = 0 AND `+forAdmin("user", "?1"),
		by.adminID(), id)
}

// LargestAccounts returns up to limit accounts that use storage, those with the
// most first.
func (r *Reader) LargestAccounts(by Viewer, limit int) ([]Account, error) {
	return all[Account](r, `SELECT `+accountColumns+` FROM user u WHERE u.storage_used > 0 AND `+forAdmin("user", "?1")+`
		ORDER BY u.storage_used DESC, u.id LIMIT ?2 /* scan: the accounts, when an administrator asks */`, by.adminID(), limit)
}

// AccountCounts are the numbers of accounts.
type AccountCounts struct{ People, Bots, Admins, Suspended int }

// AccountCounts counts the accounts; ErrNoRow for those who are not
// administrators.
func (r *Reader) AccountCounts(by Viewer) (c AccountCounts, err error) {
	if err := r.CheckAdmin(by); err != nil {
		return c, err
	}
	err = r.value([]any{&c.People, &c.Bots, &c.Admins, &c.Suspended}, `SELECT coalesce(sum(is_bot = 0), 0), coalesce(sum(is_bot), 0),
			coalesce(sum(is_admin), 0), coalesce(sum(suspended_at IS NOT NULL), 0)
		FROM user WHERE is_system = 0 /* scan: the accounts, when an administrator asks */ /* server: counts alone */`)
	return c, err
}

// OpenCounts returns how many reports that by sees have no decision and how many pieces of
// feedback are not done; ErrNoRow for those who are not administrators.
func (r *Reader) OpenCounts(by Viewer) (reports, feedback int, err error) {
	if err := r.CheckAdmin(by); err != nil {
		return 0, 0, err
	}
	err = r.value([]any{&reports, &feedback}, `SELECT (SELECT count(*) FROM report p WHERE p.decided_at IS NULL AND `+
		visibleReport("p", "?1")+`), (SELECT count(*) FROM feedback WHERE done_at IS NULL /* server: counts alone */)
		/* scan: the indexes of open ones alone */`, by.adminID())
	return reports, feedback, err
}

// AdminIDs returns the administrators, for their inboxes.
func (r *Reader) AdminIDs() ([]string, error) {
	return all[string](r, `SELECT u.id FROM user u WHERE u.is_admin = 1 AND u.suspended_at IS NULL ORDER BY u.id
		/* scan: the index of admins alone */ /* server: events of the inbox */`)
}
