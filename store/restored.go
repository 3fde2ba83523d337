package store

import (
	"errors"
	"io/fs"
	"os"

	"hearth/store/engine"
)

// credentials are what identifies people in a database: each is a JSON list.
type credentials struct {
	users    string // [id, whether it is suspended, its password hash, when it was verified or null]
	sessions string // ids of those that have not ended
	keys     string // [id, can_read, can_write, expires_at or null] of those that are not revoked
}

// endedOf ends in c, the copy of a backup, what has ended in the database at path since
// the backup was made: the sessions of its accounts that it does not have any more, keys
// that it does not have or has as revoked, scopes of keys, passwords that are others, and
// every sign-in link. It suspends the accounts that are suspended there. Accounts that are
// not in it are left as they are.
func endedOf(c *Conn, path string, now Time) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var is credentials
	err := engine.Inspect(path, func(c *Conn) error {
		return c.Value([]any{&is.users, &is.sessions, &is.keys}, `SELECT
			(SELECT json_group_array(json_array(id, suspended_at IS NOT NULL, password_hash, verified_at)) FROM user), (SELECT json_group_array(id) FROM session),
			(SELECT json_group_array(json_array(id, can_read, can_write, expires_at)) FROM api_key WHERE revoked_at IS NULL)
			/* server: what identifies people */ /* scan: once, in a restore */`)
	})
	if err != nil {
		return err
	}
	const (
		theirs = ` user_id IN (SELECT value ->> 0 FROM json_each(?1)) AND id NOT IN `
		known  = ` FROM (SELECT value ->> 0 AS id, value ->> 1 AS a, value ->> 2 AS b, value ->> 3 AS c FROM json_each(?1)) j WHERE j.id = `
	)
	for _, s := range []statement{
		{`DELETE FROM login_link`, nil},
		{`DELETE FROM session WHERE` + theirs + `(SELECT value FROM json_each(?2))`, []any{is.users, is.sessions}},
		{`UPDATE api_key SET revoked_at = ?3 WHERE revoked_at IS NULL AND` + theirs + `(SELECT value ->> 0 FROM json_each(?2))`, []any{is.users, is.keys, int64(now)}},
		{`UPDATE api_key SET can_read = min(can_read, j.a), can_write = min(can_write, j.b), expires_at = coalesce(min(expires_at, j.c), expires_at, j.c)` + known + `api_key.id`, []any{is.keys}},
		{`UPDATE user SET suspended_at = iif(j.a, coalesce(suspended_at, ?2), suspended_at), password_hash = iif(password_hash = j.b, password_hash, ''),
			verified_at = coalesce(verified_at, j.c)` + known + `user.id`, []any{is.users, int64(now)}},
	} {
		if _, err := c.Exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}
