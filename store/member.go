package store

import (
	"github.com/go-json-experiment/json"
)

// Member is an account's membership of a conversation.
type Member struct {
	ConversationID string
	UserID         string
	Role           string // owner, member
}

// memberColumns are the columns of a Member.
const memberColumns = `conversation_id, user_id, role`

// Members returns the members of the conversations with the ids that by may see, in
// the order in which they joined.
func (r *Reader) Members(by Viewer, conversationIDs ...string) ([]Member, error) {
	return all[Member](r, `SELECT `+memberColumns+` FROM json_each(?1) j
		JOIN member m ON m.conversation_id = j.value
		WHERE `+visibleConversation("m.conversation_id", "?2")+`
		ORDER BY m.conversation_id, m.joined_at`, jsonList(conversationIDs), by.UserID)
}

// Member returns the membership of an account in a conversation that by may
// see; ErrNoRow if there is none.
func (r *Reader) Member(by Viewer, conversationID, userID string) (Member, error) {
	return one[Member](r, `SELECT `+memberColumns+` FROM member m
		WHERE m.conversation_id = ?1 AND m.user_id = ?2 AND `+visibleConversation("?1", "?3"), conversationID, userID, by.UserID)
}

// MemberCounts returns how many members the conversation has, and how many of
// them are owners.
func (r *Reader) MemberCounts(conversationID string) (members, owners int, err error) {
	err = r.value([]any{&members, &owners}, `SELECT count(*), count(*) FILTER (WHERE role = 'owner')
		FROM member WHERE conversation_id = ? /* server: the bounds of a group */`, conversationID)
	return members, owners, err
}

// Addable returns the ids that by may add to a group, or to a new group if
// conversationID is "".
func (r *Reader) Addable(by Viewer, conversationID string, ids []string) ([]string, error) {
	return all[string](r, `SELECT u.id FROM json_each(?1) j JOIN user u ON u.id = j.value
		WHERE `+addableUser("u", "?3", "?2"), jsonList(ids), by.UserID, conversationID)
}

// Reachable returns the ids that by may start a conversation with.
func (r *Reader) Reachable(by Viewer, ids []string) ([]string, error) {
	return all[string](r, `SELECT u.id FROM json_each(?1) j JOIN user u ON u.id = j.value
		WHERE `+reachableUser("u", "?2"), jsonList(ids), by.UserID)
}

// jsonList returns ids or rows as one parameter for json_each.
func jsonList[T any](rows []T) string {
	b, err := json.Marshal(rows)
	if err != nil {
		panic("store: a text that is not UTF-8: " + err.Error()) // transports check texts
	}
	return string(b)
}

// AddMember adds an account to a conversation; earlier messages count as read.
// It returns ErrTaken if the account is a member. That it was one before is
// forgotten.
func (tx *Tx) AddMember(conversationID, userID, role string) error {
	err := tx.exec1(`INSERT INTO member (conversation_id, user_id, role, joined_at, last_read_at, seen_count)
		SELECT c.id, ?2, ?3, ?4, ?4, c.live_count FROM conversation c WHERE c.id = ?1 /* server: what the row is made from */`,
		conversationID, userID, role, tx.Now)
	if err != nil {
		return err
	}
	if err := tx.exec(`DELETE FROM former_member WHERE conversation_id = ? AND user_id = ?`, conversationID, userID); err != nil {
		return err
	}
	return tx.exec1(`UPDATE conversation SET updated_at = ?3, member_count = member_count + 1, bot_count = bot_count + `+isBot("?2")+`,
			recent = CASE WHEN member_count < ?4 THEN recent || ?2 ELSE recent END, owners = `+firstOwners("?1")+`
		WHERE id = ?1`, conversationID, userID, tx.Now, maxIDs)
}

// RemoveMember removes an account from a conversation on behalf of by, deletes the
// invites it has made, and unpins its own thoughts. It returns ErrNoRow if the
// account is not a member.
func (tx *Tx) RemoveMember(by Viewer, conversationID, userID string) error {
	if err := tx.exec1(`DELETE FROM member WHERE conversation_id = ? AND user_id = ?`, conversationID, userID); err != nil {
		return err
	}
	both := []any{conversationID, userID}
	return tx.execAll(
		statement{deleteInvites, both},
		statement{`INSERT OR REPLACE INTO former_member (conversation_id, user_id, removed, at) VALUES (?, ?, ?, ?)`,
			append(both, by.UserID != userID, tx.Now)},
		statement{`DELETE FROM thought_pin WHERE conversation_id = ?1
			AND (SELECT t.user_id FROM thought t WHERE t.id = thought_id /* server: whose it is */) = ?2`, both},
		statement{`UPDATE conversation SET updated_at = ?3, ` + memberLeft("?1", "?2") + ` WHERE id = ?1`, append(both, tx.Now)},
	)
}

// BotsIn returns the ids of the bots of an account that are members of a conversation.
func (r *Reader) BotsIn(conversationID, ownerID string) ([]string, error) {
	return all[string](r, `SELECT m.user_id FROM user b JOIN member m ON m.conversation_id = ?1 AND m.user_id = b.id
		WHERE b.bot_owner_id = ?2 ORDER BY m.user_id /* server: what applies to an account applies to its bots */`, conversationID, ownerID)
}

// memberLeft is what changes in the row of a conversation when an account stops being
// a member.
func memberLeft(conversation, userID string) string {
	return `member_count = member_count - 1, bot_count = bot_count - ` + isBot(userID) + `,
		recent = CASE WHEN instr(recent, ` + userID + `) = 0 THEN recent ELSE replace(recent, ` + userID + `, '') ||
			CASE WHEN member_count <= 8 THEN '' ELSE ` + nextRecent(conversation) + ` END END,
		owners = ` + firstOwners(conversation)
}

// nextRecent is the member who follows those in the column recent of a conversation: of
// the others the one who sent last, if that is one of the newest 100 messages, and
// else the one who joined first; "" without others. Whoever sends is named until eight
// others have sent, so that one follows all who sent later.
func nextRecent(conversation string) string {
	return `coalesce((SELECT m.user_id FROM (
				SELECT n.sender_id, n.created_at FROM message n WHERE n.conversation_id = ` + conversation + ` ORDER BY n.created_at DESC LIMIT 100) x
			CROSS JOIN member m ON m.conversation_id = ` + conversation + ` AND m.user_id = x.sender_id AND m.joined_at < x.created_at
			WHERE instr(recent, m.user_id) = 0 ORDER BY x.created_at DESC LIMIT 1),
		(SELECT m.user_id FROM member m WHERE m.conversation_id = ` + conversation + ` AND instr(recent, m.user_id) = 0
		ORDER BY m.joined_at LIMIT 1), '') /* server: a member, named */ /* scan: the newest messages */`
}

// SetRole changes the role of a member. The invites of one who is no owner any
// more are deleted. It returns ErrNoRow without a member.
func (tx *Tx) SetRole(conversationID, userID, role string) error {
	if role != "owner" {
		if err := tx.exec(deleteInvites, conversationID, userID); err != nil {
			return err
		}
	}
	if err := tx.exec1(`UPDATE member SET role = ?3 WHERE conversation_id = ?1 AND user_id = ?2`, conversationID, userID, role); err != nil {
		return err
	}
	return tx.exec1(`UPDATE conversation SET updated_at = ?2, owners = `+firstOwners("?1")+` WHERE id = ?1`, conversationID, tx.Now)
}

// isBot is 1 for a bot, and 0 for a person.
func isBot(userID string) string {
	return `(SELECT u.is_bot FROM user u WHERE u.id = ` + userID + ` /* server: its members, counted */)`
}

// firstOwners is what a conversation has in its column owners.
func firstOwners(conversation string) string {
	return `(SELECT coalesce(group_concat(o.user_id, ''), '') FROM (SELECT m.user_id FROM member m
		WHERE m.conversation_id = ` + conversation + ` AND m.role = 'owner' ORDER BY m.joined_at LIMIT 8
		/* server: its owners, named */) o /* scan: 8 rows at most */)`
}

// SetNotify sets of which messages of a conversation by, one of its members, is notified:
// all, mentions or none. It returns ErrNoRow if by is not a member.
func (tx *Tx) SetNotify(by Viewer, conversationID, notify string) error {
	return tx.exec1(`UPDATE member SET notify = ?3 WHERE conversation_id = ?1 AND user_id = ?2`, conversationID, by.UserID, notify)
}

// SetMutedUntil mutes a conversation for by, one of its members, until a
// moment; 0 unmutes it. It returns ErrNoRow if by is not a member.
func (tx *Tx) SetMutedUntil(by Viewer, conversationID string, until Time) error {
	return tx.exec1(`UPDATE member SET muted_until = nullif(?3, 0) WHERE conversation_id = ?1 AND user_id = ?2`,
		conversationID, by.UserID, until)
}
