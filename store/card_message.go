package store

import "cmp"

// SystemUserID is the account that the server's own messages come from. It is
// made with the first of them.
const SystemUserID = "00000000-0000-4000-8000-000000000002"

const systemName = "hearth"

// MessageCard is what a message shows instead of words.
type MessageCard struct {
	ID      string // of the message; "" for a new one
	Kind    string
	Payload string // JSON
}

// SendCard adds a message with a card to a conversation, from the server's own
// account. It is delivered to no webhook.
func (tx *Tx) SendCard(conversationID string, card MessageCard) (m Message, err error) {
	if err := tx.ensureSystemUser(SystemUserID, systemName); err != nil {
		return m, err
	}
	m = Message{
		ConversationID: conversationID, CreatedAt: tx.Now, ID: cmp.Or(card.ID, NewTimeID(tx.Now)), SenderID: SystemUserID,
		Type: "card", CardKind: card.Kind, CardPayload: card.Payload,
	}
	if err := tx.exec(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type, card_kind, card_payload)
		VALUES (?, ?, ?, ?, '', 'card', ?, ?)`, m.ConversationID, m.CreatedAt, m.ID, m.SenderID, m.CardKind, m.CardPayload); err != nil {
		return m, err
	}
	return m, tx.exec1(`UPDATE conversation SET live_count = live_count + 1, last_message_at = ?2, updated_at = ?2 WHERE id = ?1`,
		conversationID, tx.Now)
}
