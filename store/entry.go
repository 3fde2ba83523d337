package store

// Entry is a thought in the Stream of a conversation, as shown to one of its
// members.
type Entry struct {
	Thought
	AuthorName string
	PinnedBy   string // "" if it is not pinned there
	PinnedAt   Time
	Collapsed  bool // by the viewer
}

// entryColumns are the columns of a thought t of the account u in a conversation,
// with its pin p and the viewer's mark k, which may be NULL.
var entryColumns = thoughtColumns + `, u.name, p.pinned_by, p.pinned_at, k.user_id IS NOT NULL`

// entryTables joins what entryColumns need to thoughts t, for the viewer ?1 and
// the conversation ?2.
var entryTables = ` JOIN user u ON ` + namedUser("u", "t.user_id") + `
	LEFT JOIN thought_pin p ON p.conversation_id = ?2 AND p.thought_id = t.id
	LEFT JOIN thought_collapsed k ON k.user_id = ?1 AND k.conversation_id = ?2 AND k.thought_id = t.id
	WHERE ` + visibleEntry("t", "?2", "?1", "?3")

// Entries returns up to limit entries of the Stream of a conversation with a tag
// ("": all), created before a moment (0: the newest), the newest first. It
// returns ErrNoRow if by may not see the conversation.
func (r *Reader) Entries(by Viewer, conversationID, tag string, before Time, limit int) ([]Entry, error) {
	es, err := all[Entry](r, `SELECT `+entryColumns+` FROM (
			SELECT id FROM (SELECT t.id FROM thought t WHERE t.source_conversation_id = ?2 AND t.captured = 1
				AND t.created_at < ?4 AND `+hasTag("?5")+` ORDER BY t.created_at DESC LIMIT ?6)
			UNION SELECT id FROM (SELECT t.id FROM thought t WHERE t.user_id = ?1 AND t.source_conversation_id = ?2 AND t.captured = 0
				AND ?3 AND t.created_at < ?4 AND `+hasTag("?5")+` ORDER BY t.created_at DESC LIMIT ?6)
			UNION SELECT t.id FROM thought_pin p CROSS JOIN thought t ON t.id = p.thought_id
				WHERE p.conversation_id = ?2 AND t.created_at < ?4 AND `+hasTag("?5")+`
		) e CROSS JOIN thought t ON t.id = e.id`+entryTables+`
		ORDER BY t.created_at DESC LIMIT ?6 /* scan: twice the limit, and the pins of one conversation */`,
		by.UserID, conversationID, by.Direct(), orEnd(before), tag, limit)
	if err == nil && len(es) == 0 {
		_, err = r.Member(by, conversationID, by.UserID)
	}
	return es, err
}

// Entry returns an entry of the Stream of a conversation that by may see;
// ErrNoRow otherwise.
func (r *Reader) Entry(by Viewer, conversationID, thoughtID string) (Entry, error) {
	return one[Entry](r, `SELECT `+entryColumns+` FROM thought t`+entryTables+` AND t.id = ?4`, by.UserID, conversationID, by.Direct(),
		thoughtID)
}

// Pin is where a thought is pinned.
type Pin struct{ ThoughtID, ConversationID string }

// Pins returns where the thoughts are pinned, of the conversations that by may
// see, in the order in which they were pinned.
func (r *Reader) Pins(by Viewer, thoughtIDs ...string) ([]Pin, error) {
	return all[Pin](r, `SELECT p.thought_id, p.conversation_id FROM json_each(?1) j CROSS JOIN thought_pin p ON p.thought_id = j.value
		WHERE `+pinnedIn("p", "?2")+` ORDER BY p.pinned_at`, jsonList(thoughtIDs), by.UserID)
}

// PinCounts returns how many thoughts are pinned in a conversation, and to how
// many conversations a thought is.
func (r *Reader) PinCounts(conversationID, thoughtID string) (inConversation, ofThought int, err error) {
	err = r.value([]any{&inConversation, &ofThought}, `SELECT (SELECT count(*) FROM thought_pin WHERE conversation_id = ?1),
		(SELECT count(*) FROM thought_pin WHERE thought_id = ?2) /* server: the limits of pins */`, conversationID, thoughtID)
	return inConversation, ofThought, err
}

// PinThought pins a thought to a conversation. It reports whether it was not
// pinned there before.
func (tx *Tx) PinThought(by Viewer, conversationID, thoughtID string) (bool, error) {
	n, err := tx.execCount(`INSERT INTO thought_pin (conversation_id, thought_id, pinned_by, pinned_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		conversationID, thoughtID, by.UserID, tx.Now)
	return n > 0, err
}

// UnpinThought removes a pin. It returns ErrNoRow without one.
func (tx *Tx) UnpinThought(conversationID, thoughtID string) error {
	return tx.exec1(`DELETE FROM thought_pin WHERE conversation_id = ? AND thought_id = ?`, conversationID, thoughtID)
}

// SetCollapsed stores whether by has collapsed an entry of a Stream.
func (tx *Tx) SetCollapsed(by Viewer, conversationID, thoughtID string, collapsed bool) error {
	query := `DELETE FROM thought_collapsed WHERE user_id = ? AND conversation_id = ? AND thought_id = ?`
	if collapsed {
		query = `INSERT INTO thought_collapsed (user_id, conversation_id, thought_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`
	}
	return tx.exec(query, by.UserID, conversationID, thoughtID)
}
