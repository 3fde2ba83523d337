package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"hearth/store"
)

// A part of a search begins at its first moment and ends before its last, also in a
// conversation whose documents have the lowest ids of their moments, and whether the
// messages are in the index or not yet.
func TestSearchBetweenMoments(t *testing.T) {
	w := newWordsWorld(t)
	id := ""
	for lowest := int64(1); lowest != 0; {
		id = store.NewID()
		document, _ := store.Document(&store.Message{ConversationID: id})
		lowest = document & (1<<12 - 1)
	}
	w.write(func(tx *store.Tx) error {
		_, err1 := tx.ExecForTest(`PRAGMA defer_foreign_keys = ON`)
		_, err2 := tx.ExecForTest(`UPDATE member SET conversation_id = ?2 WHERE conversation_id = ?1`, w.adas, id)
		_, err3 := tx.ExecForTest(`UPDATE conversation_change SET conversation_id = ?2 WHERE conversation_id = ?1`, w.adas, id)
		_, err4 := tx.ExecForTest(`UPDATE conversation SET id = ?2 WHERE id = ?1`, w.adas, id)
		return errors.Join(err1, err2, err3, err4)
	})
	var sent []store.Message
	send := func(n int) {
		w.write(func(tx *store.Tx) error {
			sent := sent
			for range n {
				tx.Now = tx.Tick()
				m := store.Message{ConversationID: id, SenderID: w.Ada.ID, Content: fmt.Sprint("frequent ", len(sent))}
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
				sent = append(sent, m)
			}
			return nil
		})
		if err := w.db.Read(t.Context(), func(r *store.Reader) error {
			all, err := r.SearchMessages(w.ada, store.Search{Conversations: []string{id}}, n)
			slices.Reverse(all.Messages)
			sent = append(sent, all.Messages...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		send(150)
	}
	for range 4 {
		send(1) // which are not in the index yet
	}
	if len(sent) != 1204 {
		t.Fatalf("%d messages", len(sent))
	}
	for _, c := range []struct{ from, until int }{{1100, 1103}, {1101, 1201}, {1200, 1203}, {1202, 1203}, {1203, 1204}, {1150, 1150}, {1201, 1201}} {
		q := words("frequent")
		if q.From = sent[c.from].CreatedAt; c.until < len(sent) {
			q.Until = sent[c.until].CreatedAt
		}
		var want []string
		for _, m := range slices.Backward(sent[c.from:c.until]) {
			want = append(want, m.Content)
		}
		for _, limit := range []int{1, 2, 1000} {
			if got, _ := w.search(w.ada, q, limit); !slices.Equal(got, want) {
				t.Errorf("from %d until %d by %d: %q, want %q", c.from, c.until, limit, got, want)
			}
		}
	}
}
