package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// A voice note is read with its own file, whatever was sent in its conversation, or at
// the same time in another conversation.
func TestVoiceNotesWithTheirFiles(t *testing.T) {
	undo := errors.New("undo")
	db := storetest.OpenEmpty(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, query := range []string{
			`PRAGMA defer_foreign_keys = ON`,
			`INSERT INTO blob (id, size, created_at) VALUES (1, 1, 0)`,
			`INSERT INTO attachment (id, user_id, blob_id, name, mime_type, size, created_at)
				SELECT 'file of ' || value, 'u', 1, '', '', 1, 0 FROM json_each('["a1", "a2", "b1", "b2", "c1"]')`,
			`INSERT INTO message (conversation_id, created_at, id, sender_id, content, transcribe_until)
				SELECT substr(value, 1, 1), substr(value, 2), value, 'u', '', iif(value LIKE '%1', unicode(value), NULL)
				FROM json_each('["a1", "a2", "b1", "b2", "c1"]')`,
			`INSERT INTO message_attachment SELECT 'file of ' || id, conversation_id, created_at FROM message`,
		} {
			if _, err := tx.ExecForTest(query); err != nil {
				return err
			}
		}
		all, err := tx.VoiceNotes(99)
		got, err := texts(all, err, func(v store.VoiceNote) string {
			return fmt.Sprintf("%s until %d: %s", v.MessageID, v.Until, v.Attachment.ID)
		})
		if text := strings.Join(got, ", "); text != "a1 until 97: file of a1, b1 until 98: file of b1, c1 until 99: file of c1" || err != nil {
			t.Errorf("%s, %v", text, err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A transcript becomes that of one message, whose deliveries that wait for it are due
// then; others are as they were, be they of other messages, due already or done.
func TestTranscriptOfOneMessage(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	by := storetest.Human(p.Ada)
	until := db.Now() + store.Time(time.Hour/time.Microsecond)
	notes, hooks := sendNotes(t, db, p, until)
	db.Clock.Advance(time.Minute)
	write(t, db, func(tx *store.Tx) error {
		if got := dueText(tx, by, hooks, until); got != "waits waits waits waits " {
			t.Errorf("before: %s", got)
		}
		if _, err := tx.ExecForTest(`UPDATE delivery SET next_at = 5 WHERE message_id = ?`, notes[2].ID); err != nil {
			return err
		}
		for i, want := range []string{"at 5 waits due waits ", "at 5 delivered due waits ", "at 5 delivered due waits ",
			"at 5 delivered due due "} {
			if i == 1 {
				if _, err := tx.ExecForTest(`UPDATE delivery SET next_at = NULL, outcome = 'delivered', done_at = 1 WHERE message_id = ?`,
					notes[i].ID); err != nil {
					return err
				}
			}
			if id, err := tx.SetTranscript(notes[i].ID, fmt.Sprint("text ", i)); err != nil || id != notes[i].ConversationID {
				t.Errorf("%d: %s, %v", i, id, err)
			}
			if got := dueText(tx, by, hooks, until); got != want {
				t.Errorf("after the transcript of %d: %q, want %q", i, got, want)
			}
			for k, n := range notes {
				m, err := tx.Message(by, n.ID)
				if k > i && m.Transcript != "" || k <= i && m.Transcript != fmt.Sprint("text ", k) || err != nil {
					t.Errorf("%d, after %d: %q, %v", k, i, m.Transcript, err)
				}
			}
			waiting, err := tx.TextForTest(`SELECT '' || count(*) FROM message WHERE transcribe_until = ?`, int64(until))
			if waiting != fmt.Sprint(len(notes)-i-1) || err != nil {
				t.Errorf("after %d: %s wait, %v", i, waiting, err)
			}
			if _, err := tx.SetTranscript(notes[i].ID, "again"); !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%d again: %v", i, err)
			}
		}
		return nil
	})
}

// sendNotes makes two groups with a webhook, sends three messages to the first and one
// to the second, whose transcripts are awaited, and returns messages and webhooks.
func sendNotes(t *testing.T, db *storetest.DB, p storetest.Cast, until store.Time) (notes [4]store.Message, hooks [2]store.Webhook) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		for i := range hooks {
			id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "")
			if err != nil {
				return err
			}
			if hooks[i], err = tx.InsertWebhook(store.Webhook{UserID: p.Ada.ID, ConversationID: id, URL: "https://x.example/", Secret: "s",
				Token: "t"}); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range notes {
		write(t, db, func(tx *store.Tx) error {
			notes[i] = store.Message{ConversationID: hooks[i/3].ConversationID, SenderID: p.Ben.ID, TranscribeUntil: until}
			return tx.Send(&notes[i], nil)
		})
	}
	return notes, hooks
}

// dueText tells of each delivery, the newest of each webhook first, when it is due, or
// its outcome.
func dueText(tx *store.Tx, by store.Viewer, hooks [2]store.Webhook, until store.Time) (out string) {
	for _, h := range hooks {
		all, err := tx.Deliveries(by, h.ID, 0, 9)
		if err != nil {
			return err.Error()
		}
		for _, d := range all {
			switch {
			case d.NextAt == until:
				out += "waits "
			case d.NextAt == tx.Reader.Now():
				out += "due "
			case d.NextAt > 0:
				out += fmt.Sprintf("at %d ", d.NextAt)
			default:
				out += d.Outcome + " "
			}
		}
	}
	return out
}
