package store

// maxUnreadLeft bounds how many messages a member may leave unread when they
// mark earlier ones as read: those are counted within the write.
const maxUnreadLeft = 10_000

// ReadState is how far a member has read a conversation.
type ReadState struct {
	ConversationID string
	LastReadAt     Time // 0: nothing yet
	Unread         int
	Mentioned      bool // one of the unread messages mentions the member
}

// ReadState returns how far by has read a conversation; ErrNoRow if by is not a member.
func (r *Reader) ReadState(by Viewer, conversationID string) (ReadState, error) {
	return one[ReadState](r, `SELECT c.id, m.last_read_at, c.live_count - m.seen_count, `+unreadMention+`
		FROM member m JOIN conversation c ON c.id = m.conversation_id
		WHERE m.conversation_id = ?1 AND `+visibleMembership("m", "?2"), conversationID, by.UserID)
}

// UnreadTotal returns the number of unread messages in all conversations of by.
func (r *Reader) UnreadTotal(by Viewer) (n int, newest Time, err error) {
	err = r.value([]any{&n, &newest}, `SELECT coalesce(sum(c.live_count - m.seen_count), 0), coalesce(max(c.last_message_at), 0)
		FROM member m JOIN conversation c ON c.id = m.conversation_id WHERE `+visibleMembership("m", "?1"), by.UserID)
	return n, newest, err
}

// MarkRead marks the messages of a conversation up to a moment (0: now) as read
// by by, and returns up to when all are read, which never moves back. It returns
// ErrTooFar if more than 10,000 messages would be unread after it, and ErrNoRow
// if by is not a member.
func (tx *Tx) MarkRead(by Viewer, conversationID string, upTo Time) (Time, error) {
	st, err := tx.ReadState(by, conversationID)
	if err != nil {
		return 0, err
	}
	if upTo == 0 || upTo > tx.Now {
		upTo = tx.Now
	}
	if upTo <= st.LastReadAt {
		return st.LastReadAt, nil
	}
	return upTo, tx.setRead(by, conversationID, upTo)
}

// MarkUnread marks the messages of others in a conversation from a moment on as
// unread by by, and reports whether that changed anything. It returns ErrTooFar
// if more than 10,000 messages would be unread, and ErrNoRow if by is not a member.
func (tx *Tx) MarkUnread(by Viewer, conversationID string, from Time) (bool, error) {
	st, err := tx.ReadState(by, conversationID)
	if err != nil || st.LastReadAt < from {
		return false, err
	}
	return true, tx.setRead(by, conversationID, from-1)
}

// setRead stores up to when a member has read, and counts the messages of others after
// that which are not deleted.
func (tx *Tx) setRead(by Viewer, conversationID string, upTo Time) error {
	left, err := one[int](&tx.Reader, `SELECT count(*) FROM (SELECT 1 FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND `+liveMessage("x")+` AND x.sender_id <> ?3 AND `+
		visibleConversation("?1", "?3")+` LIMIT ?4)`, conversationID, upTo, by.UserID, maxUnreadLeft+1)
	if err == nil && left > maxUnreadLeft {
		err = ErrTooFar
	}
	if err != nil {
		return err
	}
	return tx.exec1(`UPDATE member SET last_read_at = ?3,
			seen_count = (SELECT c.live_count FROM conversation c WHERE c.id = ?1 /* server: the member's own count */) - ?4
		WHERE conversation_id = ?1 AND user_id = ?2`, conversationID, by.UserID, upTo, left)
}

// FirstUnread returns the first message of another after a moment that is not
// deleted; ErrNoRow without one.
func (r *Reader) FirstUnread(by Viewer, conversationID string, after Time) (id string, at Time, err error) {
	err = r.value([]any{&id, &at}, `SELECT x.id, x.created_at FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at > ?2 AND `+liveMessage("x")+` AND x.sender_id <> ?3 AND `+
		visibleConversation("?1", "?3")+` ORDER BY x.created_at LIMIT 1`, conversationID, after, by.UserID)
	return id, at, err
}
