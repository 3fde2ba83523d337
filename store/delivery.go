package store

import (
	"github.com/go-json-experiment/json"
)

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

func (d *Delivery) dest() []any {
	return []any{&d.WebhookID, &d.At, &d.ConversationID, &d.MessageID, &d.Attempts, &d.NextAt, &d.Status,
		&d.Error, &d.TookMs, (*text)(&d.Outcome), &d.DoneAt}
}

func scanDelivery(s scanner) (d Delivery, err error) {
	err = s.Scan(d.dest()...)
	return d, err
}

// Queue is a conversation of a webhook, whose deliveries are made in order, or
// with ConversationID "" its tests.
type Queue struct {
	WebhookID, ConversationID string
	Person                    string // the owner of the webhook, or the owner of a bot
}

// queuePerson is a Queue's Person for the owner u.
const queuePerson = `coalesce(u.bot_owner_id, u.id)`

func scanQueue(s scanner) (q Queue, err error) {
	err = s.Scan(&q.WebhookID, &q.ConversationID, &q.Person)
	return q, err
}

// Deliveries returns up to limit deliveries to a webhook of by from before a
// moment (0: the newest), the newest first.
func (r *Reader) Deliveries(by Viewer, webhookID string, before Time, limit int) ([]Delivery, error) {
	return all(r, scanDelivery, `SELECT `+deliveryColumns+` FROM delivery d JOIN webhook w ON w.id = d.webhook_id
		WHERE d.webhook_id = ?1 AND d.at < ?2 AND `+ownWebhook("w", "?3")+`
		ORDER BY d.at DESC LIMIT ?4`, webhookID, orEnd(before), by.UserID, limit)
}

// LastDeliveries returns the newest delivery that was attempted of each of the
// webhooks of by, in no order.
func (r *Reader) LastDeliveries(by Viewer, webhookIDs ...string) ([]Delivery, error) {
	return all(r, scanDelivery, `SELECT `+deliveryColumns+` FROM json_each(?1) j JOIN webhook w ON w.id = j.value
		JOIN delivery d ON d.webhook_id = w.id AND d.at = (SELECT max(o.at) FROM delivery o WHERE o.webhook_id = w.id AND o.attempts > 0)
		WHERE `+ownWebhook("w", "?2"), jsonList(webhookIDs), by.UserID)
}

// InsertTest adds a test of a webhook, which is delivered once.
func (tx *Tx) InsertTest(webhookID string) (Delivery, error) {
	d := Delivery{WebhookID: webhookID, At: tx.Now, NextAt: tx.Reader.Now()}
	q := Queue{WebhookID: webhookID}
	if err := tx.value([]any{&q.Person}, `SELECT `+queuePerson+` FROM webhook w JOIN user u ON u.id = w.user_id WHERE w.id = ? /* server: delivery */`, webhookID); err != nil {
		return Delivery{}, err
	}
	tx.notifyDeliveries(false, q)
	return d, tx.insertDelivery(d)
}

func (tx *Tx) insertDelivery(d Delivery) error {
	_, err := tx.exec(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) VALUES (?, ?, ?, ?, ?)`,
		d.WebhookID, int64(d.At), d.ConversationID, d.MessageID, int64(d.NextAt))
	return err
}

// OnDeliveries sets the function that is given the queues to which deliveries were
// added, and, hastened, those whose next delivery was made due, once that is
// durable. Without a queue, it is told that there are deliveries to add with
// QueueRest. It runs on the writer and must not block.
func (db *DB) OnDeliveries(f func(queues []Queue, hastened bool)) { db.deliveries.Store(&f) }

// notifyDeliveries has the function of OnDeliveries called.
func (tx *Tx) notifyDeliveries(hastened bool, queues ...Queue) {
	tx.e.OnDurable(func() {
		if f := tx.db.deliveries.Load(); f != nil {
			(*f)(queues, hastened)
		}
	})
}

// subscriber is a webhook that receives the messages of a conversation.
type subscriber struct {
	Queue
	userID   string
	joinedAt Time
}

func scanSubscriber(s scanner) (b subscriber, err error) {
	err = s.Scan(&b.ConversationID, &b.WebhookID, &b.Person, &b.userID, &b.joinedAt)
	return b, err
}

// queueDeliveries adds the deliveries of sent messages to the webhooks that
// receive them: those of the conversation and of all conversations of an
// account, while their owner is a member who may see it. A message sent with an
// agent key is not delivered to the webhooks of the account that owns the key,
// or that owns the bot the key belongs to: an agent that answers what it
// receives would receive its own answers. Beyond the first maxAdded, deliveries are
// left for the worker, and so are those of the messages that follow in the same
// conversation, to stay in order.
// stale says that this group of writes changed webhooks.
func (db *DB) queueDeliveries(tx *Tx, sent []sentMessage, stale bool) (err error) {
	if len(sent) == 0 {
		return nil
	}
	enabled := db.webhooks
	if stale || !enabled.known {
		if enabled, err = tx.enabledWebhooks(); err != nil {
			return err
		}
	}
	if !stale { // the changes may yet be undone
		db.webhooks = enabled
	}
	if len(enabled.conversations) == 0 && !enabled.ofAccounts {
		return nil
	}
	subscribers, complete, err := tx.subscribers(enabled, sent)
	if err != nil || len(subscribers) == 0 {
		return err
	}
	free := maxAdded
	for _, m := range sent {
		to := subscribers[m.conversationID]
		if len(to) == 0 && (complete || !enabled.ofAccounts && !enabled.conversations[m.conversationID]) {
			continue
		}
		left, err := tx.deliveriesLeft(m.conversationID)
		if err == nil && !left && (!complete || len(to) > free) {
			left, err = true, tx.leaveDeliveries(m)
		}
		if err != nil {
			return err
		}
		if left {
			tx.notifyDeliveries(false)
			continue
		}
		free -= len(to)
		if err := tx.addDeliveries(m, to); err != nil {
			return err
		}
	}
	return nil
}

// addDeliveries adds the deliveries of a message to subscribers.
func (tx *Tx) addDeliveries(m sentMessage, to []subscriber) error {
	var queues []Queue
	for _, b := range to {
		if b.joinedAt > m.at {
			continue
		}
		queued, err := tx.queueDelivery(m, b)
		if err != nil {
			return err
		}
		if queued {
			queues = append(queues, b.Queue)
		}
	}
	if len(queues) > 0 {
		tx.notifyDeliveries(false, queues...)
	}
	return nil
}

// queueDelivery adds the delivery of a message, unless an agent of the webhook's
// owner sent it or the webhook is not enabled any more, and reports whether it did.
func (tx *Tx) queueDelivery(m sentMessage, b subscriber) (bool, error) {
	n, err := tx.exec(`INSERT INTO delivery (webhook_id, at, conversation_id, message_id, next_at) SELECT ?1, ?2, ?3, ?4, ?8
		WHERE EXISTS (SELECT 1 FROM webhook w WHERE w.id = ?1 AND w.disabled_at IS NULL /* server: delivery */) AND NOT (?5 AND EXISTS (SELECT 1 FROM user u WHERE u.id = ?6 AND (u.id = ?7 OR u.bot_owner_id = ?7) /* server: the loop guard */))`,
		b.WebhookID, int64(m.at), m.conversationID, m.id, m.byAgent, m.senderID, b.userID, int64(max(tx.Reader.Now(), m.notBefore)))
	return n == 1, err
}

// subscribers returns the webhooks that receive the messages of the
// conversations of sent, by conversation, and whether these are all: it reads at
// most maxAdded and one more.
func (tx *Tx) subscribers(enabled enabledWebhooks, sent []sentMessage) (out map[string][]subscriber, complete bool, err error) {
	ids := make([]string, 0, len(sent))
	var own []string // those with a webhook of their own
	seen := make(map[string]bool, len(sent))
	for _, m := range sent {
		if !seen[m.conversationID] {
			seen[m.conversationID] = true
			ids = append(ids, m.conversationID)
			if enabled.conversations[m.conversationID] {
				own = append(own, m.conversationID)
			}
		}
	}
	out = map[string][]subscriber{}
	n := 0
	add := func(ids []string, query string) error {
		found, err := all(&tx.Reader, scanSubscriber, query+` LIMIT ?2`, jsonList(ids), maxAdded+1-n)
		n += len(found)
		for _, b := range found {
			out[b.ConversationID] = append(out[b.ConversationID], b)
		}
		return err
	}
	if len(own) > 0 {
		if err := add(own, `SELECT w.conversation_id, w.id, `+queuePerson+`, u.id, m.joined_at FROM json_each(?1) j
			CROSS JOIN webhook w ON w.conversation_id = j.value AND w.disabled_at IS NULL
			CROSS JOIN member m ON m.conversation_id = j.value AND `+visibleMembership("m", "w.user_id")+`
			CROSS JOIN user u ON u.id = w.user_id /* server: the outbox */`); err != nil {
			return nil, false, err
		}
	}
	if enabled.ofAccounts && n <= maxAdded {
		if err := add(ids, `SELECT m.conversation_id, w.id, `+queuePerson+`, u.id, m.joined_at FROM json_each(?1) j
			CROSS JOIN member m ON m.conversation_id = j.value
			CROSS JOIN webhook w ON w.conversation_id IS NULL AND w.disabled_at IS NULL AND `+visibleMembership("m", "w.user_id")+`
			CROSS JOIN user u ON u.id = w.user_id /* server: the outbox */`); err != nil {
			return nil, false, err
		}
	}
	return out, n <= maxAdded, nil
}

// hasten makes the next delivery of a queue due now.
func (tx *Tx) hasten(q Queue) error {
	tx.notifyDeliveries(true, q)
	_, err := tx.exec(`UPDATE delivery SET next_at = ?3 WHERE webhook_id = ?1 AND next_at > ?3 AND at = (
		SELECT min(d.at) FROM delivery d WHERE d.webhook_id = ?1 AND d.conversation_id = ?2 AND d.next_at IS NOT NULL /* server: the next of the queue */)`,
		q.WebhookID, q.ConversationID, int64(tx.Reader.Now()))
	return err
}

// WaitingQueues returns the queues with deliveries that wait.
func (r *Reader) WaitingQueues() ([]Queue, error) {
	return all(r, scanQueue, `SELECT DISTINCT d.webhook_id, d.conversation_id, `+queuePerson+`
		FROM delivery d JOIN webhook w ON w.id = d.webhook_id JOIN user u ON u.id = w.user_id WHERE d.next_at IS NOT NULL
		/* server: delivery */ /* scan: what waits, once when the server starts */`)
}

// WaitingDeliveries returns how many deliveries wait.
func (r *Reader) WaitingDeliveries() (n int64, err error) {
	err = r.value([]any{&n}, `SELECT count(*) FROM delivery WHERE next_at IS NOT NULL /* server: a metric */ /* scan: what waits */`)
	return n, err
}

// WebhookBacklog is how many deliveries wait for a webhook, without tests.
type WebhookBacklog struct {
	ID, UserID string
	Waiting    int
}

func scanWebhookBacklog(s scanner) (b WebhookBacklog, err error) {
	err = s.Scan(&b.ID, &b.UserID, &b.Waiting)
	return b, err
}

// WebhookBacklogs returns what waits for the enabled webhooks of a person and their
// bots, the most first.
func (r *Reader) WebhookBacklogs(personID string) ([]WebhookBacklog, error) {
	return all(r, scanWebhookBacklog, `SELECT w.id, w.user_id, (SELECT count(*) FROM delivery d WHERE d.webhook_id = w.id AND d.conversation_id > '' AND d.next_at IS NOT NULL) AS n
		FROM webhook w WHERE w.user_id IN (SELECT ?1 UNION ALL SELECT b.id FROM user b WHERE b.bot_owner_id = ?1) AND w.disabled_at IS NULL
		ORDER BY n DESC, w.id /* server: a limit */`, personID)
}

// NextDelivery is the first delivery of a queue that waits, with its webhook.
type NextDelivery struct {
	Delivery
	Webhook     Webhook
	OwnerActive bool // the owner, and the owner of a bot, is neither suspended nor being deleted
}

func scanNextDelivery(s scanner) (d NextDelivery, err error) {
	err = s.Scan(append(append(d.Delivery.dest(), d.Webhook.dest()...), &d.OwnerActive)...)
	return d, err
}

// NextDelivery returns the first delivery of a queue that waits; ErrNoRow without
// one.
func (r *Reader) NextDelivery(q Queue) (NextDelivery, error) {
	return one(r, scanNextDelivery, `SELECT `+deliveryColumns+`, `+webhookColumns+`,
			`+notSuspended("u")+` AND NOT EXISTS (SELECT 1 FROM erasing e WHERE e.user_id IN (u.id, u.bot_owner_id))
		FROM delivery d JOIN webhook w ON w.id = d.webhook_id JOIN user u ON u.id = w.user_id
		WHERE d.webhook_id = ?1 AND d.conversation_id = ?2 AND d.next_at IS NOT NULL ORDER BY d.at LIMIT 1 /* server: delivery */`,
		q.WebhookID, q.ConversationID)
}

// Attempt is the result of an attempt to make a delivery. If NextAt is 0 it was
// the last, with the Outcome.
type Attempt struct {
	WebhookID string
	At        Time
	Attempts  int // with this one
	NextAt    Time
	Status    int
	Error     string
	TookMs    int
	Outcome   string
}

// RecordAttempts writes the results of attempts, in few statements however many
// they are.
func (tx *Tx) RecordAttempts(attempts []Attempt) error {
	rows := make([][]any, len(attempts))
	for i, a := range attempts {
		rows[i] = []any{a.WebhookID, int64(a.At), a.Attempts, int64(a.NextAt), a.Status, a.Error, a.TookMs, a.Outcome}
	}
	b, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE delivery SET attempts = j.value ->> 2, next_at = nullif(j.value ->> 3, 0), status = nullif(j.value ->> 4, 0),
			error = j.value ->> 5, took_ms = j.value ->> 6, outcome = nullif(j.value ->> 7, ''), done_at = CASE j.value ->> 3 WHEN 0 THEN ?2 END
		FROM json_each(?1) j WHERE delivery.webhook_id = j.value ->> 0 AND delivery.at = j.value ->> 1 AND delivery.next_at IS NOT NULL
		/* server: delivery */`, string(b), int64(tx.Now))
	return err
}

// WebhookWorks records that a webhook answered a delivery.
func (tx *Tx) WebhookWorks(id string) error {
	_, err := tx.exec(`UPDATE webhook SET failures = 0, failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL`, id)
	return err
}

// WebhookFails records that attempts failed, and that so many deliveries were
// given up. It returns how long it has been failing and how many deliveries were
// given up in that time.
func (tx *Tx) WebhookFails(id string, givenUp int) (since Time, failures int, err error) {
	if _, err = tx.exec(`UPDATE webhook SET failing_since = coalesce(failing_since, ?2), failures = failures + ?3
		WHERE id = ?1 AND (failing_since IS NULL OR ?3 > 0)`, id, int64(tx.Reader.Now()), givenUp); err != nil {
		return 0, 0, err
	}
	err = tx.value([]any{&since, &failures}, `SELECT coalesce(failing_since, 0), failures FROM webhook WHERE id = ? /* server: delivery */`, id)
	return since, failures, err
}

// SkipDeliveries ends up to limit deliveries that wait, without tests, for a
// reason, if their webhook is disabled. It returns how many.
func (tx *Tx) SkipDeliveries(webhookID, reason string, limit int) (int64, error) {
	return tx.exec(`UPDATE delivery SET next_at = NULL, outcome = 'skipped', error = ?2, done_at = ?3
		WHERE webhook_id = ?1 AND at IN (SELECT d.at FROM delivery d WHERE d.webhook_id = ?1 AND d.conversation_id > '' AND d.next_at IS NOT NULL
				AND EXISTS (SELECT 1 FROM webhook w WHERE w.id = ?1 AND w.disabled_at IS NOT NULL)
			LIMIT ?4 /* server: delivery */)`, webhookID, reason, int64(tx.Now), limit)
}

// PruneDeliveries deletes up to limit deliveries that ended before a moment, and
// returns how many.
func (tx *Tx) PruneDeliveries(before Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM delivery WHERE (webhook_id, at) IN (SELECT webhook_id, at FROM delivery WHERE done_at < ? LIMIT ?) /* server: pruning */`,
		int64(before), limit)
}

// TrimDeliveries deletes up to limit deliveries to a webhook that have ended and
// are not among the newest keep, and returns how many.
func (tx *Tx) TrimDeliveries(webhookID string, keep, limit int) (int64, error) {
	return tx.exec(`DELETE FROM delivery WHERE webhook_id = ?1 AND next_at IS NULL AND at IN (
			SELECT d.at FROM delivery d WHERE d.webhook_id = ?1 AND d.next_at IS NULL AND d.at <= (
				SELECT o.at FROM delivery o WHERE o.webhook_id = ?1 ORDER BY o.at DESC LIMIT 1 OFFSET ?2)
			ORDER BY d.at LIMIT ?3) /* server: pruning */`, webhookID, keep, limit)
}
