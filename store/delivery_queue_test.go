package store_test

import (
	"fmt"
	"slices"
	"strings"
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
		return fmt.Sprintf(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, outcome, done_at, attempts) VALUES ('%s', %d, '%s', '%s', 'delivered', 1, 1)`, webhook, at, conversation, message)
	}
	return fmt.Sprintf(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) VALUES ('%s', %d, '%s', '%s', %d)`, webhook, at, conversation, message, next)
}

// deliveries returns those of a webhook of ada's, the newest first: when, and until when
// they wait or how they ended.
func deliveries(tx *store.Tx, webhook string) string {
	ds, err := tx.Deliveries(human("ada"), webhook, 0, 100)
	return inOrder(ds, err, func(d store.Delivery) string {
		if d.NextAt == 0 {
			return fmt.Sprint(int64(d.At), d.Outcome)
		}
		return fmt.Sprint(int64(d.At), ":", int64(d.NextAt))
	})
}

// The deliveries to a webhook are shown to its owner alone, those before a moment and the
// newest first; and of each webhook the newest that was attempted.
func TestDeliveriesOfAWebhook(t *testing.T) {
	withRows(t, "ada ben", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"), aWebhook("w3", "ben"), aWebhook("w4", "ada"),
		aDelivery("w1", 11, "c", 0), aDelivery("w1", 13, "c", 0), aDelivery("w1", 12, "c", 0), aDelivery("w1", 14, "c", 99), aDelivery("w2", 10, "c", 0), aDelivery("w2", 9, "c", 0),
		aDelivery("w3", 20, "c", 0), aDelivery("w4", 15, "c", 99),
	}, func(tx *store.Tx) error {
		at := func(d store.Delivery) string { return fmt.Sprint(d.WebhookID, int64(d.At)) }
		for _, c := range []struct {
			by, webhook string
			before      store.Time
			limit       int
			want        string
		}{
			{"ada", "w1", 0, 9, "w114 w113 w112 w111"}, {"ada", "w1", 13, 9, "w112 w111"}, {"ada", "w1", 0, 2, "w114 w113"}, {"ada", "w1", 14, 1, "w113"},
			{"ben", "w1", 0, 9, ""}, {"ada", "w3", 0, 9, ""}, {"ben", "w3", 0, 9, "w320"}, {"", "w1", 0, 9, ""},
		} {
			ds, err := tx.Deliveries(human(c.by), c.webhook, c.before, c.limit)
			if got := inOrder(ds, err, at); got != c.want {
				t.Errorf("%+v: %q", c, got)
			}
		}
		for ids, want := range map[string]string{"w1 w2 w3 w4": "w113 w210", "w2": "w210", "w3": "", "w4": ""} {
			ds, err := tx.LastDeliveries(human("ada"), strings.Fields(ids)...)
			slices.SortFunc(ds, func(a, b store.Delivery) int { return strings.Compare(a.WebhookID, b.WebhookID) })
			if got := inOrder(ds, err, at); got != want {
				t.Errorf("last of %q: %q, want %q", ids, got, want)
			}
		}
		return nil
	})
}

// The results of attempts are those of the deliveries that were attempted, while these
// wait: what was skipped in the meantime stays skipped. The queues that wait are known.
func TestResultsOfAttempts(t *testing.T) {
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 99), aDelivery("w1", 11, "d", 99), aDelivery("w1", 12, "c", 0), aDelivery("w1", 13, "d", 99), aDelivery("w2", 10, "c", 99), aDelivery("w2", 11, "", 98), aDelivery("w2", 12, "e", 0),
		`UPDATE delivery SET outcome = 'skipped' WHERE done_at > 0`,
	}, func(tx *store.Tx) error {
		queues := func(want string) {
			t.Helper()
			qs, err := tx.WaitingQueues()
			if got := inOrder(qs, err, func(q store.WaitingQueue) string { return q.WebhookID + q.ConversationID + fmt.Sprint(int64(q.Due)) }); got != want {
				t.Errorf("the queues %q wait, want %q", got, want)
			}
		}
		queues("w298 w1c99 w1d99 w2c99")
		for _, a := range []store.Attempt{
			{WebhookID: "w1", At: 10, Attempts: 1, Status: 200, Outcome: "delivered"}, {WebhookID: "w1", At: 11, Attempts: 1, NextAt: 120, Status: 500, Error: "e"},
			{WebhookID: "w1", At: 12, Attempts: 1, Status: 200, Outcome: "delivered"}, {WebhookID: "w2", At: 11, Attempts: 1, Outcome: "failed", Error: "e"},
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
		aDelivery("w1", 9, "c", 0), aDelivery("w1", 12, "c", 99), aDelivery("w1", 11, "c", 99), aDelivery("w1", 10, "d", 99), aDelivery("w2", 8, "c", 99), aDelivery("w2", 9, "e", 0),
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
		for q, want := range map[store.Queue]store.Time{{WebhookID: "w1", ConversationID: "c"}: 11, {WebhookID: "w1", ConversationID: "d"}: 10, {WebhookID: "w2", ConversationID: "c"}: 8, {WebhookID: "w2", ConversationID: "e"}: 0, {WebhookID: "w1"}: 0} {
			d, err := tx.NextDelivery(q)
			if d.At != want || missing(err) != nil || want > 0 && (d.WebhookID != q.WebhookID || d.Webhook.ID != q.WebhookID || !d.OwnerActive) {
				t.Errorf("%v: %+v, %v", q, d, err)
			}
		}
		return nil
	})
}

// Of the deliveries to a webhook the newest are kept, and those that still wait; older
// ones are deleted although some of the oldest wait, in steps.
func TestTrimmedDeliveries(t *testing.T) {
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 99), aDelivery("w1", 11, "c", 99), aDelivery("w1", 12, "c", 0), aDelivery("w1", 13, "c", 0), aDelivery("w1", 14, "c", 0), aDelivery("w1", 15, "c", 99), aDelivery("w1", 16, "c", 0),
		aDelivery("w2", 9, "c", 0), aDelivery("w2", 12, "c", 0), aDelivery("w2", 17, "c", 0), aDelivery("w2", 18, "c", 0),
	}, func(tx *store.Tx) error {
		for i, want := range []int64{2, 2, 1, 0} {
			if n, err := tx.TrimDeliveries(2, 2); n != want || err != nil {
				t.Errorf("step %d: %d, want %d, %v", i, n, want, err)
			}
		}
		for webhook, want := range map[string]string{"w1": "16delivered 15:99 11:99 10:99", "w2": "18delivered 17delivered"} {
			if got := deliveries(tx, webhook); got != want {
				t.Errorf("%s: %q, want %q", webhook, got, want)
			}
		}
		return nil
	})
}

// webhooked makes a group of Ada, Ben and a bot of Ada's, with webhooks of the three.
func webhooked(t *testing.T, db *storetest.DB, p storetest.Cast) (group string, bot store.User) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		if bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: p.Ada.ID, SignupProvider: "test"}); err != nil {
			return err
		}
		group, err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID, bot.ID}, "")
		return err
	})
	write(t, db, func(tx *store.Tx) error {
		for _, w := range []store.Webhook{{ID: "of ada", UserID: p.Ada.ID, ConversationID: group}, {ID: "of ben", UserID: p.Ben.ID}, {ID: "of bot", UserID: bot.ID}} {
			if _, err := tx.InsertWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
	return group, bot
}

// Messages that are sent together are delivered once each to the webhooks of their
// conversation and of all conversations of an account, but what an agent sent is not
// delivered to the account that owns its key, or the bot that its key belongs to. The
// function of OnDeliveries is called.
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

// A webhook that is disabled receives nothing, though others of the conversation or of
// all conversations are enabled. One receives what is sent from the very moment on at
// which its owner joined.
func TestDisabledWebhooksReceiveNothing(t *testing.T) {
	db := storetest.Open(t)
	p := storetest.People(t, db)
	ada := storetest.Human(p.Ada)
	var group string
	write(t, db, func(tx *store.Tx) (err error) {
		group, err = tx.InsertGroup(p.Ada.ID, nil, "")
		return err
	})
	write(t, db, func(tx *store.Tx) error {
		for _, id := range []string{"own", "own disabled", "all", "all disabled"} {
			w := store.Webhook{ID: id, UserID: p.Ada.ID}
			if strings.HasPrefix(id, "own") {
				w.ConversationID = group
			}
			if _, err := tx.InsertWebhook(w); err != nil {
				return err
			}
			if strings.HasSuffix(id, "disabled") {
				if _, err := tx.DisableWebhook(id, "owner"); err != nil {
					return err
				}
			}
		}
		return nil
	})
	send := func(conversation string) func(tx *store.Tx) error {
		return func(tx *store.Tx) (err error) {
			m := store.Message{ConversationID: conversation, SenderID: p.Ada.ID, Content: "x"}
			if conversation == "" {
				m.ConversationID, err = tx.InsertGroup(p.Ada.ID, nil, "")
			}
			if err == nil {
				err = tx.Send(&m, nil)
			}
			return err
		}
	}
	write(t, db, send(group))
	write(t, db, send("")) // of the moment at which she joined
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for id, want := range map[string]int{"own": 1, "own disabled": 0, "all": 2, "all disabled": 0} {
			if ds, err := r.Deliveries(ada, id, 0, 9); len(ds) != want || err != nil {
				t.Errorf("%s: %d deliveries, want %d, %v", id, len(ds), want, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// The owner of a webhook is active unless they are suspended, or, for
// a bot, its owner is.
func TestActiveOwnersOfWebhooks(t *testing.T) {
	t.Parallel()
	const suspend = `UPDATE user SET suspended_at = 1 WHERE id = '%s'`
	for _, tc := range []struct {
		change, who string
		active      string // the webhooks whose owner is
	}{
		{"", "", "ada ben bot"}, {suspend, "ada", "ben"}, {suspend, "bot", "ada ben"}, {suspend, "ben", "ada bot"},
	} {
		rows := []string{`UPDATE user SET is_bot = 1, bot_owner_id = 'ada' WHERE id = 'bot'`}
		for _, who := range []string{"ada", "ben", "bot"} {
			rows = append(rows, aWebhook(who, who), aDelivery(who, 1, "c", 99))
		}
		if tc.change != "" {
			rows = append(rows, fmt.Sprintf(tc.change, tc.who))
		}
		withRows(t, "ada ben bot", rows, func(tx *store.Tx) error {
			active := []string{}
			for _, who := range []string{"ada", "ben", "bot"} {
				d, err := tx.NextDelivery(store.Queue{WebhookID: who, ConversationID: "c"})
				if err != nil {
					return err
				}
				if d.OwnerActive {
					active = append(active, who)
				}
			}
			if got := strings.Join(active, " "); got != tc.active {
				t.Errorf(tc.change+": active are %s, want %s", tc.who, got, tc.active)
			}
			return nil
		})
	}
}

// Messages reach a webhook for all conversations of its owner in small and large groups that
// the owner is in, and in no others.
func TestWebhookForAllConversations(t *testing.T) {
	db := storetest.Open(t)
	cast := storetest.People(t, db)
	for _, members := range []int{3, 60} {
		var group string
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			ids := []string{cast.Ben.ID}
			for i := range members - 2 {
				u, err := tx.InsertUser(store.User{Email: fmt.Sprintf("m%d.%d@example.org", members, i), Name: "M", SignupProvider: "magic-link"})
				if err != nil {
					return err
				}
				ids = append(ids, u.ID)
			}
			var err error
			group, err = tx.InsertGroup(cast.Ada.ID, ids, "Group")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			hooks := map[string]store.User{}
			for _, owner := range []store.User{cast.Ben, cast.Stranger} {
				w, err := tx.InsertWebhook(store.Webhook{UserID: owner.ID, URL: "https://hooks.example.org/", Secret: "s", Token: "t"})
				if err != nil {
					return err
				}
				hooks[w.ID] = owner
			}
			if err := tx.Send(&store.Message{ConversationID: group, SenderID: cast.Ada.ID, Content: "x"}, nil); err != nil {
				return err
			}
			for id, owner := range hooks {
				ds, err := tx.Deliveries(storetest.Human(owner), id, 1<<62, 10)
				if err != nil || len(ds) == 1 != (owner.ID == cast.Ben.ID) {
					t.Errorf("a group of %d: %d deliveries to %s, %v", members, len(ds), owner.Name, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
