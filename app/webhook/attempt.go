package webhook

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"hearth/app/chat"
	"hearth/app/fetch"
	"hearth/store"
)

// Why a delivery is not made.
const (
	skipDisabled  = "The webhook is disabled."
	skipOwner     = "The account of the webhook is not active."
	skipInvisible = "The owner of the webhook cannot see the conversation any more."
	skipDeleted   = "The message was deleted."
)

// finished is the end of an attempt of a queue.
type finished struct {
	queue  *queue
	due    store.Time     // without a record: when the queue is attempted again
	record *store.Attempt // nil if nothing is recorded
	hook   store.Webhook  // of the record
	test   bool           // the record is of a test
	drop   bool           // skip all that waits for the webhook
	result result
}

// attempt makes the next delivery of a queue, if it is due and still to be made.
func (w *Worker) attempt(ctx context.Context, q *queue) finished {
	f := finished{queue: q, due: never}
	p, err := w.prepare(ctx, q.Queue)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return f
	case err != nil:
		if ctx.Err() == nil {
			w.log.Warn("a delivery to a webhook could not be read", "webhook", q.WebhookID, "error", err)
		}
		f.due = w.db.Now().Add(retryRead)
		return f
	}
	f.hook, f.test = p.Webhook, p.MessageID == ""
	switch {
	case p.wait != 0:
		f.due = p.wait
		return f
	case p.skip != "":
		f.drop = p.skip == skipDisabled
		f.record = &store.Attempt{WebhookID: p.WebhookID, At: p.At, Attempts: p.Attempts, Status: p.Status, Error: p.skip, TookMs: p.TookMs, Outcome: "skipped"}
		return f
	}
	f.result = w.send(ctx, p)
	if ctx.Err() != nil {
		return f // the server stops: the delivery is attempted again after the next start
	}
	a := w.attempted(p.Delivery, f.result, w.db.Now())
	f.record = &a
	return f
}

// retryRead is how long a queue waits after the database could not be read or
// written.
const retryRead = 5 * time.Second

// prepared is a delivery as it is to be made, or when, or why not.
type prepared struct {
	store.NextDelivery
	wait store.Time // it is due then
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
		if p.NextAt > r.Now() && !w.tooLate(p.NextAt, r.Now()) {
			p.wait = p.NextAt
			return nil
		}
		return p.load(r)
	})
	return p, err
}

// tooLate reports whether due is later than an attempt is ever put off: it is of a time
// before the clock was set back.
func (w *Worker) tooLate(due, now store.Time) bool {
	return due > now.Add(max(slices.Max(w.delays), maxRetryAfter))
}

func (p *prepared) load(r *store.Reader) (err error) {
	test := p.MessageID == ""
	switch {
	case !p.OwnerActive:
		p.skip = skipOwner
	case test:
		p.body, err = chat.RenderTest(p.Webhook, p.At)
	case p.Webhook.DisabledAt != 0:
		p.skip = skipDisabled
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
	if m.Content == "" && m.Attachments != "" { // its transcript may be awaited
		if until, err := r.TranscribeUntil(m.ID); err != nil || until > r.Now() {
			p.wait = until
			return err
		}
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
	res, err := w.client.Do(ctx, fetch.Request{Method: "POST", URL: p.Webhook.URL, Header: h, Body: bytes.NewReader(p.body), Timeout: w.timeout})
	if err != nil {
		return result{err: err}
	}
	return result{status: res.Status, retryAfter: retryAfter(res.Header, w.db.Now().Go())}
}
