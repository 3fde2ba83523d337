package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// aWebhook is a webhook of an account.
func aWebhook(id, owner string) string {
	return fmt.Sprintf(`INSERT INTO webhook (id, user_id, url, secret, token, created_at) VALUES ('%s', '%s', '', '', '', 0)`, id, owner)
}

// aDelivery is one of a webhook of a message of a conversation, or of a test if that is
// "": it waits until next, or has ended if that is 0.
func aDelivery(webhook string, at int, conversation string, next int64) string {
	message := ""
	if conversation != "" {
		message = "m"
	}
	if next == 0 {
		return fmt.Sprintf(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, outcome, done_at, attempts)
			VALUES ('%s', %d, '%s', '%s', 'delivered', 1, 1)`, webhook, at, conversation, message)
	}
	return fmt.Sprintf(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) VALUES ('%s', %d, '%s', '%s', %d)`,
		webhook, at, conversation, message, next)
}

// deliveries returns the deliveries of one of ada's webhooks, the newest first: when, and
// until when they wait or how they ended.
func deliveries(tx *store.Tx, webhook string) string {
	ds, err := tx.Deliveries(human("ada"), webhook, 0, 100)
	return inOrder(ds, err, func(d store.Delivery) string {
		if d.NextAt == 0 {
			return fmt.Sprint(int64(d.At), d.Outcome)
		}
		return fmt.Sprint(int64(d.At), ":", int64(d.NextAt))
	})
}

// The result of an attempt is stored if its delivery still waits: a delivery that was
// skipped in the meantime stays skipped. The queues that wait are known.
func TestResultsOfAttempts(t *testing.T) {
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 99), aDelivery("w1", 11, "d", 99), aDelivery("w1", 12, "c", 0), aDelivery("w1", 13, "d", 99),
		aDelivery("w2", 10, "c", 99), aDelivery("w2", 11, "", 98), aDelivery("w2", 12, "e", 0),
		`UPDATE delivery SET outcome = 'skipped' WHERE done_at > 0`,
	}, func(tx *store.Tx) error {
		queues := func(want string) {
			t.Helper()
			qs, err := tx.WaitingQueues()
			name := func(q store.WaitingQueue) string { return q.ReceiverID + q.ConversationID + fmt.Sprint(int64(q.Due)) }
			if got := inOrder(qs, err, name); got != want {
				t.Errorf("the queues %q wait, want %q", got, want)
			}
		}
		queues("w298 w1c99 w1d99 w2c99")
		for _, a := range []store.Delivery{
			{WebhookID: "w1", At: 10, Attempts: 1, Status: 200, Outcome: "delivered"},
			{WebhookID: "w1", At: 11, Attempts: 1, NextAt: 120, Status: 500, Error: "e"},
			{WebhookID: "w1", At: 12, Attempts: 1, Status: 200, Outcome: "delivered"},
			{WebhookID: "w2", At: 11, Attempts: 1, Outcome: "failed", Error: "e"},
		} {
			if err := tx.RecordAttempt(a); err != nil {
				return err
			}
		}
		queues("w2c99 w1d120")
		for webhook, want := range map[string]string{"w1": "13:99 12skipped 11:120 10delivered", "w2": "12skipped 11failed 10:99"} {
			if got := deliveries(tx, webhook); got != want {
				t.Errorf("%s: %q, want %q", webhook, got, want)
			}
		}
		return nil
	})
}

// Failures are counted for one webhook: since when, and how many deliveries were given
// up. The next delivery is that of its queue which waits longest.
func TestFailuresOfOneWebhook(t *testing.T) {
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"), `UPDATE webhook SET failing_since = 7, failures = 3 WHERE id = 'w2'`,
		aDelivery("w1", 9, "c", 0), aDelivery("w1", 12, "c", 99), aDelivery("w1", 11, "c", 99), aDelivery("w1", 10, "d", 99),
		aDelivery("w2", 8, "c", 99), aDelivery("w2", 9, "e", 0),
	}, func(tx *store.Tx) error {
		first := tx.Now
		for i, c := range []struct{ givenUp, want int }{{0, 0}, {1, 1}, {0, 1}, {2, 3}} {
			since, failures, err := tx.WebhookFails("w1", c.givenUp)
			if since != first || failures != c.want || err != nil {
				t.Errorf("step %d: %d failures since %v, want %d, %v", i, failures, since, c.want, err)
			}
			tx.Now = tx.Tick()
		}
		if since, failures, err := tx.WebhookFails("w2", 0); since != 7 || failures != 3 || err != nil {
			t.Errorf("another: %d failures since %v, %v", failures, since, err)
		}
		if err := tx.WebhookWorks("w1"); err != nil {
			return err
		}
		rowsAre(t, tx, "(SELECT id, failing_since, failures FROM webhook)", `('w1', NULL, 0), ('w2', 7, 3)`)
		for q, want := range map[store.Queue]store.Time{{ReceiverID: "w1", ConversationID: "c"}: 11, {ReceiverID: "w1", ConversationID: "d"}: 10,
			{ReceiverID: "w2", ConversationID: "c"}: 8, {ReceiverID: "w2", ConversationID: "e"}: 0, {ReceiverID: "w1"}: 0} {
			d, err := tx.NextDelivery(q)
			if d.At != want || missing(err) != nil || want > 0 && (d.WebhookID != q.ReceiverID || d.Webhook.ID != q.ReceiverID || !d.OwnerActive) {
				t.Errorf("%v: %+v, %v", q, d, err)
			}
		}
		return nil
	})
}

// webhooked makes a group of Ada, Ben and a bot of Ada's, with webhooks of the three.
func webhooked(t *testing.T, db *storetest.DB, p storetest.Cast) (group string, bot store.User) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		if bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID,
			SignupProvider: "test"}); err != nil {
			return err
		}
		group, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, bot.ID}, "")
		return err
	})
	write(t, db, func(tx *store.Tx) error {
		for _, w := range []store.Webhook{{ID: "of ada", UserID: p.Ada.ID, ConversationID: group}, {ID: "of ben", UserID: p.Ben.ID},
			{ID: "of bot", UserID: bot.ID}} {
			if _, err := tx.InsertWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
	return group, bot
}

// Messages that are sent together are delivered once each, to the webhooks of their
// conversation and of all conversations of an account. A message by an agent is not
// delivered to the account that owns its key, or to the bot of its key. The function
// of OnDeliveries is called.
func TestQueuedDeliveries(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	group, bot := webhooked(t, db, p)
	told := 0
	db.OnDeliveries(func() { told++ })
	all := map[string]int{}
	for _, c := range []struct {
		what, sender, agent string
		messages            int
		to                  []string
	}{
		{"two messages of a person", p.Ben.ID, "", 2, []string{"of ada", "of ben", "of bot"}},
		{"a message of the owner", p.Ada.ID, "", 1, []string{"of ada", "of ben", "of bot"}},
		{"a message of an agent of the owner", p.Ada.ID, "key", 1, []string{"of ben", "of bot"}},
		{"a message of a bot of the owner", bot.ID, "key", 1, []string{"of ben"}},
		{"a message of an agent of another", p.Ben.ID, "key", 1, []string{"of ada", "of bot"}},
	} {
		told = 0
		write(t, db, func(tx *store.Tx) error {
			for range c.messages {
				m := store.Message{ConversationID: group, SenderID: c.sender, Content: "x", AgentID: c.agent}
				tx.Now = tx.Tick()
				if err := tx.Send(&m, nil); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range c.to {
			all[w] += c.messages
		}
		for owner, w := range map[string]string{p.Ada.ID: "of ada", p.Ben.ID: "of ben", bot.ID: "of bot"} {
			if err := db.Read(t.Context(), func(r *store.Reader) error {
				ds, err := r.Deliveries(store.Viewer{UserID: owner}, w, 0, 100)
				if len(ds) != all[w] {
					t.Errorf("%s: %d deliveries to the webhook %s, want %d", c.what, len(ds), w, all[w])
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		}
		if told == 0 {
			t.Errorf("%s: no call", c.what)
		}
	}
}

// Deliveries that have ended and are not among the newest of their webhook are deleted.
func TestTrimDeliveries(t *testing.T) {
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 0), aDelivery("w1", 11, "c", 99), aDelivery("w1", 12, "c", 0), aDelivery("w1", 13, "c", 0),
		aDelivery("w2", 10, "c", 0),
	}, func(tx *store.Tx) error {
		if n, err := tx.TrimDeliveries(1, 100); n != 2 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		for webhook, want := range map[string]string{"w1": "13delivered 11:99", "w2": "10delivered"} {
			if got := deliveries(tx, webhook); got != want {
				t.Errorf("%s: %q, want %q", webhook, got, want)
			}
		}
		return nil
	})
}
