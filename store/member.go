package store

import (
	"github.com/go-json-experiment/json"
)

// Member is a person's part in a conversation.
type Member struct {
	ConversationID string
	UserID         string
	Role           string // owner, member
}

func scanMember(s scanner) (m Member, err error) {
	err = s.Scan(&m.ConversationID, &m.UserID, &m.Role)
	return m, err
}

// Members returns the members of those of the conversations that viewer is in,
// in the order in which they joined.
func (r *Reader) Members(viewer string, conversationIDs ...string) ([]Member, error) {
	return all(r, scanMember, `SELECT m.conversation_id, m.user_id, m.role FROM json_each(?1) j
		JOIN member m ON m.conversation_id = j.value
		WHERE `+visibleConversation("m.conversation_id", "?2")+`
		ORDER BY m.conversation_id, m.joined_at`, jsonList(conversationIDs), viewer)
}

// Member returns the person's part in the conversation; ErrNoRow if they have
// none.
func (r *Reader) Member(conversationID, userID string) (Member, error) {
	return one(r, scanMember, `SELECT conversation_id, user_id, role FROM member WHERE conversation_id = ? AND user_id = ?`, conversationID, userID)
}

// MemberCounts returns how many members the conversation has, and how many of
// them are owners.
func (r *Reader) MemberCounts(conversationID string) (members, owners int, err error) {
	err = r.value([]any{&members, &owners}, `SELECT count(*), count(*) FILTER (WHERE role = 'owner')
		FROM member WHERE conversation_id = ?`, conversationID)
	return members, owners, err
}

// UsersByID returns the accounts with the ids, in no order, for the server's own
// use: who may see them is the caller's to know.
func (r *Reader) UsersByID(ids []string) ([]User, error) {
	return all(r, scanUser, `SELECT `+userColumns+` FROM json_each(?1) j JOIN user u ON u.id = j.value`, jsonList(ids))
}

// Reachable returns those of the ids that viewer may begin a conversation
// with.
func (r *Reader) Reachable(viewer string, ids []string) ([]string, error) {
	return all(r, scanOne[string], `SELECT u.id FROM json_each(?1) j JOIN user u ON u.id = j.value
		WHERE `+reachableUser("u", "?2"), jsonList(ids), viewer)
}

// jsonList is how a list of any length becomes one parameter.
func jsonList(ids []string) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic("store: ids that are no text: " + err.Error()) // ids are checked at the door
	}
	return string(b)
}

func (tx *Tx) insertMember(conversationID, userID, role string, at Time) error {
	_, err := tx.exec(`INSERT INTO member (conversation_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)`,
		conversationID, userID, role, int64(at))
	return err
}

// AddMember lets a person into a conversation that goes on already: what was
// said before counts as read. ErrTaken if they are in it.
func (tx *Tx) AddMember(conversationID, userID, role string) error {
	err := tx.exec1(`INSERT INTO member (conversation_id, user_id, role, joined_at, last_read_at, seen_count)
		SELECT c.id, ?2, ?3, ?4, ?4, c.live_count FROM conversation c WHERE c.id = ?1`, conversationID, userID, role, int64(tx.Now))
	if err == nil {
		err = tx.conversationChanged(conversationID)
	}
	return err
}

// RemoveMember takes a person out of a conversation, and with them the
// invitations they have given. ErrNoRow if they are not in it.
func (tx *Tx) RemoveMember(conversationID, userID string) error {
	if err := tx.exec1(`DELETE FROM member WHERE conversation_id = ? AND user_id = ?`, conversationID, userID); err != nil {
		return err
	}
	if _, err := tx.exec(`DELETE FROM invite WHERE conversation_id = ? AND created_by = ?`, conversationID, userID); err != nil {
		return err
	}
	return tx.conversationChanged(conversationID)
}

// SetRole makes a member an owner, or an owner a member.
func (tx *Tx) SetRole(conversationID, userID, role string) error {
	if err := tx.exec1(`UPDATE member SET role = ?3 WHERE conversation_id = ?1 AND user_id = ?2`, conversationID, userID, role); err != nil {
		return err
	}
	return tx.conversationChanged(conversationID)
}

// conversationChanged says that the conversation itself has changed.
func (tx *Tx) conversationChanged(conversationID string) error {
	return tx.exec1(`UPDATE conversation SET updated_at = ?2 WHERE id = ?1`, conversationID, int64(tx.Now))
}

// SetMutedUntil mutes a conversation for one of its members; 0 ends that.
func (tx *Tx) SetMutedUntil(conversationID, userID string, until Time) error {
	return tx.exec1(`UPDATE member SET muted_until = nullif(?3, 0) WHERE conversation_id = ?1 AND user_id = ?2`,
		conversationID, userID, int64(until))
}

// ReadState returns when a member has last read and how many messages wait
// for them; ErrNoRow if they are not in the conversation.
func (r *Reader) ReadState(conversationID, userID string) (lastReadAt Time, unread int, err error) {
	err = r.value([]any{&lastReadAt, &unread}, `SELECT m.last_read_at, c.live_count - m.seen_count
		FROM member m JOIN conversation c ON c.id = m.conversation_id
		WHERE m.conversation_id = ? AND m.user_id = ?`, conversationID, userID)
	return lastReadAt, unread, err
}

// maxUnreadLeft bounds how many messages a reader may leave unread behind the
// one they have read: those are counted within the write.
const maxUnreadLeft = 10_000

// MarkRead makes everything said up to a moment (0: now) read by a member, and
// returns up to when everything is: what was read stays so. ErrTooFar if more
// than 10,000 messages would stay unread after it; ErrNoRow without a member.
func (tx *Tx) MarkRead(conversationID, userID string, upTo Time) (Time, error) {
	last, _, err := tx.ReadState(conversationID, userID)
	if err != nil {
		return 0, err
	}
	if upTo == 0 || upTo > tx.Now {
		upTo = tx.Now
	}
	if upTo <= last {
		return last, nil
	}
	var left int
	if err := tx.value([]any{&left}, `SELECT count(*) FROM (SELECT 1 FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND x.deleted_at IS NULL AND x.sender_id <> ?3 LIMIT ?4)`,
		conversationID, int64(upTo), userID, maxUnreadLeft+1); err != nil {
		return 0, err
	}
	if left > maxUnreadLeft {
		return 0, ErrTooFar
	}
	return upTo, tx.exec1(`UPDATE member SET last_read_at = ?3, seen_count = (SELECT c.live_count FROM conversation c WHERE c.id = ?1) - ?4
		WHERE conversation_id = ?1 AND user_id = ?2`, conversationID, userID, int64(upTo), left)
}
