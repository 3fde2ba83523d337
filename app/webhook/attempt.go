package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"hearth/app/chat"
	"hearth/app/fetch"
	"hearth/app/queue"
	"hearth/store"
)

// Why a delivery is not made.
const (
	skipOwner     = "The account of the webhook is not active."
	skipInvisible = "The owner of the webhook cannot see the conversation any more."
	skipDeleted   = "The message was deleted."
)

// Everything that decides whether a delivery is made is read with it. One that the server's stop ended is not recorded.
func (w *Worker) deliver(ctx context.Context, q store.Queue) error {
	var d store.NextDelivery
	var body []byte
	var skip string
	err := w.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		if d, err = r.NextDelivery(q); err != nil {
			return err
		}
		if !w.IsDue(d.NextAt, r.Now()) {
			return store.ErrNoRow
		}
		body, skip, err = render(r, d)
		return err
	})
	if err != nil {
		return err
	}
	if skip != "" {
		d.Outcome, d.Error, d.NextAt = "skipped", skip, 0
		return w.cfg.DB.Write(context.Background(), func(tx *store.Tx) error { return tx.RecordAttempt(d.Delivery) })
	}
	r := w.send(ctx, d, body)
	if ctx.Err() != nil {
		return nil
	}
	w.settle(&d.Delivery, r)
	return w.cfg.DB.Write(context.Background(), func(tx *store.Tx) error {
		return cmp.Or(tx.RecordAttempt(d.Delivery), recordState(tx, d, r))
	})
}

// settle records in d that its attempt came to r. A test is attempted once.
func (w *Worker) settle(d *store.Delivery, r queue.Result) {
	d.Attempts++
	d.Status, d.Error, d.TookMs, d.NextAt = r.Status, r.Reason("The receiver"), int(r.Took.Milliseconds()), 0
	if !r.OK() && r.Status != http.StatusGone && d.MessageID != "" {
		d.NextAt = w.Next(r, d.Attempts, d.At)
	}
	switch {
	case r.OK():
		d.Outcome = "delivered"
	case d.NextAt == 0:
		d.Outcome = "failed"
	}
}

// render returns the body of a delivery as the webhook's owner sees the message, or why it is not made.
func render(r *store.Reader, d store.NextDelivery) (body []byte, skip string, err error) {
	if !d.OwnerActive {
		return nil, skipOwner, nil
	}
	if d.MessageID == "" {
		body, err = chat.RenderTest(d.Webhook, d.At)
		return body, "", err
	}
	owner := store.Viewer{UserID: d.Webhook.UserID}
	m, err := r.Message(owner, d.MessageID)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return nil, skipInvisible, nil
	case err != nil:
		return nil, "", err
	case m.DeletedAt != 0:
		return nil, skipDeleted, nil
	}
	body, err = chat.RenderDelivery(r, owner, m)
	return body, "", err
}

// recordState records whether a webhook works, and disables one that is gone or has failed for too long. A failed test
// says nothing about a webhook.
func recordState(tx *store.Tx, d store.NextDelivery, r queue.Result) error {
	switch {
	case r.OK():
		return tx.WebhookWorks(d.WebhookID)
	case d.MessageID == "":
		return nil
	case r.Status == http.StatusGone:
		return chat.DisableWebhook(tx, d.Webhook.UserID, d.WebhookID, "gone")
	}
	givenUp := 0
	if d.Outcome == "failed" {
		givenUp = 1
	}
	since, failures, err := tx.WebhookFails(d.WebhookID, givenUp)
	switch {
	case errors.Is(err, store.ErrNoRow): // it was deleted
		return nil
	case err == nil && givenUp > 0 && failures >= disableFailures && tx.Reader.Now().Sub(since) >= disableAfter:
		return chat.DisableWebhook(tx, d.Webhook.UserID, d.WebhookID, "failing")
	}
	return err
}

func (w *Worker) send(ctx context.Context, d store.NextDelivery, body []byte) queue.Result {
	began, now := time.Now(), w.cfg.DB.Now().Go()
	h, err := header(d.Webhook, chat.DeliveryID(d.WebhookID, d.At), now, body)
	var res *fetch.Response
	if err == nil {
		res, err = w.cfg.Fetch.Do(ctx, fetch.Request{Method: "POST", URL: d.Webhook.URL, Header: h, Body: bytes.NewReader(body),
			Timeout: w.timeout})
	}
	out := queue.ResultOf(res, err, began, now)
	w.attempts.Add(1)
	if !out.OK() {
		w.failures.Add(1)
	}
	return out
}

// header returns the header of a delivery. The key of X-Chat-Signature is the secret as it is. The webhook-* headers
// follow Standard Webhooks, with the key of chat.SigningKey. X-Chat-Secret is the token, which signs nothing.
func header(w store.Webhook, id string, at time.Time, body []byte) (http.Header, error) {
	key, err := chat.SigningKey(w.Secret)
	if err != nil {
		return nil, err
	}
	signer, err := standard.NewWebhookRaw(key)
	if err != nil {
		return nil, err
	}
	signature, err := signer.Sign(id, at, body)
	mac := hmac.New(sha256.New, []byte(w.Secret))
	mac.Write(body)
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-Chat-Secret", w.Token)
	h.Set("X-Chat-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("Webhook-Signature", signature)
	return h, err
}
