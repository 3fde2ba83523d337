package webhook

import (
	"net/http"
	"testing"

	"hearth/store"
	"hearth/store/storetest"
)

// Of the webhooks of a person and their bots for which too many deliveries wait, the
// one with the most is disabled, and its owner sees why. Others go on, and so do those of
// other people.
func TestTooManyDeliveriesWait(t *testing.T) {
	w := newWorld(t)
	w.worker.maxWaiting = 20
	r := w.receiver(always(http.StatusInternalServerError))
	var bot store.User
	if err := w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
		bot, err = tx.InsertUser(store.User{Email: "bot@example.org", Name: "Bot", IsBot: true, BotOwnerID: w.Ada.ID, SignupProvider: "test"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var groups [2]string
	if err := w.db.Write(w.ctx, func(tx *store.Tx) (err error) {
		for n := range groups {
			if groups[n], err = tx.InsertGroup(w.Ada.ID, []string{bot.ID, w.Ben.ID}, ""); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	most, less, other := w.hook(bot, r.URL, groups[0]), w.hook(w.Ada, r.URL, groups[1]), w.hook(w.Ben, r.URL, groups[1])
	w.start()
	for range 8 {
		w.send(as(w.Ben), groups[1], "x")
	}
	for range 12 {
		w.send(as(w.Ben), groups[0], "x")
	}
	for id, owner := range map[string]store.User{most.ID: bot, less.ID: w.Ada, other.ID: w.Ben} {
		if h := w.webhook(owner, id); h.DisabledAt != nil {
			t.Fatalf("with as many as may wait %+v is disabled", h)
		}
	}
	w.send(as(w.Ben), groups[0], "x")
	w.until("its deliveries are skipped", func() bool { return w.waiting(most.ID) == 0 })
	if h := w.webhook(bot, most.ID); h.DisabledAt == nil || *h.DisabledReason != "failing" {
		t.Errorf("the webhook with the most: %+v", h)
	}
	for id, owner := range map[string]store.User{less.ID: w.Ada, other.ID: w.Ben} {
		if h := w.webhook(owner, id); h.DisabledAt != nil || w.waiting(id) < 8 {
			t.Errorf("another one: %+v, for which %d wait", h, w.waiting(id))
		}
	}
}

// People whose deliveries could not be counted are counted the next time.
func TestCountedAfterAnError(t *testing.T) {
	w := newWorld(t)
	w.worker.toCount = []string{w.Ada.ID, w.Ben.ID}
	if err := w.worker.boundWaiting(w.ctx); err != nil || len(w.worker.toCount) != 0 {
		t.Errorf("without an error: %v; %d people are left", err, len(w.worker.toCount))
	}
	w.worker.toCount = []string{w.Ada.ID, w.Ben.ID}
	closed, err := store.Open(w.ctx, w.db.Path(), store.Options{Schema: storetest.Schema(t), Shared: true})
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	db := w.worker.db
	w.worker.db = closed
	t.Cleanup(func() { w.worker.db = db })
	if err := w.worker.boundWaiting(w.ctx); err == nil || len(w.worker.toCount) != 2 {
		t.Errorf("with the error %v: %d people are left, want 2", err, len(w.worker.toCount))
	}
}
