package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"hearth/store"
)

// Where a search has read so many entries of the index that it has cost as much as to
// compare the messages of the part, these are compared: also if none of what was read
// was of the viewer's conversations.
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
		part, err := tx.SearchMessages(w.ada, words("frequent"), 10)
		if len(part.Messages) != 1 || err != nil {
			t.Errorf("%d messages, and the next from before %v, %v", len(part.Messages), part.Next, err)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Error(err)
	}
}
