package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Message is a message's row.
type Message struct {
	ConversationID string
	CreatedAt      Time // unique in the file
	ID             string
	SenderID       string
	Content        string // "" once deleted
	Type           string // text, card
	CardKind       string
	CardPayload    string // JSON
	ViaSecretary   bool
	ReplyToID      string
	AgentID        string // the key that sent it, "" for a person
	AgentName      string // what it was called then
	EditedAt       Time
	DeletedAt      Time
}

// messageColumns are few because reading a column costs more than storing it,
// and pages are read more than anything else. What every message has comes as
// one text, in which only the last part has no fixed length; what most do not
// have comes as one JSON value, NULL for those without.
const messageColumns = `x.created_at || ' ' || x.id || x.sender_id || x.content,
	CASE WHEN coalesce(x.card_kind, x.reply_to_id, x.agent_id, x.edited_at, x.deleted_at) IS NULL AND x.via_secretary = 0 THEN NULL
	ELSE json_object('cardKind', x.card_kind, 'cardPayload', x.card_payload, 'viaSecretary', x.via_secretary, 'replyToId', x.reply_to_id,
		'agentId', x.agent_id, 'agentName', x.agent_name, 'editedAt', x.edited_at, 'deletedAt', x.deleted_at) END`

// messageText is what messageColumns are scanned into: NULL is empty.
type messageText struct{ main, rest text }

func (t *messageText) dest() []any { return []any{&t.main, &t.rest} }

// rest is the last of messageColumns.
type rest struct {
	CardKind     string `json:"cardKind"`
	CardPayload  string `json:"cardPayload"`
	ViaSecretary int64  `json:"viaSecretary"`
	ReplyToID    string `json:"replyToId"`
	AgentID      string `json:"agentId"`
	AgentName    string `json:"agentName"`
	EditedAt     int64  `json:"editedAt"`
	DeletedAt    int64  `json:"deletedAt"`
}

// unpack sets m from its columns. An outer join may have found no message;
// then there is nothing to set.
func (m *Message) unpack(t messageText) error {
	const id, sender = 36, 72 // where they end behind the time
	if t.main == "" {
		return nil
	}
	at, ids, _ := strings.Cut(string(t.main), " ")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil || len(ids) < sender {
		return fmt.Errorf("store: a message cannot be read from %d bytes", len(t.main))
	}
	m.CreatedAt, m.ID, m.SenderID, m.Content = Time(n), ids[:id], ids[id:sender], ids[sender:]
	var x rest
	if t.rest != "" {
		if err := json.Unmarshal([]byte(t.rest), &x); err != nil {
			return fmt.Errorf("message %s: %w", m.ID, err)
		}
	}
	m.Type, m.CardKind, m.CardPayload, m.ViaSecretary, m.ReplyToID = "text", x.CardKind, x.CardPayload, x.ViaSecretary != 0, x.ReplyToID
	m.AgentID, m.AgentName, m.EditedAt, m.DeletedAt = x.AgentID, x.AgentName, Time(x.EditedAt), Time(x.DeletedAt)
	if x.CardKind != "" {
		m.Type = "card"
	}
	return nil
}

// scanMessage reads a conversation's id and messageColumns.
func scanMessage(s scanner) (m Message, err error) {
	var t messageText
	if err = s.Scan(append([]any{&m.ConversationID}, t.dest()...)...); err == nil {
		err = m.unpack(t)
	}
	return m, err
}

// messages runs a query for up to limit messages of one conversation.
func (r *Reader) messages(conversationID string, limit int, query string, args ...any) ([]Message, error) {
	rows, err := r.c.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var t messageText
	dest := t.dest()
	out := make([]Message, 0, min(limit, 128))
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		m := Message{ConversationID: conversationID}
		if err := m.unpack(t); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, r.c.failed(rows.Err())
}

// Message returns a message that viewer may see; ErrNoRow otherwise.
func (r *Reader) Message(viewer, id string) (Message, error) {
	return one(r, scanMessage, `SELECT x.conversation_id, `+messageColumns+` FROM message x
		WHERE x.id = ?1 AND `+visibleConversation("x.conversation_id", "?2"), id, viewer)
}

// Messages returns up to limit messages of a conversation from before a
// moment (0: the newest), the newest first. ErrNoRow if viewer may not see
// the conversation.
func (r *Reader) Messages(viewer, conversationID string, before Time, limit int) ([]Message, error) {
	ms, err := r.messages(conversationID, limit, `SELECT `+messageColumns+` FROM message x
		WHERE x.conversation_id = ?1 AND x.created_at < ?2 AND `+visibleConversation("?1", "?3")+`
		ORDER BY x.created_at DESC LIMIT ?4`, conversationID, orEnd(before), viewer, limit)
	if err == nil && len(ms) == 0 {
		_, err = r.Member(conversationID, viewer)
	}
	return ms, err
}

// Quote is what a reply shows of the message it answers.
type Quote struct {
	ID, SenderID, SenderName string
	Content                  string // the first 200 characters
}

func scanQuote(s scanner) (q Quote, err error) {
	err = s.Scan(&q.ID, &q.SenderID, &q.SenderName, &q.Content)
	return q, err
}

// Quotes returns the quotes of messages that viewer may see.
func (r *Reader) Quotes(viewer string, ids ...string) ([]Quote, error) {
	return all(r, scanQuote, `SELECT x.id, x.sender_id, u.name, substr(x.content, 1, 200)
		FROM json_each(?1) j JOIN message x ON x.id = j.value JOIN user u ON u.id = x.sender_id
		WHERE `+visibleConversation("x.conversation_id", "?2"), jsonList(ids), viewer)
}

// QuoteIn returns the quote of a message of the conversation; ErrNoRow if it
// is not one of it.
func (r *Reader) QuoteIn(conversationID, id string) (Quote, error) {
	return one(r, scanQuote, `SELECT x.id, x.sender_id, u.name, substr(x.content, 1, 200)
		FROM message x JOIN user u ON u.id = x.sender_id WHERE x.id = ?1 AND x.conversation_id = ?2`, id, conversationID)
}

// Sender is who a message is from.
type Sender struct{ ID, Name, Email string }

// Sender returns the name and address of an account.
func (r *Reader) Sender(userID string) (Sender, error) {
	s := Sender{ID: userID}
	err := r.value([]any{&s.Name, &s.Email}, `SELECT name, email FROM user WHERE id = ?`, userID)
	return s, err
}

// Retry returns the message with the id if it was sent by sender to the
// conversation with the same request hash, or is deleted: what it said is
// then forgotten with its hash. ErrNoRow otherwise.
func (r *Reader) Retry(sender, conversationID, id string, requestHash []byte) (Message, error) {
	return one(r, scanMessage, `SELECT x.conversation_id, `+messageColumns+` FROM message x
		WHERE x.id = ?1 AND x.sender_id = ?2 AND x.conversation_id = ?3 AND (x.request_hash = ?4 OR x.deleted_at IS NOT NULL) AND `+
		visibleConversation("x.conversation_id", "?2"), id, sender, conversationID, requestHash)
}

// Send adds a message by one of the conversation's members and returns who
// they are. ID is made if it is "", CreatedAt is set. ErrNoRow if the sender is
// not a member; ErrTaken if the id is in use. Whatever the size of the
// conversation, it touches the same few rows.
func (tx *Tx) Send(m *Message, requestHash []byte) (Sender, error) {
	m.CreatedAt = tx.Now
	if m.ID == "" {
		m.ID = NewTimeID(tx.Now)
	}
	from := Sender{ID: m.SenderID}
	err := tx.value([]any{&from.Name, &from.Email}, `UPDATE member SET seen_count = seen_count + 1
		WHERE conversation_id = ? AND user_id = ?
		RETURNING (SELECT u.name FROM user u WHERE u.id = user_id), (SELECT u.email FROM user u WHERE u.id = user_id)`,
		m.ConversationID, m.SenderID)
	if err != nil {
		return from, err
	}
	if _, err := tx.exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type, via_secretary,
			reply_to_id, agent_id, agent_name, request_hash)
		VALUES (?, ?, ?, ?, ?, 'text', ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), ?)`,
		m.ConversationID, int64(m.CreatedAt), m.ID, m.SenderID, m.Content, m.ViaSecretary,
		m.ReplyToID, m.AgentID, m.AgentName, requestHash); err != nil {
		return from, err
	}
	_, err = tx.exec(`UPDATE conversation SET live_count = live_count + 1, last_message_at = ?2, updated_at = ?2 WHERE id = ?1`,
		m.ConversationID, int64(tx.Now))
	return from, err
}

// EditMessage changes what a message says. ErrNoRow if it is deleted.
func (tx *Tx) EditMessage(m *Message, content string) error {
	m.Content, m.EditedAt = content, tx.Now
	return tx.exec1(`UPDATE message SET content = ?3, edited_at = ?4 WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL`,
		m.ConversationID, int64(m.CreatedAt), content, int64(tx.Now))
}

// DeleteMessage takes the words out of a message and leaves its place. Whoever
// had seen it has now seen one message less. ErrNoRow if it is deleted already.
func (tx *Tx) DeleteMessage(m *Message) error {
	if err := tx.exec1(`UPDATE message SET content = '', card_payload = NULL, request_hash = NULL, deleted_at = ?3
		WHERE conversation_id = ?1 AND created_at = ?2 AND deleted_at IS NULL`, m.ConversationID, int64(m.CreatedAt), int64(tx.Now)); err != nil {
		return err
	}
	m.Content, m.CardPayload, m.DeletedAt = "", "", tx.Now
	if err := tx.exec1(`UPDATE conversation SET live_count = live_count - 1, updated_at = ?2 WHERE id = ?1`, m.ConversationID, int64(tx.Now)); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE member SET seen_count = seen_count - 1 WHERE conversation_id = ?1 AND (user_id = ?2 OR last_read_at >= ?3)`,
		m.ConversationID, m.SenderID, int64(m.CreatedAt))
	return err
}

// text scans a text in which NULL is the same as empty.
type text string

func (t *text) Scan(src any) error {
	switch v := src.(type) {
	case string:
		*t = text(v)
	case nil:
		*t = ""
	default:
		return fmt.Errorf("store: a text cannot be a %T", src)
	}
	return nil
}
