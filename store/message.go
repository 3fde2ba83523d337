package store

import "cmp"

// Message is a message's row.
type Message struct {
	ConversationID string
	CreatedAt      Time // unique in the file
	ID             string
	SenderID       string
	Content        string // "" once deleted
	Type           string `row:"-"` // text, card
	CardKind       string
	CardPayload    string // JSON
	ViaSecretary   bool
	ReplyToID      string
	AgentID        string // the key that sent it, "" for a person
	AgentName      string // what it was called then
	EditedAt       Time
	DeletedAt      Time
	Attachments    string // a JSON array; "" without
	Transcript     string // of a voice note
	Reacted        bool   // it has reactions
	Mentioned      bool   // it mentions members

	// For Send alone: the files that Attachments describes, and until when the
	// transcript of a voice note is awaited.
	AttachmentIDs   []string `row:"-"`
	TranscribeUntil Time     `row:"-"`

	Mentions []Mention `row:"-"` // set by Send and EditMessage
}

// messageColumns are the columns of a message x, which an outer join may leave out.
const messageColumns = `x.conversation_id, x.created_at, x.id, x.sender_id, x.content, x.card_kind, x.card_payload, x.via_secretary,
	x.reply_to_id, x.agent_id, x.agent_name, x.edited_at, x.deleted_at, x.attachments, x.transcript, x.reacted, x.mentioned`

func (m *Message) derive() {
	if m.Type = "text"; m.CardKind != "" {
		m.Type = "card"
	}
}

// Size returns how many bytes of text it has.
func (m Message) Size() int {
	return len(m.Content) + len(m.Transcript) + len(m.Attachments) + len(m.CardPayload)
}

// messagesWithin returns the messages of a query, ending with the one with which they have
// more than size bytes of text together.
func (r *Reader) messagesWithin(size int, query string, args ...any) (out []Message, err error) {
	err = each(r, func(m *Message) bool {
		out = append(out, *m)
		size -= m.Size()
		return size >= 0
	}, query, args...)
	return out, err
}

// Message returns the message with the id if by may see it; ErrNoRow otherwise.
func (r *Reader) Message(by Viewer, id string) (Message, error) {
	return one[Message](r, `SELECT `+messageColumns+` FROM message x
		WHERE x.id = ?1 AND `+visibleConversation("x.conversation_id", "?2"), id, by.UserID)
}

// MessagesByID returns the messages with the ids that by may see, in the order of the
// ids.
func (r *Reader) MessagesByID(by Viewer, ids ...string) ([]Message, error) {
	return all[Message](r, `SELECT `+messageColumns+` FROM json_each(?1) j JOIN message x ON x.id = j.value
		WHERE `+visibleConversation("x.conversation_id", "?2")+` ORDER BY j.key`, jsonList(ids), by.UserID)
}

// Messages returns up to limit messages of a conversation from before a moment
// (0: the newest), the newest first. It returns ErrNoRow if by may not see the
// conversation.
func (r *Reader) Messages(by Viewer, conversationID string, before Time, limit int) ([]Message, error) {
	ms, err := page[Message](r, limit, `SELECT `+messageColumns+` FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at < ?2 AND `+visibleConversation("?1", "?3")+`
		ORDER BY x.created_at DESC LIMIT ?4`, conversationID, orEnd(before), by.UserID, limit)
	if err == nil && len(ms) == 0 {
		_, err = r.Member(by, conversationID, by.UserID)
	}
	return ms, err
}

// MessagesFrom returns up to limit messages of a conversation from a moment on,
// the oldest first. It returns ErrNoRow if by may not see the conversation.
func (r *Reader) MessagesFrom(by Viewer, conversationID string, from Time, limit int) ([]Message, error) {
	ms, err := all[Message](r, `SELECT `+messageColumns+` FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at >= ?2 AND `+visibleConversation("?1", "?3")+`
		ORDER BY x.created_at LIMIT ?4`, conversationID, from, by.UserID, limit)
	if err == nil && len(ms) == 0 {
		_, err = r.Member(by, conversationID, by.UserID)
	}
	return ms, err
}

// Quote is what a reply shows of the message it answers.
type Quote struct {
	ID, SenderID, SenderName string
	Content                  string // the first 200 characters
}

const quoteQuery = `SELECT x.id, x.sender_id, u.name, substr(x.content, 1, 200) FROM `

// Quotes returns the quotes of the messages with the ids that by may see, in no order.
func (r *Reader) Quotes(by Viewer, ids ...string) ([]Quote, error) {
	return all[Quote](r, quoteQuery+`json_each(?1) j JOIN message x ON x.id = j.value JOIN user u ON `+namedUser("u", "x.sender_id")+`
		WHERE `+visibleConversation("x.conversation_id", "?2"), jsonList(ids), by.UserID)
}

// QuoteIn returns the quote of a message of a conversation that by may see;
// ErrNoRow otherwise.
func (r *Reader) QuoteIn(by Viewer, conversationID, id string) (Quote, error) {
	return one[Quote](r, quoteQuery+`message x JOIN user u ON `+namedUser("u", "x.sender_id")+`
		WHERE x.id = ?1 AND x.conversation_id = ?2 AND `+visibleConversation("?2", "?3"), id, conversationID, by.UserID)
}

// Sender is the account that sent a message.
type Sender struct{ ID, Name, Email, AvatarURL string }

// Senders returns the names and addresses of the accounts with the ids, in no
// order. The caller has read the ids from rows that its viewer may see. They are
// cached, and at least as new as the state that r reads.
func (r *Reader) Senders(ids ...string) ([]Sender, error) {
	if r.senders == nil {
		return r.readSenders(ids)
	}
	found := make([]Sender, 0, len(ids))
	var missing []string
	for _, id := range ids {
		if s, ok := r.senders.Get(id); ok {
			found = append(found, s)
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	read, err := r.readSenders(missing)
	for _, s := range read {
		r.senders.Put(s.ID, s.ID, s, r.generation)
	}
	return append(found, read...), err
}

// Names is Senders, and returns the names by id.
func (r *Reader) Names(ids ...string) (map[string]string, error) {
	found, err := r.Senders(ids...)
	names := make(map[string]string, len(found))
	for _, s := range found {
		names[s.ID] = s.Name
	}
	return names, err
}

func (r *Reader) readSenders(ids []string) ([]Sender, error) {
	return all[Sender](r, `SELECT u.id, u.name, u.email, u.avatar_url FROM json_each(?1) j JOIN user u ON `+namedUser("u", "j.value"),
		jsonList(ids))
}

// Sender is Senders for one account; ErrNoRow without it.
func (r *Reader) Sender(id string) (Sender, error) {
	found, err := r.Senders(id)
	if err == nil && len(found) == 0 {
		err = ErrNoRow
	}
	if err != nil {
		return Sender{}, err
	}
	return found[0], nil
}

// Retry returns the message with the id if by sent it to the conversation with
// the same request hash. It returns ErrNoRow otherwise, as for a deleted one, which
// has no hash any more.
func (r *Reader) Retry(by Viewer, conversationID, id string, requestHash []byte) (Message, error) {
	return one[Message](r, `SELECT `+messageColumns+` FROM message x
		WHERE x.id = ?1 AND x.sender_id = ?2 AND x.conversation_id = ?3 AND x.request_hash = ?4 AND `+
		visibleConversation("x.conversation_id", "?2"), id, by.UserID, conversationID, requestHash)
}

// Send adds m, a text message, to its conversation. It sets Type, CreatedAt, and
// ID if that is "". It returns ErrNoRow if the sender is not a member, or the
// conversation is hidden from them, and ErrTaken if the id is in use. It changes
// the same few rows whatever the size of the conversation.
func (tx *Tx) Send(m *Message, requestHash []byte) error {
	m.ID, m.CreatedAt, m.Type = cmp.Or(m.ID, NewTimeID(tx.Now)), tx.Now, "text"
	if err := tx.exec1(`UPDATE member SET seen_count = seen_count + 1 WHERE conversation_id = ? AND user_id = ? AND hidden = 0`,
		m.ConversationID, m.SenderID); err != nil {
		return err
	}
	if err := tx.exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type, via_secretary,
			reply_to_id, agent_id, agent_name, request_hash, attachments, transcribe_until)
		VALUES (?, ?, ?, ?, ?, 'text', ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), ?, nullif(?, ''), nullif(?, 0))`,
		m.ConversationID, m.CreatedAt, m.ID, m.SenderID, m.Content, m.ViaSecretary,
		m.ReplyToID, m.AgentID, m.AgentName, requestHash, m.Attachments, m.TranscribeUntil); err != nil {
		return err
	}
	if err := tx.attach(m); err != nil {
		return err
	}
	if err := tx.setMentions(m); err != nil {
		return err
	}
	if err := tx.exec(`UPDATE conversation SET live_count = live_count + 1, last_message_at = ?2, updated_at = ?2,
			recent = CASE WHEN type = 'direct' OR substr(recent, 1, 36) = ?3 THEN recent
				ELSE substr(?3 || replace(recent, ?3, ''), 1, length(recent)) END WHERE id = ?1`, m.ConversationID, tx.Now, m.SenderID); err != nil {
		return err
	}
	return tx.queueDeliveries(m)
}

// EditMessage changes the content of a message to a text, and its mentions. It returns
// ErrNoRow if the message is deleted.
func (tx *Tx) EditMessage(m *Message, to string) error {
	m.Content, m.EditedAt = to, tx.Now
	if err := tx.exec1(`UPDATE message SET content = ?3, edited_at = ?4 WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL`,
		m.ConversationID, m.CreatedAt, m.Content, tx.Now); err != nil {
		return err
	}
	return tx.setMentions(m)
}

// DeleteMessage clears the content of a message, its reactions, its mentions and
// what #tags captured of it, and leaves its row. Of many reactions PruneReactions
// deletes the rest, which nobody is shown. Those who had seen the message have then
// seen one less. It returns ErrNoRow if it is deleted, and for a card.
func (tx *Tx) DeleteMessage(m *Message) error {
	if err := tx.exec1(`UPDATE message SET content = '', card_payload = NULL, request_hash = NULL, attachments = NULL,
		transcript = NULL, transcribe_until = NULL, deleted_at = ?3
		WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL AND message_type = 'text'`,
		m.ConversationID, m.CreatedAt, tx.Now); err != nil {
		return err
	}
	m.Content = ""
	for _, step := range []func(*Message) error{tx.detachAll, tx.setMentions, tx.clearReactions, tx.deleteCapture} {
		if err := step(m); err != nil {
			return err
		}
	}
	m.CardPayload, m.Attachments, m.Transcript, m.DeletedAt = "", "", "", tx.Now
	if err := tx.exec1(`UPDATE conversation SET live_count = live_count - 1, updated_at = ?2 WHERE id = ?1`, m.ConversationID,
		tx.Now); err != nil {
		return err
	}
	return tx.exec(`UPDATE member SET seen_count = seen_count - 1 WHERE conversation_id = ?1 AND (user_id = ?2 OR last_read_at >= ?3)`,
		m.ConversationID, m.SenderID, m.CreatedAt)
}

// liveMessage is the condition that a message is not deleted.
func liveMessage(message string) string { return message + `.deleted_at IS NULL` }
