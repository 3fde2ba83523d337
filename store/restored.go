package store

import (
	"errors"
	"io/fs"
	"os"

	"hearth/store/engine"
)

// credentials are what identifies people in a database: each is a JSON list.
type credentials struct {
	users     string // ids
	sessions  string // ids of those that have not ended
	keys      string // ids of those that are not revoked
	suspended string // ids of users
}

// endedOf ends in c, the copy of a backup, what has ended in the database at path since
// the backup was made: the sessions and keys of its accounts that it does not have any
// more, or only as revoked, and every sign-in link. It suspends the accounts that are
// suspended there. Accounts that are not in it are left as they are.
func endedOf(c *Conn, path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var now credentials
	err := engine.Inspect(path, func(c *Conn) error {
		return c.Value([]any{&now.users, &now.sessions, &now.keys, &now.suspended}, `SELECT
			(SELECT json_group_array(id) FROM user), (SELECT json_group_array(id) FROM session),
			(SELECT json_group_array(id) FROM api_key WHERE revoked_at IS NULL), (SELECT json_group_array(id) FROM user WHERE suspended_at IS NOT NULL)
			/* server: what identifies people */ /* scan: once, in a restore */`)
	})
	if err != nil {
		return err
	}
	const among = ` IN (SELECT value FROM json_each(?))`
	for _, s := range []statement{
		{`DELETE FROM login_link`, nil},
		{`DELETE FROM session WHERE user_id` + among + ` AND id NOT` + among, []any{now.users, now.sessions}},
		{`UPDATE api_key SET revoked_at = created_at WHERE revoked_at IS NULL AND user_id` + among + ` AND id NOT` + among, []any{now.users, now.keys}},
		{`UPDATE user SET suspended_at = created_at WHERE suspended_at IS NULL AND id` + among, []any{now.suspended}},
	} {
		if _, err := c.Exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}
