package store

import "slices"

// MaxMentions is how many mentions a message has at most. More are text.
const MaxMentions = 50

// Mention is a member that a message names: Size bytes of its content, from Start
// on, are "@" and the name.
type Mention struct {
	MessageAt Time // the message's CreatedAt, which is unique in the file
	UserID    string
	Start     int
	Size      int
}

// Mentions returns those in the messages that have any and that by may see, in
// the order of their places. It runs no query if none has.
func (r *Reader) Mentions(by Viewer, messages []Message) ([]Mention, error) {
	keys := keysOf(messages, func(m *Message) bool { return m.Mentioned })
	if keys == "" {
		return nil, nil
	}
	return all[Mention](r, `SELECT q.message_at, q.user_id, q.start, q.size
		FROM json_each(?1) j CROSS JOIN mention q ON q.conversation_id = j.value ->> 0 AND q.message_at = j.value ->> 1
		WHERE `+visibleConversation("q.conversation_id", "?2")+`
		ORDER BY q.message_at, q.start, q.user_id`, keys, by.UserID)
}

// keysOf returns the primary keys of the messages for which has returns true, as one
// parameter for json_each; "" if there is none.
func keysOf(messages []Message, has func(*Message) bool) string {
	var keys [][2]any
	for i := range messages {
		if m := &messages[i]; has(m) {
			keys = append(keys, [2]any{m.ConversationID, int64(m.CreatedAt)})
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return jsonList(keys)
}

// MentionsIn returns the members of a conversation of by that a text names and by may
// see, and so none with a block between them. If several names fit at one place, it
// returns everybody with the longest of them. It returns nobody for a conversation that
// by may not see, and MaxMentions at most.
func (r *Reader) MentionsIn(by Viewer, conversationID, content string) (out []Mention, err error) {
	names := namesIn(content)
	if len(names) == 0 {
		return nil, nil
	}
	keys := make([]string, len(names))
	for i, n := range names {
		keys[i] = n.key
	}
	slices.Sort(keys)
	members, err := all[namedMember](r, `SELECT w.word, u.id, u.name FROM json_each(?1) j CROSS JOIN user_word w ON w.word = j.value
		CROSS JOIN member m ON m.conversation_id = ?2 AND m.user_id = w.user_id CROSS JOIN user u ON u.id = w.user_id
		WHERE `+visibleConversation("?2", "?3")+` AND `+visibleUser("u", "?3")+` ORDER BY u.id`,
		jsonList(slices.Compact(keys)), conversationID, by.UserID)
	byKey := map[string][]namedMember{}
	for _, m := range members {
		if nameKey(m.Name) == m.Key {
			byKey[m.Key] = append(byKey[m.Key], m)
		}
	}
	end := 0 // of the last name
	for _, n := range names {
		if n.start < end {
			continue
		}
		for _, m := range byKey[n.key] {
			if len(out) == MaxMentions {
				return out, nil
			}
			if sameSigns(content[n.start+1:n.end], m.Name) {
				out, end = append(out, Mention{UserID: m.UserID, Start: n.start, Size: n.end - n.start}), n.end
			}
		}
	}
	return out, err
}

// namedMember is a member with a name of the form of nameKey, or one that ends
// with it.
type namedMember struct{ Key, UserID, Name string }

// setMentions stores the mentions in the content of a message, in place of what was
// there, and sets m.Mentions to them.
func (tx *Tx) setMentions(m *Message) (err error) {
	if m.Mentioned {
		if err := tx.exec(`DELETE FROM mention WHERE conversation_id = ? AND message_at = ?`, m.ConversationID, m.CreatedAt); err != nil {
			return err
		}
	}
	if m.Mentions, err = tx.MentionsIn(Viewer{UserID: m.SenderID}, m.ConversationID, m.Content); err != nil {
		return err
	}
	for n := range m.Mentions {
		q := &m.Mentions[n]
		q.MessageAt = m.CreatedAt
		if err := tx.exec(`INSERT INTO mention (conversation_id, message_at, start, user_id, size) VALUES (?, ?, ?, ?, ?)`,
			m.ConversationID, m.CreatedAt, q.Start, q.UserID, q.Size); err != nil {
			return err
		}
	}
	has := len(m.Mentions) > 0
	if has == m.Mentioned {
		return nil
	}
	m.Mentioned = has
	return tx.exec(`UPDATE message SET mentioned = ?3 WHERE conversation_id = ?1 AND created_at = ?2`, m.ConversationID, m.CreatedAt, has)
}

// unreadMention is 1 if a message of another that the viewer's member row m of the
// conversation c has not read mentions them. An index has their mentions of each
// conversation in the order of time.
const unreadMention = `c.live_count > m.seen_count AND EXISTS (SELECT 1 FROM mention q
	CROSS JOIN message qx ON qx.conversation_id = q.conversation_id AND qx.created_at = q.message_at
	WHERE q.user_id = m.user_id AND q.conversation_id = m.conversation_id AND q.message_at > coalesce(m.last_read_at, 0)
		AND qx.sender_id <> m.user_id)`

// Mentionable returns up to limit other members of a conversation that by may
// mention. Each word of q must begin a word of the member's name. The senders of the
// latest messages come first, then the others by their names. It returns ErrNoRow if
// by may not see the conversation.
func (r *Reader) Mentionable(by Viewer, conversationID, q string, limit int) ([]User, error) {
	words, others := searchedNames(q)
	if words != "" {
		others = append(others, words)
	}
	found, err := all[User](r, `SELECT `+userColumns+` FROM member m CROSS JOIN conversation c ON c.id = m.conversation_id
		CROSS JOIN user u ON u.id = m.user_id
		WHERE m.conversation_id = ?1 AND m.user_id <> ?2 AND NOT EXISTS (SELECT 1 FROM json_each(?3) j WHERE NOT EXISTS (
			SELECT 1 FROM user_word w WHERE w.user_id = u.id AND w.word >= j.value AND w.word < j.value || char(0x10FFFF)))
		AND `+visibleConversation("?1", "?2")+` AND `+visibleUser("u", "?2")+`
		ORDER BY instr(c.recent, u.id) = 0, instr(c.recent, u.id), u.name_key, u.id LIMIT ?4`,
		conversationID, by.UserID, jsonList(others), limit)
	if err == nil && len(found) == 0 {
		_, err = r.Member(by, conversationID, by.UserID)
	}
	return found, err
}
