package webhook

import (
	"fmt"
	"testing"

	"hearth/store"
)

// Deliveries that are too many to be added with their message are made, also after the
// server was stopped before they were added.
func TestDeliveriesThatAreAddedLater(t *testing.T) {
	const hooks = 101
	w := newWorld(t)
	r := w.receiver(nil)
	c := w.group(w.Ada, w.Ben)
	if err := w.db.Write(w.ctx, func(tx *store.Tx) error {
		for n := range hooks {
			if _, err := tx.InsertWebhook(store.Webhook{ID: fmt.Sprintf("w%03d", n), UserID: w.Ada.ID, URL: fmt.Sprint(r.URL, "/", n), Secret: "0123456789abcdef"}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.send(as(w.Ben), c, "one")
	w.restart()
	w.until("all are delivered", func() bool { return len(r.all()) == hooks && w.worker.Waiting() == 0 })
}
