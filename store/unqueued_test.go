package store_test

import (
	"errors"
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// hooked makes a group of Ada's with so many webhooks, half of them of all conversations
// of another member.
func hooked(t *testing.T, db *storetest.DB, p storetest.Cast, webhooks int) (group string) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		group, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, p.Cleo.ID}, "")
		return err
	})
	write(t, db, func(tx *store.Tx) error {
		for n := range webhooks {
			w := store.Webhook{ID: fmt.Sprintf("w%03d", n), UserID: p.Ben.ID}
			if n%2 == 0 {
				w.UserID, w.ConversationID = p.Ada.ID, group
			}
			if _, err := tx.InsertWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
	return group
}

// sayAll sends messages of Cleo's to a conversation in one write.
func sayAll(t *testing.T, db *storetest.DB, p storetest.Cast, conversation string, messages int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		for range messages {
			tx.Now = tx.Tick()
			if err := tx.Send(&store.Message{ConversationID: conversation, SenderID: p.Cleo.ID, Content: "x"}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// queueRest adds the deliveries that are left, and returns in how many writes.
func queueRest(t *testing.T, db *storetest.DB) (writes int) {
	t.Helper()
	for ; ; writes++ {
		var u store.Unqueued
		err := db.Read(t.Context(), func(r *store.Reader) (err error) {
			u, err = r.Unqueued("")
			return err
		})
		if errors.Is(err, store.ErrNoRow) {
			return writes
		}
		if err != nil {
			t.Fatal(err)
		}
		before := count(t, db)
		write(t, db, func(tx *store.Tx) error { return tx.QueueRest(u) })
		if n := count(t, db) - before; n > 100 {
			t.Errorf("one write added %d deliveries", n)
		}
	}
}

func count(t *testing.T, db *storetest.DB) (n int) {
	t.Helper()
	write(t, db, func(tx *store.Tx) error {
		text, err := tx.TextForTest(`SELECT '' || count(*) FROM delivery WHERE webhook_id < 'x' AND webhook_id >= 'w'`)
		if err == nil {
			_, err = fmt.Sscan(text, &n)
		}
		return err
	})
	return n
}

// A write adds at most 100 deliveries. The rest are left, also those of later messages of
// the conversation, and are added in as small writes, once each and to all webhooks.
func TestManyDeliveriesAreAddedLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		webhooks, messages, atOnce int
		later                      bool
	}{
		{50, 2, 100, false}, // as many as one write adds
		{50, 3, 100, true},
		{250, 1, 0, true}, // more than 100 of one member
	} {
		db := storetest.Open(t)
		p := storetest.People(t, db)
		group := hooked(t, db, p, c.webhooks)
		told := false
		db.OnDeliveries(func(queues []store.Queue, _ bool) { told = told || len(queues) == 0 })
		sayAll(t, db, p, group, c.messages)
		if n := count(t, db); n != c.atOnce || told != c.later {
			t.Errorf("%+v: %d deliveries at once; told of others: %v", c, n, told)
		}
		if c.later {
			sayAll(t, db, p, group, 1)
			c.messages++
			if n := count(t, db); n != c.atOnce {
				t.Errorf("%+v: a later message was delivered before the rest of earlier ones: %d deliveries", c, n)
			}
		}
		if n := queueRest(t, db); n > c.messages*(c.webhooks/100+1) {
			t.Errorf("%+v: %d writes", c, n)
		}
		sayAll(t, db, p, group, 1) // again at once, if they are few
		c.messages++
		queueRest(t, db)
		write(t, db, func(tx *store.Tx) error {
			got, err := tx.TextForTest(`SELECT count(*) || ' ' || count(DISTINCT webhook_id) || ' ' || count(DISTINCT at) FROM delivery WHERE webhook_id < 'x' AND webhook_id >= 'w'`)
			if want := fmt.Sprint(c.webhooks*c.messages, " ", c.webhooks, " ", c.messages); got != want {
				t.Errorf("%+v: deliveries, webhooks and messages are %s, want %s", c, got, want)
			}
			return err
		})
	}
}

// What is left when a conversation is deleted, a member leaves, or a webhook is disabled,
// deleted, or made only after the message, is not added.
func TestDeliveriesLeftToNobody(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	sayAll(t, db, p, hooked(t, db, p, 120), 1)
	for what, f := range map[string]struct {
		change string
		want   int
	}{
		"nothing":               {`UPDATE webhook SET url = 'x' WHERE id = 'w001'`, 120},
		"a member left":         {`DELETE FROM member WHERE user_id = (SELECT user_id FROM webhook WHERE id = 'w001')`, 60},
		"a member joined later": {`UPDATE member SET joined_at = 1 << 60 WHERE user_id = (SELECT user_id FROM webhook WHERE id = 'w001')`, 60},
		"a webhook was deleted": {`DELETE FROM webhook WHERE id = 'w001'`, 119},
		"one is disabled":       {`UPDATE webhook SET disabled_at = 1, disabled_why = 'owner' WHERE id = 'w002'`, 119},
		"one was made later":    {`UPDATE webhook SET created_at = 1 << 60 WHERE id = 'w002'`, 119},
		"the message is gone":   {`DELETE FROM message WHERE conversation_id = (SELECT conversation_id FROM unqueued)`, 0},
		"it was a card":         {`UPDATE message SET message_type = 'card', card_kind = 'match_context', card_payload = '{}' WHERE conversation_id = (SELECT conversation_id FROM unqueued)`, 0},
		"the group is deleted":  {`DELETE FROM conversation WHERE id = (SELECT conversation_id FROM unqueued)`, 0},
	} {
		t.Run(what, func(t *testing.T) {
			if err := db.Write(t.Context(), func(tx *store.Tx) error {
				if _, err := tx.ExecForTest(f.change); err != nil {
					return err
				}
				for {
					u, err := tx.Unqueued("")
					if err == store.ErrNoRow {
						break
					} else if err == nil {
						err = tx.QueueRest(u)
					}
					if err != nil {
						return err
					}
				}
				got, err := tx.TextForTest(`SELECT '' || count(*) FROM delivery WHERE webhook_id < 'x' AND webhook_id >= 'w'`)
				if got != fmt.Sprint(f.want) {
					t.Errorf("%s deliveries, want %d", got, f.want)
				}
				return errors.Join(err, errUndo)
			}); !errors.Is(err, errUndo) {
				t.Error(err)
			}
		})
	}
}

var errUndo = errors.New("undo")

// A webhook that was deleted or disabled after its deliveries were read gets none.
func TestDeliveriesLeftAreReadBefore(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	sayAll(t, db, p, hooked(t, db, p, 120), 1)
	write(t, db, func(tx *store.Tx) error {
		u, err := tx.Unqueued("")
		if err != nil {
			return err
		}
		if _, err := tx.ExecForTest(`DELETE FROM webhook WHERE id < 'w010' AND id >= 'w'`); err != nil {
			return err
		}
		if _, err := tx.ExecForTest(`UPDATE webhook SET disabled_at = 1, disabled_why = 'owner' WHERE id < 'w020' AND id >= 'w'`); err != nil {
			return err
		}
		return tx.QueueRest(u)
	})
	queueRest(t, db)
	if n := count(t, db); n != 100 {
		t.Errorf("%d deliveries, want 100", n)
	}
}
