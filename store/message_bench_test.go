package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// plainColumns read a message without packing; see messageColumns.
const plainColumns = `x.created_at, x.id, x.sender_id, x.content, x.message_type, coalesce(x.card_kind, ''), coalesce(x.card_payload, ''), x.via_secretary,
	coalesce(x.reply_to_id, ''), coalesce(x.agent_id, ''), coalesce(x.agent_name, ''), x.edited_at, x.deleted_at`

func scanPlain(s scanner) (m Message, err error) {
	err = s.Scan(&m.CreatedAt, &m.ID, &m.SenderID, &m.Content, &m.Type, &m.CardKind, &m.CardPayload, &m.ViaSecretary,
		&m.ReplyToID, &m.AgentID, &m.AgentName, &m.EditedAt, &m.DeletedAt)
	return m, err
}

// BenchmarkMessageColumns reads a page of 50 messages with a column for each
// field, in turn with messageColumns. "ratio" is the time of the first by that
// of the second.
func BenchmarkMessageColumns(b *testing.B) {
	db, err := Open(context.Background(), filepath.Join(b.TempDir(), "hearth.db"), Options{Schema: readText(b, "../schema.sql")})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var by Viewer
	var id string
	err = db.Write(context.Background(), func(tx *Tx) error {
		u, err := tx.InsertUser(User{Email: "ada@example.org", Name: "Ada", SignupProvider: "magic-link"})
		if err != nil {
			return err
		}
		by = Viewer{Kind: Human, UserID: u.ID}
		id, err = tx.InsertGroup(u.ID, nil, "Bench")
		for range 100 {
			tx.Now = tx.Tick()
			if err == nil {
				err = tx.Send(&Message{ConversationID: id, SenderID: u.ID, Content: "Does anyone have spare tomato seedlings? Mine were eaten by snails again, all but one."}, nil)
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	var took [2]time.Duration
	err = db.Read(context.Background(), func(r *Reader) error {
		for n := range 2 * b.N {
			start := time.Now()
			var got []Message
			var err error
			if n%2 == 0 {
				got, err = all(r, scanPlain, `SELECT `+plainColumns+` FROM message x WHERE x.conversation_id = ?1 AND x.created_at < ?2 AND `+
					visibleConversation("?1", "?3")+` ORDER BY x.created_at DESC LIMIT ?4`, id, orEnd(0), by.UserID, 50)
			} else {
				got, err = r.Messages(by, id, 0, 50)
			}
			if err != nil || len(got) != 50 {
				b.Fatalf("%d messages, %v", len(got), err)
			}
			took[n%2] += time.Since(start)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "ratio")
	b.ReportMetric(float64(took[1].Microseconds())/float64(b.N), "packed-us")
}
