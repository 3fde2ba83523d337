package store

import "hearth/store/engine"

// What a write leaves for the end of its group, where finish does it once for
// all writes of the group.
type (
	// sentMessage is a message that was sent.
	sentMessage struct {
		conversationID, id, senderID string
		at                           Time
		byAgent                      bool // with an agent key
		notBefore                    Time // until when its transcript is awaited
	}
	// webhooksChanged: a webhook was added, enabled or disabled.
	webhooksChanged struct{}
)

// later leaves v for the end of the group of this write.
func (tx *Tx) later(v any) { tx.e.Later(v) }

// finish is the function that the engine runs at the end of a group of writes,
// in their transaction, with what they left for it.
func (db *DB) finish(etx *engine.Tx[Event], items []any) error {
	return db.run(etx, func(tx *Tx) error {
		var sent []sentMessage
		var stale bool // what is known of webhooks
		for _, item := range items {
			switch v := item.(type) {
			case sentMessage:
				sent = append(sent, v)
			case webhooksChanged:
				stale = true
			}
		}
		if stale {
			tx.e.OnDurable(func() { db.webhooks.known = false })
		}
		return db.queueDeliveries(tx, sent, stale)
	})
}
