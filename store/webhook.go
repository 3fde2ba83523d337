package store

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

func (w *Webhook) dest() []any {
	return []any{&w.ID, &w.UserID, (*text)(&w.ConversationID), &w.URL, &w.Secret, &w.Token, &w.CreatedAt, &w.Failures,
		&w.FailingSince, &w.DisabledAt, &w.DisabledWhy}
}

func scanWebhook(s scanner) (w Webhook, err error) {
	err = s.Scan(w.dest()...)
	return w, err
}

// Webhook returns the webhook of by with the id; ErrNoRow without one.
func (r *Reader) Webhook(by Viewer, id string) (Webhook, error) {
	return one(r, scanWebhook, `SELECT `+webhookColumns+` FROM webhook w WHERE w.id = ?1 AND `+ownWebhook("w", "?2"), id, by.UserID)
}

// Webhooks returns the webhooks of by, the newest first.
func (r *Reader) Webhooks(by Viewer, limit int) ([]Webhook, error) {
	return all(r, scanWebhook, `SELECT `+webhookColumns+` FROM webhook w WHERE `+ownWebhook("w", "?1")+`
		ORDER BY w.created_at DESC LIMIT ?2`, by.UserID, limit)
}

// WebhooksByID returns those of the webhooks, by id, that belong to by, in no
// order.
func (r *Reader) WebhooksByID(by Viewer, ids ...string) ([]Webhook, error) {
	return all(r, scanWebhook, `SELECT `+webhookColumns+` FROM json_each(?1) j JOIN webhook w ON w.id = j.value
		WHERE `+ownWebhook("w", "?2"), jsonList(ids), by.UserID)
}

// CountWebhooks returns how many webhooks a person and their bots have.
func (r *Reader) CountWebhooks(personID string) (n int, err error) {
	err = r.value([]any{&n}, `SELECT count(*) FROM webhook w WHERE w.user_id IN (SELECT ?1 UNION ALL SELECT b.id FROM user b WHERE b.bot_owner_id = ?1)
		/* server: a limit */`, personID)
	return n, err
}

// FullWebhooks returns up to limit ids of the webhooks of all accounts above after, in
// their order, of which TrimDeliveries deletes something.
func (r *Reader) FullWebhooks(after string, keep, limit int) ([]string, error) {
	return all(r, scanOne[string], `SELECT w.id FROM webhook w WHERE w.id > ?1 AND EXISTS (
			SELECT 1 FROM delivery d WHERE d.webhook_id = w.id AND d.next_at IS NULL AND d.at <= (
				SELECT o.at FROM delivery o WHERE o.webhook_id = w.id ORDER BY o.at DESC LIMIT 1 OFFSET ?2))
		ORDER BY w.id LIMIT ?3 /* server: pruning */`, after, keep, limit)
}

// InsertWebhook adds a webhook and returns it with CreatedAt set, and ID if that
// is "".
func (tx *Tx) InsertWebhook(w Webhook) (Webhook, error) {
	w.CreatedAt = tx.Now
	if w.ID == "" {
		w.ID = NewID()
	}
	tx.later(webhooksChanged{})
	_, err := tx.exec(`INSERT INTO webhook (id, user_id, conversation_id, url, secret, token, created_at) VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)`,
		w.ID, w.UserID, w.ConversationID, w.URL, w.Secret, w.Token, int64(w.CreatedAt))
	return w, err
}

// SetWebhookURL changes where a webhook delivers to. Failures of the earlier
// receiver do not count any more.
func (tx *Tx) SetWebhookURL(id, url string) error {
	return tx.exec1(`UPDATE webhook SET url = ?2, failures = 0, failing_since = NULL WHERE id = ?1`, id, url)
}

// EnableWebhook enables a webhook and makes all that waits for it due at once.
func (tx *Tx) EnableWebhook(id string) error {
	tx.later(webhooksChanged{})
	if err := tx.exec1(`UPDATE webhook SET disabled_at = NULL, disabled_why = '', failures = 0, failing_since = NULL WHERE id = ?`, id); err != nil {
		return err
	}
	waiting, err := all(&tx.Reader, scanQueue, `SELECT DISTINCT d.webhook_id, d.conversation_id, `+queuePerson+`
		FROM delivery d JOIN webhook w ON w.id = d.webhook_id JOIN user u ON u.id = w.user_id
		WHERE d.webhook_id = ? AND d.next_at IS NOT NULL /* server: what waits for the webhook that was enabled */`, id)
	if err != nil {
		return err
	}
	for _, l := range waiting {
		if err := tx.hasten(l); err != nil {
			return err
		}
	}
	return nil
}

// DisableWebhook disables a webhook, for owner, gone or failing, if it is
// enabled, and reports whether it was.
func (tx *Tx) DisableWebhook(id, why string) (bool, error) {
	tx.later(webhooksChanged{})
	n, err := tx.exec(`UPDATE webhook SET disabled_at = ?2, disabled_why = ?3 WHERE id = ?1 AND disabled_at IS NULL`, id, int64(tx.Now), why)
	return n == 1, err
}

// DeleteWebhook deletes up to limit deliveries of a webhook, which receives none
// from then on, and the webhook with the last of them. It reports whether there
// may be more: then it is to be called again, in another write.
func (tx *Tx) DeleteWebhook(id string, limit int) (more bool, err error) {
	if _, err := tx.DisableWebhook(id, "owner"); err != nil {
		return false, err
	}
	n, err := tx.exec(`DELETE FROM delivery WHERE webhook_id = ?1 AND at IN (SELECT d.at FROM delivery d WHERE d.webhook_id = ?1 LIMIT ?2)
		/* server: deletion of the webhook */`, id, limit)
	if err != nil || n == int64(limit) {
		return true, err
	}
	return false, tx.exec1(`DELETE FROM webhook WHERE id = ?`, id)
}

// enabledWebhooks says where there are enabled webhooks, so that messages cost
// nothing without them. The writer alone uses it.
type enabledWebhooks struct {
	known         bool
	conversations map[string]bool // that have a webhook of their own
	ofAccounts    bool            // there are some of all conversations of an account
}

func (tx *Tx) enabledWebhooks() (enabledWebhooks, error) {
	e := enabledWebhooks{known: true, conversations: map[string]bool{}}
	ids, err := all(&tx.Reader, scanOne[string], `SELECT w.conversation_id FROM webhook w INDEXED BY webhook_conversation WHERE w.conversation_id IS NOT NULL AND w.disabled_at IS NULL
		/* server: where there are any */ /* scan: all of them, after one was changed */`)
	for _, id := range ids {
		e.conversations[id] = true
	}
	if err == nil {
		err = tx.value([]any{&e.ofAccounts}, `SELECT EXISTS (SELECT 1 FROM webhook WHERE conversation_id IS NULL AND disabled_at IS NULL) /* server: whether there are any */ /* scan: up to the first */`)
	}
	return e, err
}
