package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"

	"hearth/app/core"
	"hearth/store"
)

// Delivery is an entry in the log of a webhook. Of the message it has only the id.
type Delivery struct {
	ID             string      `json:"id" doc:"The webhook-id of its requests, the same in every attempt."`
	MessageID      *string     `json:"messageId" doc:"null for a test."`
	ConversationID *string     `json:"conversationId" doc:"null for a test."`
	Status         string      `json:"status" enum:"waiting|delivered|failed|skipped" doc:"failed: given up. skipped: no longer to be sent."`
	Attempts       int         `json:"attempts"`
	ResponseStatus *int        `json:"responseStatus" doc:"The status of the last response; null without one."`
	Error          *string     `json:"error" read:"own" doc:"Why the last attempt failed, or why it was skipped."`
	TookMs         *int        `json:"tookMs" doc:"Milliseconds of the last attempt."`
	CreatedAt      store.Time  `json:"createdAt" doc:"When the message was sent, or the test requested."`
	DeliveredAt    *store.Time `json:"deliveredAt"`
	NextAttemptAt  *store.Time `json:"nextAttemptAt"`
}

// DeliveryID returns the id of the delivery to a webhook of an event at a time.
func DeliveryID(webhookID string, at store.Time) string {
	sum := sha256.Sum256(strconv.AppendInt([]byte(webhookID+" "), int64(at), 10))
	return "msg_" + hex.EncodeToString(sum[:16])
}

func deliveryOf(d store.Delivery) Delivery {
	out := Delivery{
		ID: DeliveryID(d.WebhookID, d.At), MessageID: core.OrNil(d.MessageID), ConversationID: core.OrNil(d.ConversationID), Status: d.Outcome,
		Attempts: d.Attempts, Error: core.OrNil(d.Error), CreatedAt: d.At, NextAttemptAt: d.NextAt.Ptr(),
	}
	switch {
	case d.Outcome == "":
		out.Status = "waiting"
	case d.Outcome == "delivered":
		out.DeliveredAt = d.DoneAt.Ptr()
	}
	if d.Status != 0 {
		out.ResponseStatus = &d.Status
	}
	if d.Attempts > 0 {
		out.TookMs = &d.TookMs
	}
	return out
}

// ListDeliveriesIn is the input of ListDeliveries.
type ListDeliveriesIn struct {
	ID     string      `path:"id" json:"-"`
	Before *store.Time `query:"before" json:"-" doc:"Only those with a createdAt before this moment"`
	Limit  int         `query:"limit" json:"-" default:"50" min:"1" max:"100" clamp:"true"`
}

func (s *Service) listDeliveries(r *store.Reader, by store.Viewer, in ListDeliveriesIn) (page core.Page[Delivery], err error) {
	if _, err := r.Webhook(by, in.ID); err != nil {
		return page, err
	}
	rows, err := r.Deliveries(by, in.ID, core.Before(in.Before), in.Limit+1)
	rows, more := core.Cut(rows, in.Limit)
	if more {
		page.Next = url.Values{"before": {rows[in.Limit-1].At.String()}, "limit": {strconv.Itoa(in.Limit)}}
	}
	page.Items = core.Map(rows, deliveryOf)
	return page, err
}

// testWebhook makes one attempt, also while the webhook is disabled.
func (s *Service) testWebhook(tx *store.Tx, by store.Viewer, in core.ByID) (out Delivery, err error) {
	if _, err := tx.Webhook(by, in.ID); err != nil {
		return out, err
	}
	d, err := tx.InsertTest(in.ID)
	return deliveryOf(d), err
}

// WebhookDelivery is the body of a delivery.
type WebhookDelivery struct {
	Event   string           `json:"event" enum:"message.created"`
	Message DeliveredMessage `json:"message"`
}

// DeliveredMessage is a message as delivered to webhooks, in its state at the time of the attempt.
type DeliveredMessage struct {
	ID             string        `json:"id"`
	ConversationID string        `json:"conversationId"`
	SenderID       *string       `json:"senderId" doc:"null in a test."`
	SenderName     *string       `json:"senderName"`
	Content        string        `json:"content"`
	Transcript     *string       `json:"transcript" doc:"Of a voice note, which is delivered once it is transcribed; null if it could not be."`
	MessageType    string        `json:"messageType" enum:"text|card"`
	CardKind       *string       `json:"cardKind"`
	CardPayload    *string       `json:"cardPayload" doc:"JSON, as text"`
	Attachments    *[]Attachment `json:"attachments" doc:"null without."`
	ReplyToID      *string       `json:"replyToId"`
	Mentions       []string      `json:"mentions" doc:"Ids of the members that the content names."`
	ViaSecretary   bool          `json:"viaSecretary"`
	CreatedAt      *store.Time   `json:"createdAt"`
}

// RenderDelivery returns the body of a delivery of a message to a webhook of by.
func RenderDelivery(r *store.Reader, by store.Viewer, row store.Message) ([]byte, error) {
	m, err := newView(r, by).message(&row)
	if err != nil {
		return nil, err
	}
	out := DeliveredMessage{
		ID: m.ID, ConversationID: m.ConversationID, SenderID: core.OrNil(m.SenderID), SenderName: core.OrNil(m.Sender.Name),
		Content: m.Content, Transcript: m.Transcript, MessageType: m.MessageType, CardKind: m.CardKind, CardPayload: m.CardPayload,
		ReplyToID: m.ReplyToID, Mentions: m.Mentions, ViaSecretary: m.ViaSecretary, CreatedAt: m.CreatedAt.Ptr(),
	}
	if files := m.Files(); len(files) > 0 {
		out.Attachments = &files
	}
	return encodeDelivery(out)
}

// noID is the id of a test's message, and of its conversation if the webhook is for all.
const noID = "00000000-0000-4000-8000-000000000000"

// RenderTest returns the body of a test of a webhook.
func RenderTest(w store.Webhook, at store.Time) ([]byte, error) {
	name := "hearth"
	m := DeliveredMessage{ID: noID, ConversationID: noID, SenderName: &name, MessageType: "text", CreatedAt: at.Ptr(),
		Content: "This is a test of your webhook. Nobody sent this message."}
	if w.ConversationID != "" {
		m.ConversationID = w.ConversationID
	}
	return encodeDelivery(m)
}

func encodeDelivery(m DeliveredMessage) ([]byte, error) {
	return encode(WebhookDelivery{Event: string(messageCreated), Message: m})
}
