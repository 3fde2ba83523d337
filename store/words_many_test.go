package store_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// The words of many messages that are deleted at once leave the index, and the setting that
// overwrites single ones is on again, although the server stopped meanwhile.
func TestManyWordsLeaveTheIndex(t *testing.T) {
	db := storetest.Open(t)
	people := storetest.People(t, db)
	write(t, db, func(tx *store.Tx) error {
		id, err := tx.InsertGroup(people.Ada.ID, []string{people.Ben.ID}, "Group")
		for i := 0; i < 3000 && err == nil; i++ {
			tx.Now = tx.Tick()
			sender := []string{people.Ada.ID, people.Ben.ID}[i%2]
			word := []string{"qzplanted", "hedgehog"}[i%2]
			err = tx.Send(&store.Message{ConversationID: id, SenderID: sender, Content: word, Type: "text"}, nil)
		}
		return err
	})
	indexed := func() bool { return len(column(t, db, `SELECT id FROM word_queue LIMIT 1`)) == 0 }
	overwrites := func() bool {
		return slices.Equal(column(t, db, `SELECT v FROM message_word_config WHERE k = 'secure-delete'`), []string{"1"})
	}
	keepWords(t, db, indexed)
	if n := column(t, db, `SELECT count(*) FROM message_word('qzplanted')`); n[0] != "1500" {
		t.Fatalf("%s of 1,500 messages are indexed", n)
	}
	write(t, db, func(tx *store.Tx) error { _, err := tx.EraseUser(people.Ada.ID); return err })
	keepWords(t, db, func() bool { return !overwrites() }) // and stop
	keepWords(t, db, func() bool { return indexed() && overwrites() })
	if left := column(t, db, `SELECT id FROM message_word_data WHERE instr(block, CAST('zplanted' AS BLOB))`); len(left) > 0 {
		t.Errorf("the deleted words are left in blocks %q of the index", left)
	}
	if n := column(t, db, `SELECT count(*) FROM message_word('hedgehog')`); n[0] != "1500" {
		t.Errorf("of 1,500 other messages %s are left", n)
	}
}

// keepWords runs KeepWords until done.
func keepWords(t *testing.T, db *storetest.DB, done func() bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); db.KeepWords(ctx, slog.New(slog.DiscardHandler)) }()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the words are not indexed")
			break
		}
	}
	stop()
	<-ended
}
