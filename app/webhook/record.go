package webhook

import (
	"context"
	"net/http"
	"slices"

	"hearth/app/chat"
	"hearth/store"
)

const (
	maxRecords = 64  // results that are written together
	skipChunk  = 200 // deliveries that are skipped in one write
)

// record writes the results of attempts, those that are there in one write, and
// lets their queues go on once that is durable.
func (w *Worker) record() {
	for f := range w.finished {
		batch := []finished{f}
	collect:
		for len(batch) < maxRecords {
			select {
			case f, ok := <-w.finished:
				if !ok {
					break collect
				}
				batch = append(batch, f)
			default:
				break collect
			}
		}
		w.finish(batch, w.write(batch))
	}
}

// write records a batch. A failure means that its deliveries are attempted
// again.
func (w *Worker) write(batch []finished) error {
	var attempts []store.Attempt
	for _, f := range batch {
		if f.record != nil {
			attempts = append(attempts, *f.record)
		}
	}
	if len(attempts) == 0 {
		return nil
	}
	err := w.db.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.RecordAttempts(attempts); err != nil {
			return err
		}
		return recordStates(tx, batch)
	})
	if err != nil {
		w.log.Warn("the results of deliveries to webhooks could not be recorded; they are made again", "error", err)
	}
	return err
}

// state is what the attempts of a batch say about one webhook.
type state struct {
	hook    store.Webhook
	works   bool // a delivery succeeded
	fails   bool
	gone    bool // the receiver answered 410
	givenUp int
}

// states returns the state of each webhook of a batch, in the order of the
// batch. A failed test says nothing about a webhook.
func states(batch []finished) (out []*state) {
	byID := map[string]*state{}
	for _, f := range batch {
		if f.record == nil || f.record.Outcome == "skipped" {
			continue
		}
		s := byID[f.hook.ID]
		if s == nil {
			s = &state{hook: f.hook}
			byID[f.hook.ID] = s
			out = append(out, s)
		}
		switch {
		case f.result.ok():
			s.works = true
		case !f.test:
			s.fails = true
			s.gone = s.gone || f.result.status == http.StatusGone
			if f.record.Outcome == "failed" {
				s.givenUp++
			}
		}
	}
	return out
}

// recordStates records for each webhook of a batch whether it works, and disables
// those that are gone or have failed for too long.
func recordStates(tx *store.Tx, batch []finished) error {
	for _, s := range states(batch) {
		if s.works {
			if err := tx.WebhookWorks(s.hook.ID); err != nil {
				return err
			}
		}
		if !s.fails {
			continue
		}
		why, err := failed(tx, s.hook.ID, s.givenUp, s.gone)
		if err == nil && why != "" {
			err = chat.DisableWebhook(tx, s.hook.UserID, s.hook.ID, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failed records failed attempts of a webhook and returns why it is to be
// disabled, or "".
func failed(tx *store.Tx, id string, givenUp int, gone bool) (why string, err error) {
	if gone {
		return "gone", nil
	}
	since, failures, err := tx.WebhookFails(id, givenUp)
	switch {
	case err == store.ErrNoRow: // it was deleted
		return "", nil
	case err == nil && givenUp > 0 && failures >= disableFailures && tx.Reader.Now().Sub(since) >= disableAfter:
		why = "failing"
	}
	return why, err
}

// finish lets the queues of a batch go on. Those of disabled webhooks wait until
// what else is queued for these has been skipped, which can take long.
func (w *Worker) finish(batch []finished, err error) {
	if err == nil {
		batch = slices.DeleteFunc(batch, func(f finished) bool {
			if f.drop {
				w.drops.Go(func() {
					w.dropAll(f.hook.ID)
					w.goOn([]finished{f}, nil)
				})
			}
			return f.drop
		})
	}
	w.goOn(batch, err)
}

// goOn lets the queues of a batch go on, which was recorded or not.
func (w *Worker) goOn(batch []finished, err error) {
	now := w.db.Now()
	w.mu.Lock()
	for _, f := range batch {
		due := f.due
		switch {
		case f.record == nil:
		case err != nil:
			due = now.Add(retryRead)
		default:
			due = f.record.NextAt // 0: the next delivery at once
			if f.record.Outcome != "skipped" {
				w.schedule.attempted(f.queue.hook, f.result.ok())
			}
		}
		if due != never && w.tooLate(due, now) {
			due = now
		}
		w.schedule.done(f.queue, due, now)
	}
	w.mu.Unlock()
	w.Wake()
}

// dropAll skips all that waits for a disabled webhook, in small writes. When the
// worker stops, the rest is left for the next start.
func (w *Worker) dropAll(id string) {
	for n := int64(skipChunk); n == skipChunk && !w.isStopping(); {
		err := w.db.Write(context.Background(), func(tx *store.Tx) (err error) {
			n, err = tx.SkipDeliveries(id, skipDisabled, skipChunk)
			return err
		})
		if err != nil {
			return // each queue finds the rest by itself
		}
	}
}
