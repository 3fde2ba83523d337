package store_test

import (
	"errors"
	"fmt"
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
	t.Parallel()
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

// What a part compares at most is the words that texts become, of which one character
// can have several; the next parts compare the rest.
func TestSearchOfTextsThatBecomeLong(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, 1100} {
		w := newWordsWorld(t)
		var want []string
		for i := range 12 {
			want = append(want, fmt.Sprintf("needle %d %s", i, strings.Repeat("ﷺ", 19_000)))
		}
		w.send(w.ada, w.adas, append(slices.Repeat([]string{"x"}, others), want...)...)
		slices.Reverse(want)
		for _, limit := range []int{3, 100} {
			if got, pages := w.search(w.ada, words("needle"), limit); pages < 6 || !slices.Equal(got, want) {
				t.Errorf("beside %d others by %d: %d found on %d pages", others, limit, len(got), pages)
			}
		}
		q := words("hay")
		if others > 0 {
			q = words("needle")
			q.Terms = append(q.Terms, store.Term{Words: " الله سلم ", Phrase: true})
		}
		if got, pages := w.search(w.ada, q, 10); pages < 6 || got != nil {
			t.Errorf("beside %d others of other words %d found on %d pages", others, len(got), pages)
		}
	}
}

// A search that cannot read a message fails, and does not return what it read before as
// if it was all, whether it compares every message or those that the index gives.
func TestSearchThatCannotReadAMessage(t *testing.T) {
	t.Parallel()
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

// A part of a search begins at its first moment and ends before its last, also in a
// conversation whose documents have the lowest ids of their moments, and whether the
// messages are in the index or not yet.
func TestSearchBetweenMoments(t *testing.T) {
	t.Parallel()
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
