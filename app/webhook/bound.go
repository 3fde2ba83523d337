package webhook

import (
	"context"

	"hearth/app/chat"
	"hearth/store"
)

// maxWaiting is how many deliveries wait at most for the webhooks of one person and
// their bots; those of a write are counted after it.
const maxWaiting = 20_000

// countAdded has the deliveries of those people counted to whom a twentieth of what may
// wait was added since the last time.
func (w *Worker) countAdded(queues []store.Queue) {
	for _, q := range queues {
		if w.added[q.Person]++; w.added[q.Person] >= w.maxWaiting/20 {
			delete(w.added, q.Person)
			w.toCount = append(w.toCount, q.Person)
			wake(w.left)
		}
	}
}

// boundWaiting disables webhooks of people for whom too much waits, those first for
// which the most waits, and skips that. After an error, the people that are left are
// counted the next time.
func (w *Worker) boundWaiting(ctx context.Context) error {
	w.mu.Lock()
	people := w.toCount
	w.toCount = nil
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.toCount = append(people, w.toCount...)
	}()
	for ; len(people) > 0; people = people[1:] {
		person := people[0]
		var hooks []store.WebhookBacklog
		err := w.db.Read(ctx, func(r *store.Reader) (err error) {
			hooks, err = r.WebhookBacklogs(person)
			return err
		})
		if err != nil {
			return err
		}
		waiting := 0
		for _, h := range hooks {
			waiting += h.Waiting
		}
		for _, h := range hooks {
			if waiting <= w.maxWaiting {
				break
			}
			waiting -= h.Waiting
			if err := w.db.Write(ctx, func(tx *store.Tx) error { return chat.DisableWebhook(tx, h.UserID, h.ID, "failing") }); err != nil {
				return err
			}
			w.drops.Go(func() { w.dropAll(h.ID) })
		}
	}
	return nil
}
