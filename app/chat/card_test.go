package chat_test

import (
	"cmp"
	"database/sql"
	"testing"

	"hearth/app/chat"
	"hearth/app/core"
	"hearth/store"
)

// A card is created by the server in a person's name. All its members are in the
// response, and it cannot be edited or deleted.
func TestCards(t *testing.T) {
	w := newWorld(t)
	c := w.direct(w.Ada, w.Ben)
	first := w.send(w.Ada, c.ID, "before")
	id := store.NewID()
	w.sql(`UPDATE conversation SET live_count = 2, last_message_at = ?1 WHERE id = ?2`, int64(first.CreatedAt)+1, c.ID)
	w.sql(`UPDATE member SET seen_count = 2 WHERE conversation_id = ?1 AND user_id = ?2`, c.ID, w.Ada.ID)
	w.sql(`INSERT INTO message (conversation_id, created_at, id, sender_id, content, message_type, card_kind, card_payload, via_secretary)
		VALUES (?, ?, ?, ?, 'A match', 'card', 'match_context', '{"matchId":"m"}', 1)`, c.ID, int64(first.CreatedAt)+1, id, w.Ada.ID)

	m := w.page(w.Ben, chat.ListMessagesIn{ConversationID: c.ID}).Messages[1]
	if m.MessageType != "card" || *m.CardKind != "match_context" || *m.CardPayload != `{"matchId":"m"}` || !m.ViaSecretary ||
		m.Content != "A match" {
		t.Errorf("got %+v", m)
	}
	if got := w.conversation(w.Ben, c.ID); got.LastMessage.MessageType != "card" || got.LastMessagePreview != "A match" ||
		got.UnreadCount != 2 {
		t.Errorf("got %+v", got)
	}
	_, err := w.s.EditMessage.Call(w.ctx, as(w.Ada), chat.EditMessageIn{ID: id, Content: new("Another match")})
	w.refuse(err, core.Forbidden, "not_your_message")
	_, err = w.s.DeleteMessage.Call(w.ctx, as(w.Ada), chat.DeleteMessageIn{ID: id})
	w.refuse(err, core.Forbidden, "not_your_message")
	w.refuse(w.db.Write(w.ctx, func(tx *store.Tx) error {
		row, err := tx.Message(as(w.Ada), id)
		return cmp.Or(err, chat.Redact(tx, &row))
	}), core.Conflict, "card")
}

// sql changes rows as another process would: no operation creates cards yet.
func (w *world) sql(query string, args ...any) {
	w.Helper()
	db, err := sql.Open("sqlite", "file:"+w.db.Path()+"?_busy_timeout=5000&_foreign_keys=on&_txlock=immediate")
	w.ok(err)
	defer db.Close()
	_, err = db.Exec(query, args...)
	w.ok(err)
}
