package store

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Authored is what Redact has to know of an account's messages and is too long
// to read within a write.
type Authored struct {
	UserID string
	live   []authored // its messages that are not deleted
	named  []string   // conversations with its reactions, or messages that mention it
	posts  []string   // conversations with posts of its in the Context lane
	pins   []string   // conversations that its thoughts are pinned to
	event  int64      // the newest event of the state that was read
}

// authored are messages of one conversation: when they were sent, in order.
type authored struct {
	conversationID string
	at             []Time
}

// Authored returns what an account has written. It must be read in one state.
func (r *Reader) Authored(userID string) (a Authored, err error) {
	a.UserID = userID
	if _, a.event, err = r.EventRange(); err != nil {
		return a, err
	}
	a.named, err = all(r, scanOne[string], `SELECT q.conversation_id FROM reaction q WHERE q.user_id = ?1
		UNION SELECT q.conversation_id FROM mention q WHERE q.user_id = ?1 /* server: deletion of the account */`, userID)
	if err != nil {
		return a, err
	}
	a.posts, err = all(r, scanOne[string], `SELECT DISTINCT p.conversation_id FROM context_post p WHERE p.author_id = ? /* server: deletion of the account */`, userID)
	if err != nil {
		return a, err
	}
	a.pins, err = all(r, scanOne[string], `SELECT DISTINCT p.conversation_id FROM thought_pin p WHERE p.pinned_by = ? /* server: deletion of the account */`, userID)
	if err != nil {
		return a, err
	}
	rows, err := r.c.query(`SELECT x.conversation_id, x.created_at FROM message x INDEXED BY message_sender
		WHERE x.sender_id = ? AND x.deleted_at IS NULL ORDER BY x.created_at /* server: deletion of the account */`, userID)
	if err != nil {
		return a, err
	}
	defer rows.Close()
	index := map[string]int{}
	for rows.Next() {
		var id string
		var at Time
		if err := rows.Scan(&id, &at); err != nil {
			return a, err
		}
		i, ok := index[id]
		if !ok {
			i = len(a.live)
			index[id] = i
			a.live = append(a.live, authored{conversationID: id})
		}
		a.live[i].at = append(a.live[i].at, at)
	}
	return a, r.c.failed(rows.Err())
}

// Redaction is what Redact changed.
type Redaction struct {
	UserID   string
	Done     bool     // false: the messages changed since they were read; nothing was changed
	Messages []string // conversations with messages or reactions of it, or that mention it
	Posts    []string // conversations with posts of its in the Context lane
	Pins     []string // conversations that its thoughts are pinned to
	Left     []string // conversations of which it is no member any more
	Members  []Member // its membership of each group that it left, and the members made owners in its place
	Lists    []string // its own, which nobody can see any more
	People   []string // friends and requests on either side, of those that were left
	EndedMatches
}

// Redact makes an account and everything it wrote be read as deleted. The
// account must be frozen, and a read since then. It changes a few rows for each
// conversation and each relation of the account, and for each member who has
// read only part of its messages.
//
// In a group the account is a member no more; if it was the only owner, the
// member who joined first becomes one. In a direct conversation DeletedUserID is
// read in its place. Lists of the account become private and are shared
// with nobody, until Scrub deletes them.
func (tx *Tx) Redact(a Authored) (out Redaction, err error) {
	out.UserID = a.UserID
	current, err := tx.stillAuthored(a)
	if err != nil || !current {
		return out, err
	}
	if err := tx.ensureDeletedUser(); err != nil {
		return out, err
	}
	for _, c := range a.live {
		if err := tx.uncount(a.UserID, c); err != nil {
			return out, err
		}
		out.Messages = append(out.Messages, c.conversationID)
	}
	out.Posts, out.Pins = a.posts, a.pins
	out.Messages = append(out.Messages, a.named...)
	slices.Sort(out.Messages)
	out.Messages = slices.Compact(out.Messages)
	if out.Left, out.Members, err = tx.leaveAll(a.UserID); err != nil {
		return out, err
	}
	if out.People, err = tx.leavePeople(a.UserID); err != nil {
		return out, err
	}
	if out.EndedMatches, err = tx.EndMatches(a.UserID, math.MaxInt32); err != nil {
		return out, err
	}
	if out.Lists, err = tx.hideLists(a.UserID); err != nil {
		return out, err
	}
	if err := tx.anonymise(a.UserID); err != nil {
		return out, err
	}
	out.Done = true
	return out, tx.exec1(`UPDATE erasing SET stage = 'redacted', at = ?2 WHERE user_id = ?1 AND stage = 'frozen'`, a.UserID, int64(tx.Now))
}

// stillAuthored reports whether the messages, posts and thoughts of the account are what
// they were when a was read: a request that began before the account was frozen may have
// ended after it.
func (r *Reader) stillAuthored(a Authored) (same bool, err error) {
	err = r.value([]any{&same}, `SELECT NOT EXISTS (SELECT 1 FROM event e JOIN message x ON x.id = e.object_id
		WHERE e.id > ?1 AND x.sender_id = ?2) AND NOT EXISTS (SELECT 1 FROM event e JOIN context_post p ON p.id = e.object_id
		WHERE e.id > ?1 AND p.author_id = ?2) AND NOT EXISTS (SELECT 1 FROM event e JOIN thought t ON t.id = e.object_id
		WHERE e.id > ?1 AND t.user_id = ?2) /* server: deletion of the account */`, a.event, a.UserID)
	return same, err
}

func (tx *Tx) ensureDeletedUser() error { return tx.ensureSystemUser(DeletedUserID, deletedName) }

// ensureSystemUser makes an account of the server's own, if there is none.
func (tx *Tx) ensureSystemUser(id, name string) error {
	if err := tx.freeNoAddress(id); err != nil {
		return err
	}
	_, err := tx.exec(`INSERT OR IGNORE INTO user (id, email, email_key, name, name_key, is_system, discovery_mode, presence_status, signup_provider, created_at, updated_at)
		VALUES (?1, ?2, ?2, ?3, '', 1, 'hidden', 'offline', 'system', ?4, ?4)`, id, noAddress(id), name, int64(tx.Now))
	return err
}

// noAddress is the address of an account that has none.
func noAddress(userID string) string { return userID + "@users.invalid" }

// freeNoAddress gives another address to the account that has noAddress(userID), if it
// is not that account's own: earlier versions let it be registered.
func (tx *Tx) freeNoAddress(userID string) error {
	u, err := tx.UserByEmail(noAddress(userID))
	if errors.Is(err, ErrNoRow) || err == nil && u.ID == userID {
		return nil
	}
	if err != nil {
		return err
	}
	tx.credentialsChanged(u.ID)
	_, err = tx.exec(`UPDATE user SET email = ?2, email_key = ?2 WHERE id = ?1`, u.ID, noAddress(NewID()))
	return err
}

// uncount takes messages of a sender out of the counts of their conversation, as
// DeleteMessage does for one.
func (tx *Tx) uncount(userID string, c authored) error {
	first, last, total := c.at[0], c.at[len(c.at)-1], len(c.at)
	if err := tx.execAll(
		statement{`UPDATE conversation SET live_count = live_count - ?2, updated_at = ?3 WHERE id = ?1`, []any{c.conversationID, total, int64(tx.Now)}},
		statement{`UPDATE member SET seen_count = seen_count - ?4 WHERE conversation_id = ?1 AND (user_id = ?2 OR last_read_at >= ?3)`,
			[]any{c.conversationID, userID, int64(last), total}},
	); err != nil || total == 1 {
		return err
	}
	readers, err := all(&tx.Reader, scanReader, `SELECT m.user_id, m.last_read_at FROM member m
		WHERE m.conversation_id = ?1 AND m.user_id <> ?2 AND m.last_read_at >= ?3 AND m.last_read_at < ?4 /* server: who has read a part */`,
		c.conversationID, userID, int64(first), int64(last))
	for _, m := range readers {
		if err != nil {
			return err
		}
		seen, found := slices.BinarySearchFunc(c.at, m.readAt, cmp.Compare)
		if found {
			seen++
		}
		_, err = tx.exec(`UPDATE member SET seen_count = seen_count - ?3 WHERE conversation_id = ?1 AND user_id = ?2`, c.conversationID, m.userID, seen)
	}
	return err
}

type memberRead struct {
	userID string
	readAt Time
}

func scanReader(s scanner) (m memberRead, err error) {
	err = s.Scan(&m.userID, &m.readAt)
	return m, err
}

// leaveAll ends the memberships of an account in groups, and returns all its
// conversations, and the members that leaveGroups changed. In direct ones, of which
// there may be thousands, it stays until they are scrubbed, and is read as DeletedUserID;
// see erasing.shown.
func (tx *Tx) leaveAll(userID string) (left []string, members []Member, err error) {
	left, err = all(&tx.Reader, scanOne[string], `SELECT m.conversation_id FROM member m WHERE m.user_id = ? /* server: deletion of the account */`, userID)
	if err != nil || len(left) == 0 {
		return nil, nil, err
	}
	if members, err = tx.leaveGroups(userID); err != nil {
		return nil, nil, err
	}
	return left, members, tx.execAll(
		// The title of a direct conversation is by the one who began it, its
		// owner. Blocks of the pair are gone.
		statement{`UPDATE conversation SET title = NULL WHERE title IS NOT NULL AND owners = ?1 AND ` + mine("direct") + ` /* server: deletion of the account */`, []any{userID}},
		statement{`UPDATE member SET hidden = 0 WHERE hidden = 1 AND conversation_id IN (SELECT id FROM conversation WHERE ` + mine("direct") + `) /* server: deletion of the account */`, []any{userID}},
	)
}

// mine is the condition for a conversation of a type of which the account ?1 is
// a member.
func mine(typ string) string {
	return `id IN (SELECT m.conversation_id FROM member m WHERE m.user_id = ?1) AND type = '` + typ + `'`
}

// leaveGroups is RemoveMember for all groups of an account. Where it is the only
// owner, the person who joined first becomes one, or a bot if there are only
// bots. Its invites and thoughts are deleted besides. It returns the members that it
// removed and those that it made owners.
func (tx *Tx) leaveGroups(userID string) (members []Member, err error) {
	groups, err := all(&tx.Reader, scanOne[string], `SELECT id FROM conversation WHERE `+mine("group")+` /* server: deletion of the account */`, userID)
	if err != nil {
		return nil, err
	}
	ids := jsonList(groups)
	members, err = all(&tx.Reader, scanNewOwner, `UPDATE member SET role = 'owner' WHERE (conversation_id, user_id) IN (SELECT m.conversation_id, (
				SELECT n.user_id FROM member n JOIN user u ON u.id = n.user_id WHERE n.conversation_id = m.conversation_id AND n.user_id <> ?1
				ORDER BY u.is_bot, u.suspended_at IS NOT NULL, n.joined_at LIMIT 1)
			FROM json_each(?2) j CROSS JOIN member m ON m.conversation_id = j.value AND m.user_id = ?1 WHERE m.role = 'owner'
			AND NOT EXISTS (SELECT 1 FROM member o WHERE o.conversation_id = m.conversation_id AND o.role = 'owner' AND o.user_id <> ?1))
		RETURNING conversation_id, user_id /* server: a group has an owner */`, userID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range groups {
		members = append(members, Member{ConversationID: id, UserID: userID})
	}
	return members, tx.execAll(
		statement{`DELETE FROM member WHERE user_id = ?1 AND conversation_id IN (SELECT value FROM json_each(?2))`, []any{userID, ids}},
		statement{`UPDATE conversation SET ` + memberLeft("conversation.id", "?1") + `, updated_at = ?3 WHERE id IN (SELECT value FROM json_each(?2))`,
			[]any{userID, ids, int64(tx.Now)}},
	)
}

func scanNewOwner(s scanner) (m Member, err error) {
	err = s.Scan(&m.ConversationID, &m.UserID)
	return m, err
}

// EndFriendships ends up to limit friendships and requests of an account, and returns
// who saw them. What is left of one that is frozen ends when it is redacted.
func (tx *Tx) EndFriendships(userID string, limit int) (people []string, err error) {
	people, err = all(&tx.Reader, scanOne[string], `SELECT f.user_id FROM friend f WHERE f.other_id = ? LIMIT ? /* server: deletion of the account */`, userID, limit)
	if err != nil || len(people) == 0 {
		return nil, err
	}
	ids := jsonList(people)
	return people, tx.execAll(
		statement{`DELETE FROM friend WHERE user_id = ?1 AND other_id IN (SELECT value FROM json_each(?2))`, []any{userID, ids}},
		statement{`DELETE FROM friend WHERE other_id = ?1 AND user_id IN (SELECT value FROM json_each(?2))`, []any{userID, ids}},
	)
}

// leavePeople ends what ties an account to others, and returns who saw it among
// their friends and requests.
func (tx *Tx) leavePeople(userID string) (people []string, err error) {
	if people, err = all(&tx.Reader, scanOne[string], `SELECT f.user_id FROM friend f WHERE f.other_id = ? /* server: deletion of the account */`, userID); err != nil {
		return nil, err
	}
	return people, tx.execAll(
		statement{`DELETE FROM friend WHERE user_id = ?1 OR other_id = ?1`, []any{userID}},
		statement{`DELETE FROM friend_cooldown WHERE requester_id = ?1 OR other_id = ?1`, []any{userID}},
		statement{`DELETE FROM block WHERE blocker_id = ?1 OR blocked_id = ?1`, []any{userID}},
		statement{`DELETE FROM card WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM invite WHERE created_by = ?`, []any{userID}},
		statement{`DELETE FROM list_member WHERE user_id = ?`, []any{userID}},
		statement{`UPDATE report SET reporter_id = NULL, freeform = '' WHERE reporter_id = ?`, []any{userID}},
		statement{`UPDATE report SET user_id = NULL, text = '', target_id = CASE target_id WHEN ?1 THEN ?2 ELSE target_id END WHERE user_id = ?1`, []any{userID, DeletedUserID}},
		statement{`UPDATE report SET decided_by = NULL, note = '' WHERE decided_by = ?`, []any{userID}},
	)
}

// hideLists makes the lists of an account invisible to everybody.
func (tx *Tx) hideLists(userID string) (ids []string, err error) {
	if ids, err = all(&tx.Reader, scanOne[string], `SELECT l.id FROM list l WHERE l.owner_id = ? /* server: deletion of the account */`, userID); err != nil {
		return nil, err
	}
	for _, id := range ids {
		tx.listChanged(id)
	}
	return ids, tx.execAll(
		statement{`UPDATE list SET visibility = 'private', updated_at = ?2 WHERE owner_id = ?1`, []any{userID, int64(tx.Now)}},
		statement{`DELETE FROM list_member WHERE list_id IN (SELECT id FROM list WHERE owner_id = ?) /* server: deletion of the account */`, []any{userID}},
		statement{`DELETE FROM held_item WHERE list_id IN (SELECT id FROM list WHERE owner_id = ?) /* server: deletion of the account */`, []any{userID}},
	)
}

// anonymise removes what describes an account from its row and from the tables
// with few rows for each account, and adds it to the ledger.
func (tx *Tx) anonymise(userID string) error {
	u, err := tx.User(userID)
	if err != nil {
		return err
	}
	if blob, err := tx.deletePicture(userID, ""); err != nil {
		return err
	} else if err := tx.ReleaseBlob(blob); err != nil {
		return err
	}
	if err := tx.freeNoAddress(userID); err != nil {
		return err
	}
	tx.credentialsChanged(userID)
	return tx.execAll(
		statement{`UPDATE user SET email = ?2, email_key = ?2, name = ?3, name_key = '', avatar_url = '', is_admin = 0, discovery_mode = 'hidden',
			presence_status = 'offline', status_text = '', status_emoji = '', status_at = NULL, last_seen_at = NULL, password_hash = '',
			verified_at = NULL, updated_at = ?4 WHERE id = ?1`, []any{userID, noAddress(userID), deletedName, int64(tx.Now)}},
		statement{`DELETE FROM user_word WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM former_member WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM login_link WHERE email_key = ?`, []any{Fold(u.Email)}},
		statement{`DELETE FROM secretary WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM secretary_answer WHERE user_id = ?`, []any{userID}},
		statement{`DELETE FROM feedback WHERE user_id = ?`, []any{userID}},
		statement{`UPDATE webhook SET disabled_at = ?2, disabled_why = 'owner' WHERE user_id = ?1 AND disabled_at IS NULL`, []any{userID, int64(tx.Now)}},
		statement{`INSERT OR IGNORE INTO erased (user_id, at) VALUES (?, ?)`, []any{userID, int64(tx.Now)}},
	)
}
