package store_test

import (
	"fmt"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// When a webhook is enabled, what waits for another attempt is due at once. When it is
// disabled, what waits is skipped, but not tests. Nothing changes for another webhook.
func TestEnabledAndDisabledWebhook(t *testing.T) {
	const later = 1 << 60
	withRows(t, "ada", []string{
		aWebhook("w1", "ada"), aWebhook("w2", "ada"),
		aDelivery("w1", 10, "c", 0), aDelivery("w1", 11, "c", later), aDelivery("w1", 12, "c", later), aDelivery("w1", 13, "d", 5), aDelivery("w1", 14, "", later),
		aDelivery("w2", 11, "c", later), `UPDATE delivery SET attempts = 1 WHERE at IN (11, 13)`,
	}, func(tx *store.Tx) error {
		if err := tx.EnableWebhook("w1"); err != nil {
			return err
		}
		due := int64(tx.Reader.Now())
		if got, want := deliveries(tx, "w1"), fmt.Sprintf("14:%[2]d 13:5 12:%[2]d 11:%[1]d 10delivered", due, int64(later)); got != want {
			t.Errorf("enabled: got  %s\nwant %s", got, want)
		}
		if _, err := tx.DisableWebhook("w1", "owner"); err != nil {
			return err
		}
		if got, want := deliveries(tx, "w1"), fmt.Sprintf("14:%d 13skipped 12skipped 11skipped 10delivered", int64(later)); got != want {
			t.Errorf("disabled: got  %s\nwant %s", got, want)
		}
		if got, want := deliveries(tx, "w2"), fmt.Sprintf("11:%d", int64(later)); got != want {
			t.Errorf("of another webhook: %s", got)
		}
		return nil
	})
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
