package store

// EventKind names a kind of event, such as "message.created". Each is a
// constant of the package whose table of events declares it.
type EventKind string

// Event says that something changed: what kind of change, to which object,
// by whom. It carries no content; whoever may still see the object reads it
// when the event is delivered.
type Event struct {
	ID       int64     // grows in the order of commits
	Topic    string    // the conversation, list or user whose subscribers are notified
	Kind     EventKind // declared in a table of events
	ObjectID string    // what changed
	ActorID  string    // the account that did it; "" for nobody
	At       Time
}

// Emit records e in this write. It is published after the commit, with ID
// and At filled in.
func (tx *Tx) Emit(e Event) error {
	e.At = tx.Now
	res, err := tx.c.exec(`INSERT INTO event (topic, kind, object_id, actor_id, at) VALUES (?, ?, ?, ?, ?)`,
		e.Topic, string(e.Kind), e.ObjectID, e.ActorID, int64(e.At))
	if err != nil {
		return err
	}
	if e.ID, err = res.LastInsertId(); err != nil {
		return err
	}
	tx.events = append(tx.events, e)
	return nil
}

const eventColumns = `id, topic, kind, object_id, actor_id, at`

func scanEvent(s scanner) (e Event, err error) {
	err = s.Scan(&e.ID, &e.Topic, (*string)(&e.Kind), &e.ObjectID, &e.ActorID, &e.At)
	return e, err
}

// EventRange returns the numbers of the oldest and the newest event;
// both are 0 while there is none.
func (r *Reader) EventRange() (oldest, newest int64, err error) {
	err = r.value([]any{&oldest, &newest}, `SELECT
		coalesce((SELECT id FROM event ORDER BY id LIMIT 1), 0),
		coalesce((SELECT id FROM event ORDER BY id DESC LIMIT 1), 0)`)
	return oldest, newest, err
}

// EventsAfter returns up to limit events numbered above after, in order.
func (r *Reader) EventsAfter(after int64, limit int) ([]Event, error) {
	return all(r, scanEvent, `SELECT `+eventColumns+` FROM event WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
}

// TopicEvents returns up to limit events of one topic numbered above after
// and up to upTo, in order.
func (r *Reader) TopicEvents(topic string, after, upTo int64, limit int) ([]Event, error) {
	return all(r, scanEvent, `SELECT `+eventColumns+` FROM event
		WHERE topic = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?`, topic, after, upTo, limit)
}

// UserEvents returns up to limit events numbered above after and up to upTo,
// in order, of everything that the user is notified of: the conversations they are
// in now, and their own account.
func (r *Reader) UserEvents(userID string, after, upTo int64, limit int) ([]Event, error) {
	return all(r, scanEvent, `SELECT `+eventColumns+` FROM event e INDEXED BY event_topic
		WHERE e.id > ?2 AND e.id <= ?3 AND e.topic IN (
			SELECT conversation_id FROM member WHERE user_id = ?1 UNION ALL SELECT ?1)
		ORDER BY e.id LIMIT ?4`, userID, after, upTo, limit)
}

// PruneEvents deletes up to limit events older than before, and returns how
// many. The newest event always stays, so that no number is given twice. Only
// the oldest limit events are looked at: their times grow with their numbers.
func (tx *Tx) PruneEvents(before Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM event WHERE id IN (
		SELECT id FROM (SELECT id, at FROM event ORDER BY id LIMIT ?2) WHERE at < ?1 AND id < (SELECT max(id) FROM event)) /* scan: the oldest, up to the limit */`, int64(before), limit)
}
