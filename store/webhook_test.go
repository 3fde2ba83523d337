package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/store"
	"hearth/store/storetest"
)

// When a webhook is enabled, the first delivery of each of its queues that waits is due
// at once, and their queues are named: none of another webhook, and none in which all is
// done.
func TestEnabledWebhookDelivers(t *testing.T) {
	db := storetest.OpenEmpty(t)
	people := storetest.People(t, db)
	ada := storetest.Human(people.Ada)
	db.Clock.Advance(time.Minute)
	hooks := make([]store.Webhook, 2)
	var groups [3]string
	write(t, db, func(tx *store.Tx) (err error) {
		for n := range groups {
			if groups[n], err = tx.InsertGroup(people.Ada.ID, nil, ""); err != nil {
				return err
			}
		}
		for n := range hooks {
			if hooks[n], err = tx.InsertWebhook(store.Webhook{UserID: people.Ada.ID, URL: "https://hook.example", Secret: "s", Token: "t"}); err != nil {
				return err
			}
			for i, group := range []string{groups[0], groups[0], groups[1], groups[1], groups[2]} {
				due, done := any(int64(tx.Now.Add(time.Hour))), any(nil)
				if group == groups[2] {
					due, done = nil, "failed"
				}
				if _, err := tx.ExecForTest(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at, outcome, done_at) VALUES (?1, ?2, ?3, ?2, ?4, ?5, iif(?4 IS NULL, 1, NULL))`,
					hooks[n].ID, 10+i, group, due, done); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var mu sync.Mutex
	var hastened []string
	db.OnDeliveries(func(queues []store.Queue, now bool) {
		mu.Lock()
		defer mu.Unlock()
		for _, q := range queues {
			if now && q.WebhookID == hooks[0].ID {
				hastened = append(hastened, fmt.Sprint(slices.Index(groups[:], q.ConversationID)))
			} else {
				t.Errorf("another queue: %+v, %v", q, now)
			}
		}
	})
	write(t, db, func(tx *store.Tx) error { _, err := tx.DisableWebhook(hooks[0].ID, "owner"); return err })
	write(t, db, func(tx *store.Tx) error { return tx.EnableWebhook(hooks[0].ID) })
	mu.Lock()
	slices.Sort(hastened)
	if got := strings.Join(hastened, " "); got != "0 1" {
		t.Errorf("queues %q are hastened", got)
	}
	mu.Unlock()
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for n, want := range []string{"13: false 12: true 11: false 10: true", "13: false 12: false 11: false 10: false"} {
			all, err := r.Deliveries(ada, hooks[n].ID, 0, 10)
			if err != nil {
				return err
			}
			var due []string
			for _, d := range all {
				if d.Outcome == "" {
					due = append(due, fmt.Sprintf("%d: %v", d.At, d.NextAt <= r.Now()))
				}
			}
			if got := strings.Join(due, " "); got != want {
				t.Errorf("webhook %d: %s are due, want %s", n, got, want)
			}
			if byID, err := r.WebhooksByID(ada, hooks[n].ID); err != nil || len(byID) != 1 || byID[0].ID != hooks[n].ID || byID[0].DisabledAt != 0 {
				t.Errorf("webhook %d by its id: %+v, %v", n, byID, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// A webhook is found without another one: of a conversation for its messages, of an
// account for those of all its conversations, and none that is disabled.
func TestWebhookWithoutOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ofGroup, disabled bool
		want              int // deliveries of a message in each of two groups
	}{
		"of a conversation":           {ofGroup: true, want: 1},
		"of an account":               {want: 2},
		"of a conversation, disabled": {ofGroup: true, disabled: true},
		"of an account, disabled":     {disabled: true},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.OpenEmpty(t)
			p := storetest.People(t, db)
			var groups [2]string
			write(t, db, func(tx *store.Tx) (err error) {
				for i := range groups {
					if groups[i], err = tx.InsertGroup(p.Ada.ID, []string{p.Ben.ID}, ""); err != nil {
						return err
					}
				}
				hook := store.Webhook{ID: "w", UserID: p.Ada.ID}
				if c.ofGroup {
					hook.ConversationID = groups[0]
				}
				if _, err = tx.InsertWebhook(hook); err == nil && c.disabled {
					_, err = tx.DisableWebhook("w", "gone")
				}
				return err
			})
			write(t, db, func(tx *store.Tx) error {
				for _, group := range groups {
					tx.Now = tx.Tick()
					if err := tx.Send(&store.Message{ConversationID: group, SenderID: p.Ben.ID, Content: "x"}, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err := db.Read(t.Context(), func(r *store.Reader) error {
				ds, err := r.Deliveries(storetest.Human(p.Ada), "w", 0, 100)
				if len(ds) != c.want {
					t.Errorf("%d deliveries, want %d", len(ds), c.want)
				}
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
}
