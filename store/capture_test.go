package store_test

import (
	"slices"
	"strings"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// Of a long message the first 4,000 characters are captured, when it is sent and when
// it is edited.
func TestCaptureLength(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		id, err := tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, "")
		if err != nil {
			return err
		}
		c := &store.Capture{ID: store.NewID(), Kind: "fact", Status: "none", Tags: []string{"tag"}}
		m := store.Message{ConversationID: id, ID: store.NewID(), SenderID: p.Ada.ID, Content: "é" + strings.Repeat("a", 3999) + "beyond"}
		if err := tx.Send(&m, nil); err != nil {
			return err
		}
		if err := tx.Capture(&m, c); err != nil {
			return err
		}
		captured := func(want string) {
			t.Helper()
			got, err := tx.Thought(storetest.Human(p.Ada), c.ID)
			if err != nil || got.Text != want {
				t.Errorf("%d characters, %v", len(got.Text), err)
			}
		}
		captured("é" + strings.Repeat("a", 3999))
		m.Content = strings.Repeat("b", 4001)
		if err := tx.Recapture(&m, true, nil); err != nil {
			return err
		}
		captured(strings.Repeat("b", 4000))
		return nil
	})
}

// What was captured of a message goes when that is deleted; what was captured of others
// stays, and so does what a person noted of it.
func TestCaptureGoesWithItsMessage(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ada, p.Ben)
	sent := []store.Message{say(t, db, store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "#a"}), say(t, db, store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "#b"})}
	write(t, db, func(tx *store.Tx) error {
		for n := range sent {
			m := sent[n] // the write is tried twice
			if err := tx.Capture(&m, &store.Capture{ID: m.Content, Kind: "fact", Status: "none", Tags: []string{"tag"}}); err != nil {
				return err
			}
		}
		return tx.InsertThought(&store.Thought{ID: "noted", UserID: p.Ben.ID, Text: "x", Kind: "fact", Status: "none", SourceMessageID: sent[0].ID, SourceConversationID: id})
	})
	write(t, db, func(tx *store.Tx) error { m := sent[0]; return tx.DeleteMessage(&m) })
	if got := column(t, db, `SELECT id FROM thought WHERE source_conversation_id = ? ORDER BY id`, id); !slices.Equal(got, []string{"#b", "noted"}) {
		t.Errorf("there are %q", got)
	}
}

// A message of which an edit leaves only files is captured no more, until it has text with
// a #tag again.
func TestCaptureOfNoText(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	id := group(t, db, p.Ada, p.Ben)
	m := say(t, db, store.Message{ConversationID: id, SenderID: p.Ada.ID, Content: "#a"})
	tagged := &store.Capture{Kind: "fact", Status: "none", Tags: []string{"a"}}
	write(t, db, func(tx *store.Tx) error { return tx.Capture(&m, tagged) })
	hadTags := true
	for _, c := range []struct {
		content string
		capture *store.Capture
		want    []string
	}{{"b", nil, []string{"b"}}, {"", nil, nil}, {"#c", tagged, []string{"#c"}}, {" \n", nil, nil}} {
		write(t, db, func(tx *store.Tx) error {
			edited := m
			if err := tx.EditMessage(&edited, c.content); err != nil {
				return err
			}
			return tx.Recapture(&edited, hadTags, c.capture)
		})
		m.Content, hadTags = c.content, c.capture != nil
		if got := column(t, db, `SELECT text FROM thought WHERE source_message_id = ?`, m.ID); !slices.Equal(got, c.want) {
			t.Errorf("of %q: %q, want %q", c.content, got, c.want)
		}
	}
}
