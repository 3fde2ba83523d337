package store

// DeletedUserID is the account that is shown in place of all deleted ones. It is
// the server's own, made with the first deletion.
const DeletedUserID = "00000000-0000-4000-8000-000000000001"

// Erased is an account that was deleted.
type Erased struct {
	UserID string
	At     Time
}

// Erased returns the deletion ledger: every account that was deleted, in the
// order of their ids.
func (r *Reader) Erased() ([]Erased, error) {
	return all[Erased](r, `SELECT user_id, at FROM erased ORDER BY user_id /* scan: a row for each account that was ever deleted */`)
}

// AddErased adds accounts to the deletion ledger; what it has already stays.
func (tx *Tx) AddErased(list []Erased) error {
	for _, e := range list {
		if err := tx.exec(`INSERT OR IGNORE INTO erased (user_id, at) VALUES (?, ?)`, e.UserID, e.At); err != nil {
			return err
		}
	}
	return nil
}

// Resurrected returns the accounts of the deletion ledger that exist: a backup
// from before their deletion was restored.
func (r *Reader) Resurrected() ([]string, error) {
	return all[string](r, `SELECT u.id FROM erased d CROSS JOIN user u ON u.id = d.user_id
		/* server: deleted accounts */ /* scan: the ledger, when the server starts */`)
}

// Erasure is what EraseUser changed for others.
type Erasure struct {
	UserID   string
	Messages []string // conversations with messages or reactions of it, or that mention it
	Posts    []string // conversations with posts of its in the Context lane
	Pins     []string // conversations that its thoughts are pinned to
	Left     []string // conversations that it was a member of
	Members  []Member // its membership of each group, and the members made owners in its place
	Lists    []string // its own
	People   []string // friends, and requests on either side
	EndedMatches
}

// Ended is what ended in a write: with an account that was deleted, with the first
// proof of its address, or with a key.
type Ended struct {
	Erasure
	Unproven
	KeysOf string // the account whose key was revoked, or lost the scope write
	KeyID  string
}

// EraseUser deletes an account and adds it to the ledger. Its messages and Context
// posts stay in their places, without words and from DeletedUserID. Everything else
// of it is deleted. A group that it owned alone gets another owner, as leaveGroups
// says. In a direct conversation DeletedUserID takes its place. Its bots must be
// deleted before it. It returns ErrNoRow if there is no account.
//
// It runs within one write, which all others wait for.
func (tx *Tx) EraseUser(userID string) (out Erasure, err error) {
	u, err := tx.User(userID)
	if err != nil {
		return out, err
	}
	out.UserID = userID
	tx.credentialsChanged(userID)
	for _, step := range []func(*Erasure) error{
		func(*Erasure) error { return tx.ensureSystemUser(DeletedUserID, "Deleted account") },
		tx.readErasure, tx.endMatches, tx.uncountMessages, tx.leaveGroups, tx.leaveDirects,
		func(*Erasure) error { return tx.dropEmpty() },
		tx.redactMessages, tx.redactPosts, tx.eraseFiles, tx.eraseLists, tx.eraseComments,
	} {
		if err := step(&out); err != nil {
			return out, err
		}
	}
	return out, tx.execAll(
		statement{`UPDATE report SET reporter_id = NULL, freeform = '' WHERE reporter_id = ?`, []any{userID}},
		statement{`UPDATE report SET user_id = NULL, text = '', target_id = CASE target_id WHEN ?1 THEN ?2 ELSE target_id END WHERE user_id = ?1`,
			[]any{userID, DeletedUserID}},
		statement{`UPDATE report SET decided_by = NULL, note = '' WHERE decided_by = ?`, []any{userID}},
		statement{`UPDATE audit SET target_id = ?2, detail = '' WHERE target_id = ?1 AND target_id <> ''`, []any{userID, DeletedUserID}},
		statement{`DELETE FROM login_link WHERE email_key = ?`, []any{Fold(u.Email)}},
		statement{`DELETE FROM quota WHERE instr(name, ?) > 0 /* scan: what was limited within the last hours */`, []any{userID}},
		statement{`INSERT OR IGNORE INTO erased (user_id, at) VALUES (?, ?)`, []any{userID, tx.Now}},
		statement{`DELETE FROM user WHERE id = ?`, []any{userID}}, // and with it what refers to it
	)
}

// readErasure reads who sees what is deleted below.
func (tx *Tx) readErasure(out *Erasure) error {
	for _, q := range []struct {
		to    *[]string
		query string
	}{
		{&out.Messages, `SELECT q.conversation_id FROM reaction q WHERE q.user_id = ?1
			UNION SELECT q.conversation_id FROM mention q WHERE q.user_id = ?1`},
		{&out.Posts, `SELECT DISTINCT p.conversation_id FROM context_post p WHERE p.author_id = ?1`},
		{&out.Pins, `SELECT DISTINCT p.conversation_id FROM thought_pin p WHERE p.pinned_by = ?1`},
		{&out.Left, `SELECT m.conversation_id FROM member m WHERE m.user_id = ?1`},
		{&out.Lists, `SELECT l.id FROM list l WHERE l.owner_id = ?1`},
		{&out.People, `SELECT f.user_id FROM friend f WHERE f.other_id = ?1`},
	} {
		ids, err := all[string](&tx.Reader, q.query+` /* server: deletion of the account */`, out.UserID)
		if err != nil {
			return err
		}
		*q.to = ids
	}
	return nil
}

// redactPosts is redactMessages for posts in Context lanes.
func (tx *Tx) redactPosts(out *Erasure) error {
	return tx.exec(`UPDATE context_post SET author_id = ?2, text = '', revision = revision + (deleted_at IS NULL),
		deleted_at = coalesce(deleted_at, ?3), agent_id = NULL, agent_name = NULL, client_request_id = id, request_hash = NULL,
		intent = NULL, intent_revision = NULL, intent_hash = NULL
		WHERE author_id = ?1`+erasing, out.UserID, DeletedUserID, tx.Now)
}

// eraseFiles deletes the files and the picture of an account, and what reports have
// of its files. Only its own messages had them.
func (tx *Tx) eraseFiles(out *Erasure) error {
	id := []any{out.UserID}
	blobs, err := all[int64](&tx.Reader, `SELECT a.blob_id FROM attachment a WHERE a.user_id = ?1
		UNION SELECT a.preview_id FROM attachment a WHERE a.user_id = ?1 AND a.preview_id IS NOT NULL
		UNION SELECT p.blob_id FROM picture p WHERE p.user_id = ?1
		UNION SELECT f.blob_id FROM report_file f WHERE f.user_id = ?1
		UNION SELECT f.preview_id FROM report_file f WHERE f.user_id = ?1 AND f.preview_id IS NOT NULL
		/* server: deletion of the account */`, id...)
	if err != nil || len(blobs) == 0 {
		return err
	}
	if err := tx.execAll(
		statement{`DELETE FROM attachment WHERE user_id = ?`, id},
		statement{`DELETE FROM picture WHERE user_id = ?`, id},
		statement{`DELETE FROM report_file WHERE user_id = ?`, id},
	); err != nil {
		return err
	}
	return tx.ReleaseBlob(blobs...)
}

// eraseLists deletes the lists of an account, and its stars.
func (tx *Tx) eraseLists(out *Erasure) error {
	for _, id := range out.Lists {
		if err := tx.DeleteList(List{ID: id}); err != nil {
			return err
		}
	}
	return tx.execAll(
		statement{`UPDATE item SET star_count = star_count - 1 WHERE id IN (SELECT s.item_id FROM item_star s WHERE s.user_id = ?)
			/* server: deletion of the account */`, []any{out.UserID}},
		statement{`DELETE FROM item_star WHERE user_id = ?`, []any{out.UserID}},
	)
}

// eraseComments is DeleteComment for all comments of an account.
func (tx *Tx) eraseComments(out *Erasure) error {
	items, err := all[string](&tx.Reader,
		`SELECT DISTINCT c.item_id FROM item_comment c WHERE c.author_id = ? /* server: deletion of the account */`, out.UserID)
	if err != nil || len(items) == 0 {
		return err
	}
	ids := jsonList(items)
	if err := tx.execAll(
		statement{`UPDATE item_comment SET content = '', author_id = NULL, deleted_at = ?2 WHERE author_id = ?1`,
			[]any{out.UserID, tx.Now}},
		statement{`UPDATE item SET comment_count = (SELECT count(*) FROM item_comment c WHERE c.item_id = item.id AND c.deleted_at IS NULL)
			WHERE id IN (SELECT value FROM json_each(?)) /* server: deletion of the account */`, []any{ids}},
	); err != nil {
		return err
	}
	for n := int64(1); n > 0 && err == nil; { // up the threads
		n, err = tx.execCount(`DELETE FROM item_comment AS c WHERE c.item_id IN (SELECT value FROM json_each(?)) AND c.deleted_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM item_comment a WHERE a.parent_id = c.id) /* server: deletion of the account */`, ids)
	}
	return err
}

// statement is one that changes rows, with its arguments.
type statement struct {
	query string
	args  []any
}

// execAll runs statements in their order.
func (tx *Tx) execAll(statements ...statement) error {
	for _, s := range statements {
		if err := tx.exec(s.query, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// ensureSystemUser makes an account of the server's own, if there is none.
func (tx *Tx) ensureSystemUser(id, name string) error {
	return tx.exec(`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, is_system, discovery_mode, presence_status,
		signup_provider, created_at, updated_at)
		VALUES (?1, ?2, ?2, ?3, '', 1, 'hidden', 'offline', 'system', ?4, ?4)`, id, noAddress(id), name, tx.Now)
}

// noAddress is the address of an account that has none.
func noAddress(userID string) string { return userID + "@users.invalid" }
