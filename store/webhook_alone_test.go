package store_test

import (
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// A webhook is found without another one: of a conversation for its messages, of an
// account for those of all its conversations, and none that is disabled.
func TestWebhookWithoutOthers(t *testing.T) {
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
