package webhook

import (
	"database/sql"
	"testing"

	"hearth/store"
)

// backlog adds deliveries of a message that wait for a webhook.
func (w *world) backlog(id string, n int) {
	w.Helper()
	file, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	_, err = file.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
		INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at)
		SELECT d.webhook_id, d.at - n.i, d.conversation_id, d.message_id, d.next_at FROM n, delivery d WHERE d.webhook_id = ?1`, id, n)
	if err != nil {
		w.Fatal(err)
	}
}

// waiting returns how many deliveries wait for a webhook.
func (w *world) waiting(id string) (n int) {
	w.Helper()
	file, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.Fatal(err)
	}
	defer file.Close()
	if err := file.QueryRow("SELECT count(*) FROM delivery WHERE webhook_id = ? AND next_at IS NOT NULL", id).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// While much is skipped that waits for a disabled webhook, the deliveries to
// others are recorded, and the worker stops without waiting for the rest.
func TestSkippingDelaysNoOther(t *testing.T) {
	const backlog = 20_000
	w := newWorld(t)
	r := w.receiver(nil)
	c := w.group(w.Ada, w.Ben)
	disabled, live := w.hook(w.Ada, r.URL+"/disabled", c), w.hook(w.Ben, r.URL+"/live", "")
	w.send(as(w.Ben), c, "one")
	w.backlog(disabled.ID, backlog)
	err := w.db.Write(w.ctx, func(tx *store.Tx) error {
		_, err := tx.DisableWebhook(disabled.ID, "owner")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.start()
	w.until("something is skipped", func() bool { return w.waiting(disabled.ID) < backlog-skipChunk })
	w.send(as(w.Ada), c, "two")
	w.status(w.Ben, live.ID, "delivered", 1)
	left := w.waiting(disabled.ID)
	if left == 0 {
		t.Error("a delivery was recorded only after all that waited for another webhook was skipped")
	}
	w.stop()
	if n := w.waiting(disabled.ID); n == 0 {
		t.Errorf("the worker stopped only after %d deliveries were skipped", left)
	}
	w.restart()
	w.until("all is skipped", func() bool { return w.waiting(disabled.ID) == 0 })
}
