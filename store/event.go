package store

// EventKind names a kind of event, such as "message.created". Each is a
// constant of the package whose table of events declares it.
type EventKind string

// Event records that something changed: the kind of change, the object and the
// account that changed it. It has no content; the object is read when the event
// is delivered, for those who may see it then.
type Event struct {
	ID       int64     // grows in the order of commits and is never used twice
	Topic    string    // the conversation, list or user it belongs to
	Kind     EventKind // declared in a table of events
	ObjectID string    // what changed
	ActorID  string    // the account that did it; "" if anonymous
	At       Time
}

// Emit adds e to the event log in this write. Listeners get it after the
// commit, with ID and At filled in.
func (tx *Tx) Emit(e Event) error {
	e.At = tx.Now
	res, err := tx.c.Exec(`INSERT INTO event (topic, kind, object_id, actor_id, at) VALUES (?, ?, ?, ?, ?)`,
		e.Topic, string(e.Kind), e.ObjectID, e.ActorID, e.At)
	if err != nil {
		return err
	}
	e.ID = res.LastID
	tx.events = append(tx.events, e)
	return nil
}

const eventColumns = `id, topic, kind, object_id, actor_id, at`

// EventRange returns the ids of the oldest and the newest event in the log;
// both are 0 if it is empty.
func (r *Reader) EventRange() (oldest, newest int64, err error) {
	err = r.value([]any{&oldest, &newest}, `SELECT
		coalesce((SELECT id FROM event ORDER BY id LIMIT 1), 0),
		coalesce((SELECT id FROM event ORDER BY id DESC LIMIT 1), 0) /* server: the extent of the log */`)
	return oldest, newest, err
}

// EventBefore returns the id of the newest event at or before a moment; 0 without one.
func (r *Reader) EventBefore(at Time) (int64, error) {
	return one[int64](r, `SELECT coalesce((SELECT id FROM event WHERE at <= ? ORDER BY id DESC LIMIT 1), 0)
		/* scan: back from the newest to the moment */ /* server: the extent of the log */`, at)
}

// LostEvent reports whether the event with the id, within the log, was of the database
// that a backup has replaced: no event has the id, and the next is that of the restore.
func (r *Reader) LostEvent(id int64) (bool, error) {
	return one[bool](r, `SELECT NOT EXISTS (SELECT 1 FROM event WHERE id = ?1)
		AND (SELECT kind FROM event WHERE id > ?1 ORDER BY id LIMIT 1) IS 'restored' /* server: the extent of the log */`, id)
}

// EventsAfter returns up to limit events with ids above after, in order, for
// delivery, which checks each recipient.
func (r *Reader) EventsAfter(after int64, limit int) ([]Event, error) {
	return all[Event](r, `SELECT `+eventColumns+` FROM event WHERE id > ? ORDER BY id LIMIT ? /* server: delivery */`, after, limit)
}

// ListEvents returns up to limit events of a list that by may see, with ids
// above after and up to upTo, in order.
func (r *Reader) ListEvents(by Viewer, listID string, after, upTo int64, limit int) ([]Event, error) {
	return all[Event](r, `SELECT `+eventColumns+` FROM event e
		WHERE e.topic = ?1 AND e.id > ?2 AND e.id <= ?3 AND `+visibleListEvent("e", "?4")+` ORDER BY e.id LIMIT ?5`,
		listID, after, upTo, by.UserID, limit)
}

// BecameOwner reports whether by owns the list and, by the log above after, was made
// its owner, and so may not have seen it before.
func (r *Reader) BecameOwner(by Viewer, listID string, after int64) (bool, error) {
	return one[bool](r, `SELECT EXISTS (SELECT 1 FROM list l CROSS JOIN event e INDEXED BY event_topic ON e.topic = l.id
		WHERE l.id = ?2 AND `+ownedList("l", "?1")+` AND e.id > ?3 AND e.object_id = ?1 /* server: events about the owner */)`,
		by.UserID, listID, after)
}

// LaneEvents returns up to limit events of a conversation that by may see, with
// ids above after and up to upTo, in order.
func (r *Reader) LaneEvents(by Viewer, conversationID string, after, upTo int64, limit int) ([]Event, error) {
	return all[Event](r, `SELECT `+eventColumns+` FROM event e INDEXED BY event_topic
		WHERE e.topic = ?1 AND e.id > ?2 AND e.id <= ?3 AND `+visibleEvent("e", "?4")+` ORDER BY e.id LIMIT ?5`,
		conversationID, after, upTo, by.UserID, limit)
}

// UserEvents returns up to limit events of the conversations that by may see and of
// by's own account. Their ids are above after and up to upTo, in order.
func (r *Reader) UserEvents(by Viewer, after, upTo int64, limit int) ([]Event, error) {
	return all[Event](r, `SELECT `+eventColumns+` FROM event e INDEXED BY event_topic
		WHERE e.id > ?2 AND e.id <= ?3 AND `+visibleEvent("e", "?1")+`
		ORDER BY e.id LIMIT ?4`, by.UserID, after, upTo, limit)
}

// PruneEvents deletes up to limit events older than before, and returns how
// many. It never deletes the newest event, so that no id is used twice. It looks
// at the oldest limit events only: their times grow with their ids.
func (tx *Tx) PruneEvents(before Time, limit int) (int64, error) {
	return tx.execCount(`DELETE FROM event WHERE id IN (
		SELECT id FROM (SELECT id, at FROM event ORDER BY id LIMIT ?2) WHERE at < ?1 AND id < (SELECT max(id) FROM event))
		/* server: pruning */ /* scan: the oldest, up to the limit */`, before, limit)
}
