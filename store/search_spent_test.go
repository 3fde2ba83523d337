package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hearth/store"
)

// Where a search has read so many entries of the index that it has cost as much as to
// compare the messages of the part, these are compared: also if none of what was read
// was of the viewer's conversations. One with words that the index does not have is
// found then.
func TestSearchThatReadsManyForeignEntries(t *testing.T) {
	w := newWordsWorld(t)
	w.send(w.ada, w.adas, append(slices.Repeat([]string{"mine"}, 1100), "frequent")...)
	w.db.Clock.Advance(time.Minute)
	undo := errors.New("undo")
	err := w.db.Write(t.Context(), func(tx *store.Tx) error {
		first, _ := store.Document(&store.Message{ConversationID: w.bens, CreatedAt: tx.Now})
		if _, err := tx.ExecForTest(`WITH n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 9000) INSERT INTO message_word (rowid, words) SELECT ?1 + (n << 12), 'fre freq freque' FROM n`, first); err != nil {
			return err
		}
		if _, err := tx.ExecForTest(`UPDATE message SET content = 'frequent' WHERE created_at = (SELECT max(created_at) FROM message WHERE conversation_id = ?1 AND content = 'mine')`, w.adas); err != nil {
			return err
		}
		part, err := tx.SearchMessages(w.ada, words("frequent"), 10)
		if len(part.Messages) != 2 || err != nil {
			t.Errorf("%d messages, and the next from before %v, %v", len(part.Messages), part.Next, err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}

// A search that cannot read a message fails, and does not return what it read before as
// if it was all, whether it compares every message or those that the index gives.
func TestSearchThatCannotReadAMessage(t *testing.T) {
	enough := errors.New("enough")
	for _, others := range []int{0, 1100} {
		w := newWordsWorld(t)
		w.send(w.ada, w.adas, append(slices.Repeat([]string{"x"}, others), slices.Repeat([]string{strings.Repeat("long ", 1000)}, 10)...)...)
		read := 0
		ctx := store.WithMeter(t.Context(), &store.Meter{Read: func(int) error {
			if read++; read == 1 { // and not of what is read next
				return enough
			}
			return nil
		}})
		if err := w.db.Read(ctx, func(r *store.Reader) error {
			part, err := r.SearchMessages(w.ada, words("long"), 20)
			if !errors.Is(err, enough) {
				t.Errorf("beside %d others: %d messages, %v", others, len(part.Messages), err)
			}
			return err
		}); !errors.Is(err, enough) {
			t.Errorf("beside %d others the read returns %v", others, err)
		}
	}
}
