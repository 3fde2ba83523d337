package store_test

import (
	"slices"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A message is no longer captured when an edit leaves only its files, until it has text
// with a #tag again.
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
