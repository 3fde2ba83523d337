package store

// Delivery is a delivery to a webhook: of a message, or a test.
type Delivery struct {
	WebhookID      string
	At             Time   // when the message was sent, or the test requested: with WebhookID, its identity
	ConversationID string // "" for a test
	MessageID      string // "" for a test
	Attempts       int
	NextAt         Time   // of the next attempt, by the wall clock; 0 after the last
	Status         int    // of the last response; 0 without one
	Error          string // of the last attempt; "" if it succeeded
	TookMs         int    // the last attempt
	Outcome        string // delivered, failed, skipped; "" while it waits
	DoneAt         Time
}

const deliveryColumns = `d.webhook_id, d.at, d.conversation_id, d.message_id, d.attempts, coalesce(d.next_at, 0), coalesce(d.status, 0),
	d.error, coalesce(d.took_ms, 0), d.outcome, coalesce(d.done_at, 0)`

// Queue is a conversation of a webhook, whose deliveries are made in order, or
// with ConversationID "" its tests. Of a push subscription ReceiverID is the id.
type Queue struct{ ReceiverID, ConversationID string }

// Deliveries returns up to limit deliveries to a webhook of by from before a
// moment (0: the newest), the newest first.
func (r *Reader) Deliveries(by Viewer, webhookID string, before Time, limit int) ([]Delivery, error) {
	return all[Delivery](r, `SELECT `+deliveryColumns+` FROM delivery d JOIN webhook w ON w.id = d.webhook_id
		WHERE d.webhook_id = ?1 AND d.at < ?2 AND `+ownWebhook("w", "?3")+`
		ORDER BY d.at DESC LIMIT ?4`, webhookID, orEnd(before), by.UserID, limit)
}

// LastDeliveries returns the newest delivery that was attempted of each of the
// webhooks of by, in no order.
func (r *Reader) LastDeliveries(by Viewer, webhookIDs ...string) ([]Delivery, error) {
	return all[Delivery](r, `SELECT `+deliveryColumns+` FROM json_each(?1) j JOIN webhook w ON w.id = j.value
		JOIN delivery d ON d.webhook_id = w.id AND d.at = (SELECT max(o.at) FROM delivery o WHERE o.webhook_id = w.id AND o.attempts > 0)
		WHERE `+ownWebhook("w", "?2"), jsonList(webhookIDs), by.UserID)
}

// InsertTest adds a test of a webhook, which is delivered once.
func (tx *Tx) InsertTest(webhookID string) (Delivery, error) {
	d := Delivery{WebhookID: webhookID, At: tx.Now, NextAt: tx.Reader.Now()}
	tx.notifyDeliveries()
	err := tx.exec(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) VALUES (?, ?, '', '', ?)`,
		d.WebhookID, d.At, d.NextAt)
	return d, err
}

// OnDeliveries sets the function that is called once deliveries that were added or made
// due are durable. It runs on the writer and must not block.
func (db *DB) OnDeliveries(f func()) { db.deliveries.Store(&f) }

// notifyDeliveries has the function of OnDeliveries called.
func (tx *Tx) notifyDeliveries() {
	tx.e.OnDurable(func() {
		if f := tx.db.deliveries.Load(); f != nil {
			(*f)()
		}
	})
}

// queueDeliveries adds the deliveries of a message that was sent. Its webhooks are the
// enabled ones of the conversation, and of all conversations of an account, while their
// owner is a member who may see it. A message sent with an agent key is not delivered to
// the account that owns the key, or that owns the bot of the key: an agent would receive
// its own answers.
func (tx *Tx) queueDeliveries(m *Message) error {
	var inConversation, ofAccounts, small bool
	err := tx.value([]any{&inConversation, &ofAccounts, &small}, `SELECT EXISTS (SELECT 1 FROM webhook w WHERE w.conversation_id = ?1),
		EXISTS (SELECT 1 FROM webhook w INDEXED BY webhook_all WHERE w.conversation_id IS NULL AND w.disabled_at IS NULL),
		c.member_count <= 50 FROM conversation c WHERE c.id = ?1 /* scan: up to the first */ /* server: the outbox */`, m.ConversationID)
	if err == nil && inConversation {
		err = tx.queueFor(m, `webhook w CROSS JOIN member m WHERE w.conversation_id = ?1`)
	}
	if err != nil || !ofAccounts {
		return err
	}
	// The shorter list leads: of the members, or of the webhooks.
	if small {
		return tx.queueFor(m, `member m CROSS JOIN webhook w INDEXED BY webhook_all WHERE w.conversation_id IS NULL`)
	}
	return tx.queueFor(m, `webhook w INDEXED BY webhook_all CROSS JOIN member m WHERE w.conversation_id IS NULL
		/* scan: the webhooks of everybody, for a large group */`)
}

// queueFor adds the deliveries of a message to the webhooks w of members m, from tables with a condition.
func (tx *Tx) queueFor(m *Message, from string) error {
	n, err := tx.execCount(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at)
		SELECT w.id, ?2, ?1, ?3, ?4 FROM `+from+` AND w.disabled_at IS NULL
			AND m.conversation_id = ?1 AND `+visibleMembership("m", "w.user_id")+` AND m.joined_at <= ?2
			AND NOT (?5 AND EXISTS (SELECT 1 FROM user u WHERE u.id = ?6 AND (u.id = w.user_id OR u.bot_owner_id = w.user_id)))
		/* server: the outbox */`,
		m.ConversationID, m.CreatedAt, m.ID, max(tx.Reader.Now(), m.TranscribeUntil), m.AgentID != "", m.SenderID)
	if n > 0 {
		tx.notifyDeliveries()
	}
	return err
}

// WaitingQueue is a queue with deliveries or notifications that wait.
type WaitingQueue struct {
	Queue
	Due Time   // when its first is attempted, by the wall clock
	URL string // that it is sent to
}

// WaitingQueues returns the queues with deliveries that wait, those first that are due
// first. It reads the first delivery of each.
func (r *Reader) WaitingQueues() ([]WaitingQueue, error) {
	return all[WaitingQueue](r, `WITH RECURSIVE head (webhook_id, conversation_id, next_at) AS (
			SELECT * FROM (SELECT d.webhook_id, d.conversation_id, d.next_at FROM delivery d WHERE d.next_at IS NOT NULL
				ORDER BY d.webhook_id, d.conversation_id, d.at LIMIT 1)
			UNION ALL
			SELECT d.webhook_id, d.conversation_id, d.next_at FROM head h CROSS JOIN delivery d ON (d.webhook_id, d.at) = (
				SELECT n.webhook_id, n.at FROM delivery n
				WHERE n.next_at IS NOT NULL AND (n.webhook_id, n.conversation_id) > (h.webhook_id, h.conversation_id)
				ORDER BY n.webhook_id, n.conversation_id, n.at LIMIT 1))
		SELECT h.webhook_id, h.conversation_id, h.next_at, w.url FROM head h CROSS JOIN webhook w ON w.id = h.webhook_id ORDER BY h.next_at
		/* server: delivery */ /* scan: the queues that wait */`)
}

// WaitingDeliveries returns how many deliveries wait.
func (r *Reader) WaitingDeliveries() (int64, error) {
	return one[int64](r, `SELECT count(*) FROM delivery WHERE next_at IS NOT NULL /* server: a metric */ /* scan: what waits */`)
}

// NextDelivery is the first delivery of a queue that waits, with its webhook.
type NextDelivery struct {
	Delivery
	Webhook     Webhook
	OwnerActive bool // the owner, and the owner of a bot, is neither suspended nor being deleted
}

// NextDelivery returns the first delivery of a queue that waits; ErrNoRow without
// one.
func (r *Reader) NextDelivery(q Queue) (NextDelivery, error) {
	return one[NextDelivery](r, `SELECT `+deliveryColumns+`, `+webhookColumns+`,
			`+notSuspended("u")+`
		FROM delivery d JOIN webhook w ON w.id = d.webhook_id JOIN user u ON u.id = w.user_id
		WHERE d.webhook_id = ?1 AND d.conversation_id = ?2 AND d.next_at IS NOT NULL ORDER BY d.at LIMIT 1 /* server: delivery */`,
		q.ReceiverID, q.ConversationID)
}

// RecordAttempt writes what came of an attempt to make a delivery, if it still waits. Without NextAt it was the last, with
// the Outcome.
func (tx *Tx) RecordAttempt(d Delivery) error {
	return tx.exec(`UPDATE delivery SET attempts = ?3, next_at = nullif(?4, 0), status = nullif(?5, 0), error = ?6, took_ms = ?7,
			outcome = nullif(?8, ''), done_at = iif(?4 = 0, ?9, NULL)
		WHERE webhook_id = ?1 AND at = ?2 AND next_at IS NOT NULL`,
		d.WebhookID, d.At, d.Attempts, d.NextAt, d.Status, d.Error, d.TookMs, d.Outcome, tx.Now)
}

// WebhookWorks records that a webhook answered a delivery.
func (tx *Tx) WebhookWorks(id string) error {
	return tx.exec(`UPDATE webhook SET failures = 0, failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL`, id)
}

// WebhookFails records that attempts failed, and that so many deliveries were
// given up. It returns how long it has been failing and how many deliveries were
// given up in that time.
func (tx *Tx) WebhookFails(id string, givenUp int) (since Time, failures int, err error) {
	if err = tx.exec(`UPDATE webhook SET failing_since = coalesce(failing_since, ?2), failures = failures + ?3
		WHERE id = ?1 AND (failing_since IS NULL OR ?3 > 0)`, id, tx.Reader.Now(), givenUp); err != nil {
		return 0, 0, err
	}
	err = tx.value([]any{&since, &failures}, `SELECT coalesce(failing_since, 0), failures FROM webhook WHERE id = ? /* server: delivery */`,
		id)
	return since, failures, err
}

// TrimDeliveries deletes up to limit deliveries that have ended and are not among the
// newest keep of their webhook, and returns how many.
func (tx *Tx) TrimDeliveries(keep, limit int) (int64, error) {
	return tx.execCount(`DELETE FROM delivery WHERE (webhook_id, at) IN (SELECT d.webhook_id, d.at FROM webhook w
			CROSS JOIN delivery d ON d.webhook_id = w.id AND d.next_at IS NULL AND d.at <= (
				SELECT o.at FROM delivery o WHERE o.webhook_id = w.id ORDER BY o.at DESC LIMIT 1 OFFSET ?1)
			LIMIT ?2) /* server: pruning */ /* scan: all webhooks, once an hour */`, keep, limit)
}
