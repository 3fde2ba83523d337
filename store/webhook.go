package store

import "cmp"

// Webhook is a webhook's row.
type Webhook struct {
	ID             string
	UserID         string
	ConversationID string // "": all conversations of the account
	URL            string
	Secret         string // signs deliveries
	Token          string // sent with each delivery
	CreatedAt      Time
	Failures       int    // deliveries that were given up since the last success
	FailingSince   Time   // the first failed attempt since the last success; 0 without one
	DisabledAt     Time   // 0: enabled
	DisabledWhy    string // owner, gone, failing; "" if enabled
}

const webhookColumns = `w.id, w.user_id, w.conversation_id, w.url, w.secret, w.token, w.created_at, w.failures,
	coalesce(w.failing_since, 0), coalesce(w.disabled_at, 0), w.disabled_why`

// Webhook returns the webhook of by with the id; ErrNoRow without one.
func (r *Reader) Webhook(by Viewer, id string) (Webhook, error) {
	return one[Webhook](r, `SELECT `+webhookColumns+` FROM webhook w WHERE w.id = ?1 AND `+ownWebhook("w", "?2"), id, by.UserID)
}

// Webhooks returns the webhooks of by, the newest first.
func (r *Reader) Webhooks(by Viewer, limit int) ([]Webhook, error) {
	return all[Webhook](r, `SELECT `+webhookColumns+` FROM webhook w WHERE `+ownWebhook("w", "?1")+`
		ORDER BY w.created_at DESC LIMIT ?2`, by.UserID, limit)
}

// WebhooksByID returns the webhooks with the ids that belong to by, in no order.
func (r *Reader) WebhooksByID(by Viewer, ids ...string) ([]Webhook, error) {
	return all[Webhook](r, `SELECT `+webhookColumns+` FROM json_each(?1) j JOIN webhook w ON w.id = j.value
		WHERE `+ownWebhook("w", "?2"), jsonList(ids), by.UserID)
}

// CountWebhooks returns how many webhooks a person and their bots have.
func (r *Reader) CountWebhooks(personID string) (int, error) {
	return one[int](r, `SELECT count(*) FROM webhook w
		WHERE w.user_id IN (SELECT ?1 UNION ALL SELECT b.id FROM user b WHERE b.bot_owner_id = ?1)
		/* server: a limit */`, personID)
}

// InsertWebhook adds a webhook and returns it with CreatedAt set, and ID if that
// is "".
func (tx *Tx) InsertWebhook(w Webhook) (Webhook, error) {
	w.ID, w.CreatedAt = cmp.Or(w.ID, NewID()), tx.Now
	return w, tx.exec(`INSERT INTO webhook (id, user_id, conversation_id, url, secret, token, created_at)
		VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)`,
		w.ID, w.UserID, w.ConversationID, w.URL, w.Secret, w.Token, w.CreatedAt)
}

// SetWebhookURL changes where a webhook delivers to. Failures of the earlier
// receiver do not count any more.
func (tx *Tx) SetWebhookURL(id, url string) error {
	return tx.exec1(`UPDATE webhook SET url = ?2, failures = 0, failing_since = NULL WHERE id = ?1`, id, url)
}

// EnableWebhook enables a webhook and makes what waits for another attempt due at once.
func (tx *Tx) EnableWebhook(id string) error {
	if err := tx.exec1(`UPDATE webhook SET disabled_at = NULL, disabled_why = '', failures = 0, failing_since = NULL WHERE id = ?`,
		id); err != nil {
		return err
	}
	tx.notifyDeliveries()
	return tx.exec(`UPDATE delivery SET next_at = ?2 WHERE webhook_id = ?1 AND next_at > ?2 AND attempts > 0`, id, tx.Reader.Now())
}

// SkipDisabled is the error of deliveries that waited when their webhook was disabled.
const SkipDisabled = "The webhook is disabled."

// DisableWebhook disables a webhook, for owner, gone or failing, if it is
// enabled, and reports whether it was. What waits for it is skipped, but not tests.
func (tx *Tx) DisableWebhook(id, why string) (bool, error) {
	n, err := tx.execCount(`UPDATE webhook SET disabled_at = ?2, disabled_why = ?3 WHERE id = ?1 AND disabled_at IS NULL`, id, tx.Now, why)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.exec(`UPDATE delivery SET next_at = NULL, outcome = 'skipped', error = ?2, done_at = ?3
		WHERE webhook_id = ?1 AND conversation_id > '' AND next_at IS NOT NULL`, id, SkipDisabled, tx.Now)
}

// DeleteWebhook deletes a webhook and its deliveries.
func (tx *Tx) DeleteWebhook(id string) error { return tx.exec1(`DELETE FROM webhook WHERE id = ?`, id) }
