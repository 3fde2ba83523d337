package store

import "cmp"

// PushSubscription is a browser or an app that receives the notifications of an account while its session lasts.
type PushSubscription struct {
	ID           string
	UserID       string
	SessionID    string
	Endpoint     string // at its push service; a secret
	P256dh, Auth string // the keys of RFC 8291, as base64url
	Name         string
	CreatedAt    Time
	LastSentAt   Time   // the last success; 0 without one
	LastError    string // of the last attempt; "" if it succeeded
}

const pushColumns = `s.id, s.user_id, s.session_id, s.endpoint, s.p256dh, s.auth, s.name, s.created_at, s.last_sent_at, s.last_error`

// PushSubscriptions returns those of by, the newest first.
func (r *Reader) PushSubscriptions(by Viewer) ([]PushSubscription, error) {
	return all[PushSubscription](r, `SELECT `+pushColumns+` FROM push_subscription s WHERE `+ownPush("s", "?1")+`
		ORDER BY s.created_at DESC`, by.UserID)
}

// PushSubscription returns the one of by with the id; ErrNoRow without one.
func (r *Reader) PushSubscription(by Viewer, id string) (PushSubscription, error) {
	return one[PushSubscription](r, `SELECT `+pushColumns+` FROM push_subscription s WHERE s.id = ?1 AND `+ownPush("s", "?2"), id, by.UserID)
}

// PutPushSubscription adds a subscription and returns it with ID and CreatedAt set. One of the account with the same
// endpoint keeps both; one of another account, who had signed in there before, ends.
func (tx *Tx) PutPushSubscription(s PushSubscription) (PushSubscription, error) {
	if err := tx.exec(`DELETE FROM push_subscription WHERE endpoint = ? AND user_id <> ?`, s.Endpoint, s.UserID); err != nil {
		return s, err
	}
	s.ID, s.CreatedAt = cmp.Or(s.ID, NewID()), tx.Now
	if err := tx.exec(`INSERT INTO push_subscription (id, user_id, session_id, endpoint, p256dh, auth, name, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (endpoint) DO UPDATE SET session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth,
			name = excluded.name`, s.ID, s.UserID, s.SessionID, s.Endpoint, s.P256dh, s.Auth, s.Name, s.CreatedAt); err != nil {
		return s, err
	}
	return one[PushSubscription](&tx.Reader, `SELECT `+pushColumns+` FROM push_subscription s WHERE s.endpoint = ?1 AND `+ownPush("s", "?2"),
		s.Endpoint, s.UserID)
}

// RecordPush writes what came of an attempt to send to a subscription: "" if it succeeded, else why it failed.
func (tx *Tx) RecordPush(id, failure string) error {
	return tx.exec(`UPDATE push_subscription SET last_sent_at = iif(?2 = '', ?3, last_sent_at), last_error = ?2 WHERE id = ?1`,
		id, failure, tx.Reader.Now())
}

// DeletePushSubscription deletes a subscription. One that does not exist is no error.
func (tx *Tx) DeletePushSubscription(id string) error {
	return tx.exec(`DELETE FROM push_subscription WHERE id = ?`, id)
}
