package webhook

import (
	"fmt"
	"testing"

	"hearth/store"
)

// Deliveries that are too many to be added with their message are made, also after the
// server was stopped before they were added, and in order.
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
	w.until("the first message", func() bool { return len(r.all()) == hooks })
	w.send(as(w.Ben), c, "two")
	w.until("both messages", func() bool { return len(r.all()) == 2*hooks && w.worker.Waiting() == 0 })
	for n, got := range r.contents() {
		if want := map[bool]string{true: "one", false: "two"}[n < hooks]; got != want {
			t.Fatalf("delivery %d is of message %q", n, got)
		}
	}
}
