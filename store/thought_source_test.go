package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// An edit of a message makes its capture follow it, and captures the message only if it
// had no tags before: not again what its sender has deleted.
func TestRecapture(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	by := storetest.Human(p.Ada)
	tags := &store.Capture{Kind: "fact", Status: "none", Tags: []string{"tag"}}
	for _, c := range []struct {
		captured, hadTags bool
		now               *store.Capture
		want              string
	}{
		{true, true, tags, "[tag]"},
		{true, true, nil, "[old]"}, // it stays, for others have seen it
		{true, false, tags, "[tag]"},
		{false, true, tags, ""}, // its sender has deleted it
		{false, true, nil, ""},
		{false, false, tags, "[tag]"},
		{false, false, nil, ""},
	} {
		write(t, db, func(tx *store.Tx) error {
			id, err := tx.InsertGroup(p.Ada.ID, nil, "")
			if err != nil {
				return err
			}
			m := store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "before"}
			if err := tx.Send(&m, nil); err != nil {
				return err
			}
			if c.captured {
				if err := tx.Capture(&m, &store.Capture{Kind: "fact", Status: "none", Tags: []string{"old"}}); err != nil {
					return err
				}
			}
			m.Content = "after"
			if err := tx.Recapture(&m, c.hadTags, c.now); err != nil {
				return err
			}
			all, err := tx.Thoughts(by, store.ThoughtFilter{}, 9)
			got := ""
			for _, h := range all {
				if h.SourceMessageID == m.ID {
					got += fmt.Sprint(h.Tags)
					if h.Text != "after" {
						t.Errorf("%+v: its text is %q", c, h.Text)
					}
				}
			}
			if got != c.want || err != nil {
				t.Errorf("%+v: captured with %q, %v", c, got, err)
			}
			return nil
		})
	}
}

// What a thought was captured from is told to those who see it now: the message until
// it is deleted, and both while they see the conversation.
func TestSourcesOfThoughts(t *testing.T) {
	db := storetest.OpenEmpty(t)
	p := storetest.People(t, db)
	by := storetest.Human(p.Ada)
	write(t, db, func(tx *store.Tx) error {
		id, err := tx.InsertGroup(p.Ben.ID, []string{p.Ada.ID}, "")
		if err != nil {
			return err
		}
		m := store.Message{ConversationID: id, SenderID: p.Ben.ID, Content: "x"}
		if err := tx.Send(&m, nil); err != nil {
			return err
		}
		h := store.Thought{UserID: p.Ada.ID, Text: "x", Kind: "fact", Status: "none", SourceMessageID: m.ID, SourceConversationID: id}
		if err := tx.InsertThought(&h); err != nil {
			return err
		}
		for _, step := range []struct{ change, message, conversation string }{
			{`UPDATE member SET hidden = 1 WHERE user_id = ?2 AND conversation_id = ?1`, "", ""},
			{`UPDATE member SET hidden = 0 WHERE user_id = ?2 AND conversation_id = ?1`, m.ID, id},
			{`UPDATE message SET deleted_at = 1, content = '' WHERE conversation_id = ?1 AND sender_id <> ?2`, "", id},
			{`UPDATE message SET deleted_at = NULL, content = 'x' WHERE conversation_id = ?1 AND sender_id <> ?2`, m.ID, id},
		} {
			if _, err := tx.ExecForTest(step.change, id, p.Ada.ID); err != nil {
				return err
			}
			got, err := tx.Thought(by, h.ID)
			if err != nil || !got.FromMessage || got.SourceMessageID != step.message || got.SourceConversationID != step.conversation {
				t.Errorf("%s: from %q in %q, %v", step.change, got.SourceMessageID, got.SourceConversationID, err)
			}
		}
		return nil
	})
}
