package webhook

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"hearth/app/chat"
	"hearth/app/fetch"
	"hearth/store"
)

// Why a delivery is not made.
const (
	skipOwner     = "The account of the webhook is not active."
	skipInvisible = "The owner of the webhook cannot see the conversation any more."
	skipDeleted   = "The message was deleted."
)

// attempt makes the next delivery of a queue and records what came of it. After an error
// of the database it pauses, and the delivery is made again.
func (w *Worker) attempt(ctx context.Context, q store.Queue) {
	p, err := w.prepare(ctx, q)
	if err == nil && p.due {
		err = w.deliver(ctx, p)
	}
	if err == nil || errors.Is(err, store.ErrNoRow) || ctx.Err() != nil {
		return
	}
	w.log.Warn("a delivery to a webhook could not be read or recorded; it is made again", "webhook", q.WebhookID, "error", err)
	select {
	case <-time.After(retryTime):
	case <-ctx.Done():
	case <-w.stopping:
	}
}

// prepared is a delivery as it is to be made, or why not.
type prepared struct {
	store.NextDelivery
	due  bool
	skip string
	body []byte
}

// prepare reads the next delivery of a queue. Everything that decides whether it
// is made is read with it.
func (w *Worker) prepare(ctx context.Context, q store.Queue) (p prepared, err error) {
	err = w.db.Read(ctx, func(r *store.Reader) (err error) {
		if p.NextDelivery, err = r.NextDelivery(q); err != nil {
			return err
		}
		if p.due = w.isDue(p.NextAt, r.Now()); !p.due {
			return nil
		}
		return p.load(r)
	})
	return p, err
}

func (p *prepared) load(r *store.Reader) (err error) {
	switch {
	case !p.OwnerActive:
		p.skip = skipOwner
	case p.MessageID == "":
		p.body, err = chat.RenderTest(p.Webhook, p.At)
	default:
		err = p.loadMessage(r)
	}
	return err
}

// loadMessage reads the message on behalf of the webhook's owner.
func (p *prepared) loadMessage(r *store.Reader) error {
	m, err := r.Message(store.Viewer{UserID: p.Webhook.UserID}, p.MessageID)
	switch {
	case errors.Is(err, store.ErrNoRow):
		p.skip = skipInvisible
		return nil
	case err != nil:
		return err
	case m.DeletedAt != 0:
		p.skip = skipDeleted
		return nil
	}
	from, err := r.Sender(m.SenderID)
	if err != nil {
		return err
	}
	mentions, err := r.Mentions(store.Viewer{UserID: p.Webhook.UserID}, []store.Message{m})
	if err != nil {
		return err
	}
	p.body, err = chat.RenderDelivery(m, from.Name, mentions)
	return err
}

// deliver makes the request of a delivery, unless it is skipped, and records the result.
// A delivery that the server's stop ended is not recorded.
func (w *Worker) deliver(ctx context.Context, p prepared) error {
	a := store.Attempt{WebhookID: p.WebhookID, At: p.At, Attempts: p.Attempts, Status: p.Status, Error: p.skip, TookMs: p.TookMs,
		Outcome: "skipped"}
	var r result
	if p.skip == "" {
		if r = w.send(ctx, p); ctx.Err() != nil {
			return nil
		}
		a = w.attempted(p.Delivery, r, w.db.Now())
	}
	return w.db.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.RecordAttempt(a); err != nil || p.skip != "" {
			return err
		}
		return recordState(tx, p.NextDelivery, a, r)
	})
}

// recordState records whether a webhook works, and disables one that is gone or has
// failed for too long. A failed test says nothing about a webhook.
func recordState(tx *store.Tx, d store.NextDelivery, a store.Attempt, r result) error {
	switch {
	case r.ok():
		return tx.WebhookWorks(a.WebhookID)
	case d.MessageID == "":
		return nil
	case r.status == http.StatusGone:
		return chat.DisableWebhook(tx, d.Webhook.UserID, a.WebhookID, "gone")
	}
	givenUp := 0
	if a.Outcome == "failed" {
		givenUp = 1
	}
	since, failures, err := tx.WebhookFails(a.WebhookID, givenUp)
	switch {
	case errors.Is(err, store.ErrNoRow): // it was deleted
		return nil
	case err == nil && givenUp > 0 && failures >= disableFailures && tx.Reader.Now().Sub(since) >= disableAfter:
		return chat.DisableWebhook(tx, d.Webhook.UserID, a.WebhookID, "failing")
	}
	return err
}

// send makes the request of a delivery.
func (w *Worker) send(ctx context.Context, p prepared) (out result) {
	start := time.Now()
	defer func() {
		out.took = time.Since(start)
		w.attempts.Add(1)
		if !out.ok() {
			w.failures.Add(1)
		}
	}()
	h, err := header(p.Webhook, chat.DeliveryID(p.WebhookID, p.At), w.db.Now().Go(), p.body)
	if err != nil {
		return result{err: err}
	}
	res, err := w.client.Do(ctx, fetch.Request{Method: "POST", URL: p.Webhook.URL, Header: h, Body: bytes.NewReader(p.body),
		Timeout: w.timeout})
	if err != nil {
		return result{err: err}
	}
	return result{status: res.Status, retryAfter: retryAfter(res.Header, w.db.Now().Go())}
}
