package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hearth/store/engine"
)

// right is a kind of rows that let somebody read or act as an account, or come in by
// its leave.
type right struct {
	table string // older databases may not have it
	is    string // expressions of what identifies such a row, and of what it permits
	valid string // the condition under which it permits anything
	end   string // ends in the copy, at the moment ?3, what is not in the list ?1, or permits less there, of the accounts ?2
}

const (
	ofKnown = ` IN (SELECT value ->> 0 FROM json_each(?2)) AND `
	notIn   = ` NOT IN (SELECT value ->> 0 FROM json_each(?1))`
)

var rights = []right{
	{"session", `id`, `1`, `DELETE FROM session WHERE user_id` + ofKnown + `id` + notIn},
	{"api_key", `id, can_read, can_write, expires_at`, `revoked_at IS NULL`,
		`UPDATE api_key SET revoked_at = ?3 WHERE revoked_at IS NULL AND user_id` + ofKnown + `id` + notIn},
	{"api_key", `id, can_read, can_write, expires_at`, `revoked_at IS NULL`, `UPDATE api_key
		SET can_read = min(can_read, value ->> 1), can_write = min(can_write, value ->> 2),
		expires_at = coalesce(min(expires_at, value ->> 3), expires_at, value ->> 3) FROM json_each(?1) WHERE api_key.id = value ->> 0`},
	{"webhook", `id, url, coalesce(conversation_id, '')`, `disabled_at IS NULL`, `UPDATE webhook
		SET disabled_at = ?3, disabled_why = 'owner' WHERE disabled_at IS NULL AND user_id` + ofKnown + `
		(id, url, coalesce(conversation_id, '')) NOT IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`},
	{"invite", `token_hash, uses_left`, `1`, `DELETE FROM invite WHERE created_by` + ofKnown + `token_hash` + notIn},
	{"invite", `token_hash, uses_left`, `1`,
		`UPDATE invite SET uses_left = min(uses_left, value ->> 1) FROM json_each(?1) WHERE token_hash = value ->> 0`},
	{"community_invite", `token_hash, uses_left`, `1`, `DELETE FROM community_invite WHERE created_by` + ofKnown + `token_hash` + notIn},
	{"community_invite", `token_hash, uses_left`, `1`,
		`UPDATE community_invite SET uses_left = min(uses_left, value ->> 1) FROM json_each(?1) WHERE token_hash = value ->> 0`},
	{"card", `token`, `1`, `UPDATE card SET enabled = 0, token = lower(hex(randomblob(20))) WHERE user_id` + ofKnown + `token` + notIn},
	{"card", `token`, `enabled = 1`, `UPDATE card SET enabled = 0 WHERE user_id` + ofKnown + `token` + notIn},
	{"context_key", `key_id`, `1`, `DELETE FROM context_key WHERE (SELECT k.user_id FROM api_key k WHERE k.id = key_id)` + ofKnown + `key_id` +
		notIn},
	{"secretary", `user_id`, `enabled = 1`, `UPDATE secretary SET enabled = 0 WHERE user_id` + ofKnown + `user_id` + notIn},
	{"secretary_answer", `id, question, answer`, `1`, `DELETE FROM secretary_answer
		WHERE user_id` + ofKnown + `NOT EXISTS (SELECT 1 FROM json_each(?1)
		WHERE value ->> 0 = secretary_answer.id AND value ->> 1 = question AND value ->> 2 = answer)`},
}

// endedOf ends in c, the copy of a backup, what has ended in the database at path since
// the backup was made: rights of its accounts that are gone or permit less there,
// webhooks with a different URL or conversation there, different passwords, and every
// sign-in link and approval grant. It suspends the accounts that are suspended there,
// and takes the role from those that are no administrators. Accounts that are not in it
// are left as they are. An address that was proven since is to be proven again, which
// ends what somebody else had registered with it.
func endedOf(c *Conn, path string, now Time) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	users, is, err := rightsAt(path)
	if err != nil {
		return err
	}
	for n, list := range is {
		if list == "" {
			continue
		}
		args := []any{list, users, now}
		for !strings.Contains(rights[n].end, fmt.Sprint("?", len(args))) {
			args = args[:len(args)-1]
		}
		if _, err := c.Exec(rights[n].end, args...); err != nil {
			return err
		}
	}
	for _, s := range []statement{
		{`DELETE FROM login_link`, nil},
		{`DELETE FROM approval_grant`, nil},
		{`UPDATE user SET suspended_at = iif(value ->> 1, coalesce(suspended_at, ?2), suspended_at), is_admin = min(is_admin, value ->> 3),
			password_hash = iif(password_hash = value ->> 2, password_hash, '') FROM json_each(?1) WHERE user.id = value ->> 0`, []any{users, now}},
	} {
		if _, err := c.Exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// rightsAt returns what the database at path has, as JSON: the accounts, and the
// rows of each of rights, "" if there is no such table. An account is an array of
// its id, whether it is suspended, its password hash and whether it is an
// administrator.
func rightsAt(path string) (users string, is []string, err error) {
	err = engine.Inspect(path, func(c *Conn) error {
		if err := c.Value([]any{&users}, `SELECT json_group_array(json_array(id, suspended_at IS NOT NULL, password_hash, is_admin)) FROM user
			/* server: what identifies people */ /* scan: once, in a restore */`); err != nil {
			return err
		}
		for _, r := range rights {
			var there bool
			list := ""
			err := c.Value([]any{&there}, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`, r.table)
			if err == nil && there {
				err = c.Value([]any{&list}, `SELECT json_group_array(json_array(`+r.is+`)) FROM `+r.table+` WHERE `+r.valid+`
					/* server: what permits something */ /* scan: once, in a restore */`)
			}
			if err != nil {
				return err
			}
			is = append(is, list)
		}
		return nil
	})
	return users, is, err
}
