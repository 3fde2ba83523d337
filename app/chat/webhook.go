package chat

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"

	"hearth/app/core"
	"hearth/app/fetch"
	"hearth/app/op"
	"hearth/store"
)

const maxWebhooks = 20

// Webhook describes a webhook for its owner. It contains neither the secret nor the token.
type Webhook struct {
	ID             string      `json:"id"`
	URL            string      `json:"url"`
	Events         []string    `json:"events" enum:"message.created"`
	ConversationID *string     `json:"conversationId" doc:"The only conversation whose messages are delivered; null for all of the owner's."`
	CreatedAt      store.Time  `json:"createdAt"`
	FailingSince   *store.Time `json:"failingSince" doc:"The first failed attempt since the last delivery that succeeded."`
	DisabledAt     *store.Time `json:"disabledAt"`
	DisabledReason *string     `json:"disabledReason" enum:"owner|gone|failing" doc:"gone: status 410. failing: no success in three days."`
	LastDelivery   *Delivery   `json:"lastDelivery" doc:"The newest delivery that was attempted."`
}

// NewWebhook is a Webhook with its secret and its token, which are returned only once.
type NewWebhook struct {
	Webhook
	Secret string `json:"secret" doc:"The key of the signatures in X-Chat-Signature and webhook-signature, see /docs/agents."`
	Token  string `json:"token" doc:"Sent with every delivery as X-Chat-Secret. It is not the key of the signatures."`
}

func webhookOf(w store.Webhook) Webhook {
	return Webhook{
		ID: w.ID, URL: w.URL, Events: []string{string(messageCreated)}, ConversationID: core.OrNil(w.ConversationID), CreatedAt: w.CreatedAt,
		FailingSince: w.FailingSince.Ptr(), DisabledAt: w.DisabledAt.Ptr(), DisabledReason: core.OrNil(w.DisabledWhy),
	}
}

func webhooksOf(r *store.Reader, by store.Viewer, rows []store.Webhook) ([]Webhook, error) {
	last, err := r.LastDeliveries(by, core.Map(rows, func(w store.Webhook) string { return w.ID })...)
	return core.Map(rows, func(w store.Webhook) Webhook {
		out := webhookOf(w)
		for _, d := range last {
			if d.WebhookID == w.ID {
				out.LastDelivery = new(deliveryOf(d))
			}
		}
		return out
	}), err
}

func shownWebhook(r *store.Reader, by store.Viewer, id string) (Webhook, error) {
	rows, err := r.WebhooksByID(by, id)
	if err != nil {
		return Webhook{}, err
	}
	return store.First(webhooksOf(r, by, rows))
}

func (s *Service) listWebhooks(r *store.Reader, by store.Viewer, _ core.None) ([]Webhook, error) {
	rows, err := r.Webhooks(by, maxWebhooks)
	if err != nil {
		return nil, err
	}
	return webhooksOf(r, by, rows)
}

// CreateWebhookIn describes a new webhook.
type CreateWebhookIn struct {
	URL            string           `json:"url" required:"true" max:"2048" format:"url" doc:"An http or https address on the internet."`
	Events         []string         `json:"events" min:"1" max:"1" enum:"message.created" doc:"The only event is message.created."`
	ConversationID core.Opt[string] `json:"conversationId,omitzero" format:"uuid" doc:"Only messages of this conversation."`
	Secret         string           `json:"secret" min:"16" max:"256" doc:"Printable ASCII, or whsec_ and base64 of 24 to 64 bytes. By default the server makes one."`
}

func (s *Service) createWebhook(tx *store.Tx, by store.Viewer, in CreateWebhookIn) (out NewWebhook, err error) {
	if err := cmp.Or(op.CheckRead(by), s.checkReceiver(in.URL)); err != nil {
		return out, err
	}
	row := store.Webhook{UserID: by.UserID, ConversationID: in.ConversationID.V, URL: in.URL, Secret: in.Secret, Token: "wht_" + rand.Text()}
	if row.Secret == "" {
		row.Secret = newSecret()
	} else if _, err := SigningKey(row.Secret); err != nil {
		return out, core.InvalidField("secret",
			"secret must be printable ASCII, and after whsec_ base64 of 24 to 64 bytes. Omit it to have one made.")
	}
	have, err := tx.CountWebhooks(by.PersonID())
	err = cmp.Or(err, op.CheckLasting(&tx.Reader, by, "a webhook"))
	if err == nil && have >= maxWebhooks {
		err = core.New(core.Conflict, "too_many_webhooks",
			"You and your bots have %d webhooks. %d is the maximum. Delete one you no longer need, then try again.", have, maxWebhooks)
	}
	if err == nil && row.ConversationID != "" {
		_, err = tx.Member(by, row.ConversationID, by.UserID)
	}
	if err != nil {
		return out, err
	}
	made, err := tx.InsertWebhook(row)
	err = cmp.Or(err, webhookChanged(tx, by.UserID, made.ID))
	return NewWebhook{Webhook: webhookOf(made), Secret: made.Secret, Token: made.Token}, err
}

// The address that the name resolves to is checked with every connection.
func (s *Service) checkReceiver(url string) error {
	err := s.CheckURL(url)
	if err == nil {
		return nil
	}
	e := core.InvalidField("url", "url must be an http or https address on the public internet, without a user name, on a port for web "+
		"servers.")
	if errors.Is(err, fetch.ErrBlocked) {
		e.Code = "blocked_url"
	}
	return e
}

func newSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

const secretPrefix = "whsec_"

// SigningKey returns the key with which Standard Webhooks signs for a secret. It is the decoded text after whsec_, or
// the secret itself. An invalid secret is an error.
func SigningKey(secret string) ([]byte, error) {
	rest, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		if strings.ContainsFunc(secret, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			return nil, errors.New("chat: a secret that is not printable ASCII")
		}
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(rest)
	if err == nil && (len(key) < 24 || len(key) > 64) {
		err = errors.New("chat: the key of a secret is too short or too long")
	}
	return key, err
}

func webhookChanged(tx *store.Tx, userID, id string) error {
	return tx.Emit(store.Event{Topic: userID, Kind: webhookUpdated, ObjectID: id, ActorID: userID})
}

// DisableWebhook disables a webhook whose receiver is gone or failing, in a write of the delivery.
func DisableWebhook(tx *store.Tx, userID, id, why string) error {
	disabled, err := tx.DisableWebhook(id, why)
	if err != nil || !disabled {
		return err
	}
	return webhookChanged(tx, userID, id)
}

// UpdateWebhookIn has the fields of a webhook to change. Omitted fields keep their value.
type UpdateWebhookIn struct {
	ID      string           `path:"id" json:"-"`
	URL     core.Opt[string] `json:"url,omitzero" notnull:"true" min:"1" max:"2048" format:"url"`
	Enabled core.Opt[bool]   `json:"enabled,omitzero" notnull:"true" doc:"Waiting deliveries: true makes them due, false skips them."`
}

// A new address, or enabling the webhook, resets failures and makes the backlog due at once.
func (s *Service) updateWebhook(tx *store.Tx, by store.Viewer, in UpdateWebhookIn) (out Webhook, err error) {
	if err = op.CheckRead(by); err == nil && in.URL.Set {
		err = s.checkReceiver(in.URL.V)
	}
	if err != nil {
		return out, err
	}
	w, err := tx.Webhook(by, in.ID)
	if err == nil && (in.URL.Set || in.Enabled.V) {
		err = op.CheckLasting(&tx.Reader, by, "a webhook")
	}
	if err == nil {
		err = changeWebhook(tx, w, in)
	}
	if err != nil {
		return out, err
	}
	return shownWebhook(&tx.Reader, by, in.ID)
}

func changeWebhook(tx *store.Tx, w store.Webhook, in UpdateWebhookIn) (err error) {
	moved := in.URL.Set && in.URL.V != w.URL
	if moved {
		err = tx.SetWebhookURL(w.ID, in.URL.V)
	}
	switch {
	case err != nil || !moved && !in.Enabled.Set:
		return err
	case in.Enabled.Set && !in.Enabled.V:
		var was bool
		if was, err = tx.DisableWebhook(w.ID, "owner"); !was && !moved {
			return err
		}
	case in.Enabled.V || w.DisabledAt == 0:
		err = tx.EnableWebhook(w.ID)
	}
	return cmp.Or(err, webhookChanged(tx, w.UserID, w.ID))
}

func (s *Service) deleteWebhook(tx *store.Tx, by store.Viewer, in core.ByID) (core.None, error) {
	if _, err := tx.Webhook(by, in.ID); err != nil {
		return core.None{}, err
	}
	return core.None{}, tx.DeleteWebhook(in.ID)
}
